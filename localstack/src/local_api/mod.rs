//! `/_local/…`: what only a local stack can do. No deployed function has any of it.
//!
//! | call | does |
//! |---|---|
//! | `POST /_local/clock {"advanceSeconds":n}` | moves the time of the functions and of the engine forward |
//! | `GET /_local/metrics` | store calls by API operation, the last request's, the processes |
//! | `POST /_local/faults {"call":"PutItem","fault":"conflict","times":2}` | makes the next store calls of a function fail |
//! | `DELETE /_local/faults` | disarms them |
//! | `GET /_local/events` | the CloudEvents that the sink has received, in order, duplicates included |
//! | `POST /_local/sink {"state":"up"}` | `up`, `down` (503) or `slow` |
//! | `POST /_local/sink/receive` | where the publisher sends to |
//!
//! One file a resource; each is a router of its own.

mod clock;
mod faults;
mod metrics;
mod problem;
mod sink;

use std::{collections::BTreeMap, sync::Arc};

use axum::Router;
use http::Uri;

use crate::{
    clock::LocalClock, engine::Engine, front::Meter, processes::ProcessStatus, proxy::Proxy,
    runtime_api::Functions,
};
use problem::Problem;

/// What the local-only API reaches into.
pub(crate) struct LocalApi {
    pub(crate) engine: Arc<Engine>,
    pub(crate) clock: Arc<LocalClock>,
    /// The way to the store of each function.
    pub(crate) stores: BTreeMap<&'static str, Arc<Proxy>>,
    pub(crate) meter: Meter,
    pub(crate) functions: Arc<Functions>,
    pub(crate) processes: Arc<dyn Fn() -> Vec<ProcessStatus> + Send + Sync>,
}

/// All routes, to be mounted under `/_local`.
pub(crate) fn router(api: LocalApi) -> Router {
    Router::new()
        .merge(clock::router(api.engine, api.clock))
        .merge(metrics::router(
            api.stores.clone(),
            api.meter,
            api.functions,
            api.processes,
        ))
        .merge(faults::router(api.stores))
        .merge(sink::router())
        .fallback(async |uri: Uri| Problem::not_found(&uri))
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
}
