//! The sweep function: what the streams have missed, on a schedule, one at a time.
//!
//! Thin: whatever the schedule's event says, one use-case of `decide-once-service` looks at the indexes ([`decide_once_service::sweep`]).
//! What it did is logged and answered.

mod answer;
mod config;

use std::sync::Arc;
use std::time::Instant;

use decide_once_dynamodb::{DynamoStore, client_from_env};
use decide_once_lambda::remaining;
use decide_once_service::limits::Limits;
use decide_once_service::ports::StoreError;
use decide_once_service::publish::Publisher;
use decide_once_service::sweep::Sweeper;
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Decider, logging, policies};
use decide_once_sinks::AnySink;
pub use lambda_runtime::Error;
use lambda_runtime::{LambdaEvent, service_fn};
use serde::de::IgnoredAny;

use crate::answer::Answer;
use crate::config::Config;

type Sweeps = Sweeper<DynamoStore, AnySink, SystemClock, SystemIds>;

/// Runs the function until its process ends: configuration, clients, policies and sink once, then sweep by sweep.
///
/// # Errors
/// A variable is missing or wrong, the policies cannot be read, or the Runtime API is gone. Said before the first sweep.
pub async fn run() -> Result<(), Error> {
    logging::init("sweep")?;
    let config = Config::from_env()?;
    let policies = policies::load(&config.policies)?;
    let store = DynamoStore::new(client_from_env().await?, config.tables);
    let sink = AnySink::connect(config.sink).await?;
    let decider = Decider {
        store: store.clone(),
        clock: SystemClock,
        ids: SystemIds,
        policies,
        settings: config.settings,
        limits: Limits::default(),
        answers: Answers::default(),
    };
    let publisher = Publisher::new(store, sink, SystemClock, config.pace);
    let sweeper = Arc::new(Sweeper::new(decider, publisher, config.margin));
    lambda_runtime::run(service_fn(move |event: LambdaEvent<IgnoredAny>| {
        let sweeper = Arc::clone(&sweeper);
        // Boxed: what the runtime wraps around it would be a type too deep for the compiler.
        Box::pin(async move { Ok::<_, Error>(sweep(&sweeper, event).await?) })
    }))
    .await
}

async fn sweep(sweeper: &Sweeps, event: LambdaEvent<IgnoredAny>) -> Result<Answer, StoreError> {
    let begun = Instant::now();
    // The remaining time comes from Lambda's clock, the deadline is told in this worker's.
    let deadline = sweeper.now().plus(remaining(&event.context));
    let swept = sweeper.sweep(deadline).await?;
    answer::line(&swept, &event.context.request_id, begun.elapsed());
    Ok(Answer::of(&swept))
}
