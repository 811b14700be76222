//! `/_local/…`: what only a local stack can do. No deployed function has any of it.
//!
//! | call | does |
//! |---|---|
//! | `POST /_local/clock {"advanceSeconds":n}` | moves the stack's time forward; `GET` tells it |
//! | `GET /_local/metrics` | store calls by API operation, the last request's, the processes, the stream |
//! | `GET /_local/store` | where DynamoDB's API is, and the tables' names |
//! | `POST /_local/store {"state":"away"}` | its port refuses the functions, until `up` |
//! | `POST /_local/faults {"call":"PutItem","fault":"conflict","times":2}` | the next store calls of a function fail |
//! | `POST /_local/faults {"point":"after_commit","action":"kill"}` | the next worker dies there, or panics, or holds |
//! | `GET /_local/faults` | what is armed, and which workers hold |
//! | `DELETE /_local/faults` | disarms it all, and lets go of who holds |
//! | `DELETE /_local/faults/held` | lets go of who holds |
//! | `GET /_local/events` | the CloudEvents that the sink has acknowledged, in order, duplicates included |
//! | `GET /_local/on-failure` | what the stream's mapping gave up, as its on-failure destination gets it |
//! | `POST /_local/schedules/sweep` | the sweep function, now and not in its minute; what it answers |
//! | `GET /_local/queues`, `GET /_local/queues/{name}` | how each queue stands; what is in one |
//! | `POST /_local/queues/{name}`, `…/redrive` | puts a message in, `Idempotency-Key` as its attribute; hands in again what its dead-letter queue has |
//! | `POST /_local/sqs` | the same queues for an SDK's client of SQS |
//! | `POST /_local/bus` | an event of EventBridge for the intake function |
//! | `GET /_local/balances` | what the consumer has made of the events |
//! | `GET /_local/reviews` | what the review desk was asked for, and how often |
//! | `POST /_local/sink {"state":"up"}` | `up`, `down` (503), `slow`, or `poison` (422); `GET` tells it |
//! | `POST /_local/sink/receive` | where the publisher sends to |
//!
//! One file a resource; each is a router of its own.

mod balances;
mod bus;
mod clock;
mod desk;
mod faults;
mod kept;
mod metrics;
mod origin;
mod problem;
mod queues;
mod schedule;
mod sink;
mod sqs;
mod store;

use std::{collections::BTreeMap, sync::Arc};

use axum::Router;
use http::Uri;

pub(crate) use metrics::Views;

use crate::{
    clock::LocalClock,
    crash_points::CrashPoints,
    engine::{Engine, TableNames},
    front::Meter,
    journal::Journal,
    names,
    proxy::Proxy,
    queue::Queue,
    runtime_api::{Functions, Invoker},
    stack::Schedule,
};
use problem::Problem;

/// What the local-only API reaches into.
pub(crate) struct LocalApi {
    pub(crate) engine: Arc<Engine>,
    pub(crate) tables: TableNames,
    pub(crate) clock: Arc<LocalClock>,
    pub(crate) crash_points: Arc<CrashPoints>,
    /// The way to the store of each function.
    pub(crate) stores: BTreeMap<&'static str, Arc<Proxy>>,
    /// What the sink has acknowledged.
    pub(crate) received: Arc<Journal>,
    /// What the stream's mapping gave up.
    pub(crate) given_up: Arc<Journal>,
    /// The queues by name.
    pub(crate) queues: Arc<BTreeMap<&'static str, Arc<Queue>>>,
    /// The stack's own address.
    pub(crate) url: String,
    pub(crate) meter: Meter,
    pub(crate) schedule: Arc<Schedule>,
    pub(crate) functions: Arc<Functions>,
    pub(crate) views: Views,
}

/// All routes, to be mounted under `/_local`.
pub(crate) fn router(api: LocalApi) -> Router {
    Router::new()
        .merge(store::router(
            &api.engine.endpoint(),
            &api.tables,
            Arc::clone(&api.clock),
            api.stores.clone(),
        ))
        .merge(balances::router(
            Arc::clone(&api.engine),
            api.tables.balances,
        ))
        .merge(clock::router(api.engine, api.clock))
        .merge(bus::router(
            Invoker::new(Arc::clone(&api.functions)),
            Arc::clone(&api.queues[names::INTAKE_DEAD]),
        ))
        .merge(metrics::router(
            api.stores.clone(),
            api.meter,
            api.functions,
            api.views,
        ))
        .merge(faults::router(api.stores, api.crash_points))
        .merge(kept::router("/events", Arc::clone(&api.received)))
        .merge(kept::router("/on-failure", api.given_up))
        .merge(schedule::router(api.schedule))
        .merge(sink::router(
            api.received,
            Arc::clone(&api.queues[names::CONSUME]),
        ))
        .merge(queues::router(Arc::clone(&api.queues)))
        .merge(sqs::router(api.queues, api.url))
        .merge(desk::router())
        .fallback(async |uri: Uri| Problem::not_found(&uri))
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .layer(axum::middleware::from_fn(origin::guard))
}
