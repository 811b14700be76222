//! The publish function: from the outbox's stream to the sink.
//!
//! Thin: a stream event becomes changes ([`event`]), one use-case of `decide-once-service` delivers what they ask for,
//! and the first one that is not done tells Lambda from where to hand in again.

mod config;
mod event;
mod log;

use std::sync::Arc;
use std::time::Instant;

use decide_once_dynamodb::{DynamoStore, client_from_env};
use decide_once_lambda::batch::BatchResponse;
use decide_once_lambda::remaining;
use decide_once_lambda::stream::StreamEvent;
use decide_once_service::logging;
use decide_once_service::ports::Clock as _;
use decide_once_service::publish::Publisher;
use decide_once_service::system::SystemClock;
use decide_once_sinks::AnySink;
pub use lambda_runtime::Error;
use lambda_runtime::{LambdaEvent, service_fn};

use crate::config::Config;
pub use crate::event::changes;

type Publishes = Publisher<DynamoStore, AnySink, SystemClock>;

/// Runs the function until its process ends: configuration, client and sink once, then batch by batch.
///
/// # Errors
/// A variable is missing or wrong, or the Runtime API is gone. Said before the first batch is taken.
pub async fn run() -> Result<(), Error> {
    logging::init("publish")?;
    let config = Config::from_env()?;
    let store = DynamoStore::new(client_from_env().await?, config.tables);
    let sink = AnySink::connect(config.sink).await?;
    let publisher = Arc::new(Publisher::new(store, sink, SystemClock, config.pace));
    lambda_runtime::run(service_fn(move |event: LambdaEvent<StreamEvent>| {
        let publisher = Arc::clone(&publisher);
        // Boxed: what the runtime wraps around it would be a type too deep for the compiler.
        Box::pin(async move { Ok::<_, Error>(publish(&publisher, event).await) })
    }))
    .await
}

async fn publish(publisher: &Publishes, event: LambdaEvent<StreamEvent>) -> BatchResponse {
    let begun = Instant::now();
    let batch = changes(event.payload);
    // The remaining time comes from Lambda's clock, the deadline is told in this worker's.
    let deadline = publisher.clock.now().plus(remaining(&event.context));
    let report = publisher.publish(&batch, deadline).await;
    log::line(
        &report,
        event::traces(&batch).as_deref(),
        &event.context.request_id,
        begun.elapsed(),
    );
    let failed = report.stopped.map(|(sequence, _)| sequence);
    BatchResponse::of_failed(failed)
}
