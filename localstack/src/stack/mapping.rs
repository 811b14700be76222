//! The mapping from the outbox's stream to the publish function, as `template.yaml` has it on AWS.

use std::{sync::Arc, time::Duration};

use axum::body::Bytes;

use super::{StartError, functions::PUBLISH_TIMEOUT, ground::Ground};
use crate::{
    cli::ServeArgs,
    journal::Journal,
    names,
    pump::{
        self, Backoff, DestinationRecord, Filters, InvokeError, OnFailure, PumpConfig, PumpError,
        PumpHandle, RetryPolicy,
    },
    runtime_api::Invoker,
};

/// Rows that are undelivered. A filter tests leaves only, and says nothing of what stood before: that is the function's
/// part (design.md §3).
const FILTER: &str = r#"{"dynamodb":{"NewImage":{"undelivered":{"S":[{"exists":true}]}}}}"#;

/// Small, since a batch whose function dies is sent again from its start.
const BATCH_SIZE: usize = 10;

/// The stream is looked at often, for whoever watches, but not so often that an idle stack is busy.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// A sink that is up again has its events within about as much.
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// How long a batch waits for a process to take it, and then for its answer. A process that cannot be started at all
/// does not use up the mapping's retries.
const PATIENCE: Duration = PUBLISH_TIMEOUT.saturating_mul(20);

/// Starts to feed the publish function.
pub(super) fn start(
    args: &ServeArgs,
    ground: &Ground,
    invoker: Invoker,
) -> Result<PumpHandle, StartError> {
    let config = config(args, ground).map_err(StartError::Mapping)?;
    let function = move |event: Bytes| {
        let invoker = invoker.clone();
        async move {
            let answer = invoker.invoke(names::PUBLISH, event, PATIENCE).await;
            answer.map_err(|error| {
                tracing::warn!("a batch was not published: {error}");
                InvokeError::from(error)
            })
        }
    };
    let on_failure = Queue(Arc::clone(&ground.given_up));
    pump::spawn(config, &ground.engine.endpoint(), function, on_failure)
        .map_err(StartError::Mapping)
}

fn config(args: &ServeArgs, ground: &Ground) -> Result<PumpConfig, PumpError> {
    let clock = ground.engine.clock();
    Ok(PumpConfig {
        filters: Filters::parse(&[FILTER])?,
        batch_size: BATCH_SIZE,
        report_batch_item_failures: true,
        retry: RetryPolicy {
            maximum_attempts: args.publish_retries,
            maximum_record_age: None,
            bisect: true,
        },
        // The engine's stream forgets nothing, and until there is a sweeper nothing else finds a row again.
        retention: Duration::MAX,
        poll_every: POLL_EVERY,
        backoff: Backoff {
            longest: LONGEST_BACKOFF,
            ..Backoff::default()
        },
        checkpoint: ground.checkpoint.clone(),
        ..PumpConfig::new(&ground.tables.outbox, names::PUBLISH, clock)
    })
}

/// The on-failure destination: on AWS a queue.
struct Queue(Arc<Journal>);

impl OnFailure for Queue {
    async fn discarded(&self, record: DestinationRecord) {
        let kept = serde_json::to_string(&record)
            .map_err(Into::into)
            .and_then(|record| self.0.append(&record));
        if let Err(error) = kept {
            tracing::error!(%error, "the on-failure destination could not keep a record");
        }
    }
}
