//! The decide function: `POST /v1/decisions` and the reads, behind API Gateway.
//!
//! Thin: an event becomes a request ([`event`]), its caller and body are read strictly ([`caller`], [`body`]), one use-case
//! of `decide-once-service` answers it ([`app`]), and the answer becomes HTTP ([`answer`]).

mod answer;
mod app;
mod body;
mod caller;
mod config;
#[cfg(test)]
mod contract_table;
mod event;
mod log;
mod openapi;
mod path;
mod prefer;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::sync::Arc;

use decide_once_dynamodb::{DynamoStore, client_from_env};
use decide_once_service::limits::Limits;
use decide_once_service::ports::{Clock, Ids, Mismatches, Store};
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Decider, logging, policies};
use lambda_http::{Adapter, LambdaEvent, Request, Service, service_fn};
pub use lambda_runtime::Error;
use serde::Serialize;

pub use crate::app::App;
pub use crate::caller::Authority;
use crate::config::Config;
pub use crate::event::Event;

/// Runs the function until its process ends: configuration, clients and policies once, then event by event.
///
/// # Errors
/// A variable is missing, the policies cannot be read, or the Runtime API is gone. Said before the first event is taken.
pub async fn run() -> Result<(), Error> {
    logging::init("decide")?;
    let config = Config::from_env()?;
    let policies = policies::load(&config.policies)?;
    let decider = Decider {
        store: DynamoStore::new(client_from_env().await?, config.tables),
        clock: SystemClock,
        ids: SystemIds,
        policies,
        settings: config.settings,
        limits: Limits::default(),
        answers: Answers::holding(config.answer_cache),
    };
    let app = Arc::new(App {
        decider,
        authority: config.authority,
        profile: config.profile,
    });
    lambda_runtime::run(service_fn(move |event| handle(Arc::clone(&app), event))).await
}

/// From an event to its answer, in the form that the event's sender reads.
///
/// # Errors
/// None that an event could bring about: what is wrong with it is answered.
pub async fn handle<S, C, I>(
    app: Arc<App<S, C, I>>,
    event: LambdaEvent<Event>,
) -> Result<impl Serialize + Debug, Error>
where
    S: Store + Mismatches + 'static,
    C: Clock + 'static,
    I: Ids + 'static,
{
    let mut adapter = Adapter::from(service_fn(move |request: Request| {
        let app = Arc::clone(&app);
        async move { app.handle(request).await }
    }));
    let LambdaEvent { payload, context } = event;
    adapter.call(LambdaEvent::new(payload.0, context)).await
}
