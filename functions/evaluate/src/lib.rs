//! The evaluate function: queued operations, from their table's stream to their decision.
//!
//! Thin: a stream event becomes the operations that it announces, one use-case of `decide-once-service` goes on with each,
//! and those that are not final are named in the answer.

mod config;

use std::sync::Arc;
use std::time::{Duration, Instant};

use decide_once_dynamodb::items::operation::announced;
use decide_once_dynamodb::{DynamoStore, client_from_env};
use decide_once_lambda::batch::BatchResponse;
use decide_once_lambda::remaining;
use decide_once_lambda::stream::StreamEvent;
use decide_once_service::limits::Limits;
use decide_once_service::ports::Clock as _;
use decide_once_service::resume::{Fates, Task};
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Decider, logging, policies};
pub use lambda_runtime::Error;
use lambda_runtime::{LambdaEvent, service_fn};

use crate::config::Config;

type Evaluates = Decider<DynamoStore, SystemClock, SystemIds>;

/// Runs the function until its process ends: configuration, client and policies once, then batch by batch.
///
/// # Errors
/// A variable is missing or wrong, the policies cannot be read, or the Runtime API is gone. Said before the first batch is taken.
pub async fn run() -> Result<(), Error> {
    logging::init("evaluate")?;
    let config = Config::from_env()?;
    let policies = policies::load(&config.policies)?;
    let decider = Arc::new(Decider {
        store: DynamoStore::new(client_from_env().await?, config.tables),
        clock: SystemClock,
        ids: SystemIds,
        policies,
        settings: config.settings,
        limits: Limits::default(),
        answers: Answers::default(),
    });
    lambda_runtime::run(service_fn(move |event: LambdaEvent<StreamEvent>| {
        let decider = Arc::clone(&decider);
        // Boxed: what the runtime wraps around it would be a type too deep for the compiler.
        Box::pin(async move { Ok::<_, Error>(evaluate(&decider, event).await) })
    }))
    .await
}

async fn evaluate(decider: &Evaluates, event: LambdaEvent<StreamEvent>) -> BatchResponse {
    let begun = Instant::now();
    // The remaining time comes from Lambda's clock, the deadline is told in this worker's.
    let deadline = decider.clock.now().plus(remaining(&event.context));
    let fates = decider.resume_all(&tasks(event.payload), deadline).await;
    line(&fates, &event.context.request_id, begun.elapsed());
    BatchResponse::of_failed(fates.unfinished().map(str::to_owned))
}

/// The operations that are newly queued, under the stream's names for the changes that say so. Whatever else a mapping without
/// its filter hands in asks for nothing.
#[must_use]
pub fn tasks(event: StreamEvent) -> Vec<Task> {
    event
        .records
        .into_iter()
        .filter_map(|record| {
            Some(Task {
                operation: announced(record.dynamodb.new_image.as_ref()?)?,
                name: Some(record.dynamodb.sequence_number),
            })
        })
        .collect()
}

/// One line for each batch: counts, never a request's content.
fn line(fates: &Fates, invocation: &str, took: Duration) {
    let Fates {
        succeeded,
        failed,
        nothing_to_do,
        unreadable,
        not_yet,
    } = fates;
    tracing::info!(
        succeeded,
        failed,
        nothing_to_do,
        unreadable,
        not_yet = not_yet.len(),
        total_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        invocation,
        "batch evaluated"
    );
    for (task, why) in not_yet {
        tracing::warn!(operation = %task.operation, %why, "an operation is not final yet; it comes again");
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;

    const OPERATION: &str = "eosivqcihsmbt2ebhcnzs5c7376f5j6tsd5atfyim6ian6k74kvq";

    fn change(number: u32, name: &str, new: &serde_json::Value) -> serde_json::Value {
        json!({ "eventName": name, "dynamodb": { "SequenceNumber": number.to_string(), "NewImage": new } })
    }

    #[test]
    fn only_an_image_of_a_queued_record_asks_for_something() {
        let image = |stands: &str| json!({ "op": { "S": OPERATION }, "stands": { "S": stands } });
        let event = json!({ "Records": [
            change(1, "MODIFY", &image("PROCESSING/1/AQEBAQEBAQEBAQEBAQEBAQ")),
            change(2, "INSERT", &image("PROCESSING/0/AQEBAQEBAQEBAQEBAQEBAQ")),
            change(3, "MODIFY", &image("SUCCEEDED/1/AQEBAQEBAQEBAQEBAQEBAQ")),
            change(4, "REMOVE", &serde_json::Value::Null),
            change(5, "INSERT", &json!({ "op": { "S": OPERATION }, "stands": { "N": "0" } })),
            change(6, "INSERT", &json!({ "op": "odd" })),
        ]});
        let tasks = tasks(serde_json::from_value(event).unwrap());
        let [task] = &tasks[..] else {
            panic!("{tasks:?}");
        };
        assert_eq!(
            (task.name.as_deref(), task.operation.as_str()),
            (Some("2"), OPERATION)
        );
    }
}
