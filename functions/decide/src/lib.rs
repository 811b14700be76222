//! The decide function: `POST /v1/decisions` and the reads, behind API Gateway.
//!
//! Thin: an event becomes a request ([`event`]), its caller and body are read strictly ([`caller`], [`body`]), one use-case
//! of `decide-once-service` answers it ([`app`]), and the answer becomes HTTP ([`answer`]).

mod answer;
mod app;
mod body;
mod caller;
mod config;
mod event;
mod log;
mod path;
mod prefer;

use std::sync::Arc;

use decide_once_dynamodb::{DynamoStore, client_from_env};
use decide_once_policy::PolicySet;
use decide_once_service::limits::Limits;
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Decider, logging};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, LambdaEvent, Request, Service, service_fn};
pub use lambda_runtime::Error;

use crate::app::App;
use crate::config::Config;

/// Runs the function until its process ends: configuration, clients and policies once, then event by event.
///
/// # Errors
/// A variable is missing, the policies cannot be read, or the Runtime API is gone. Said before the first event is taken.
pub async fn run() -> Result<(), Error> {
    logging::init();
    let config = Config::from_env()?;
    let policies = PolicySet::load(&config.policies)?;
    let decider = Decider {
        store: DynamoStore::new(client_from_env().await?, config.tables.clone()),
        clock: SystemClock,
        ids: SystemIds,
        policies,
        settings: config.settings.clone(),
        limits: Limits::default(),
    };
    let app = Arc::new(App { decider, config });
    let adapter = Adapter::from(service_fn(move |request: Request| {
        let app = Arc::clone(&app);
        async move { app.handle(request).await }
    }));
    lambda_runtime::run(service_fn(move |mut event: LambdaEvent<LambdaRequest>| {
        let mut adapter = adapter.clone();
        event::make_readable(&mut event.payload);
        async move { adapter.call(event).await }
    }))
    .await
}
