//! The mappings from the tables' streams to functions, as `template.yaml` has them on AWS.

use std::{sync::Arc, time::Duration};

use axum::body::Bytes;

use super::{
    StartError,
    functions::{EVALUATE_TIMEOUT, PUBLISH_TIMEOUT},
    ground::Ground,
};
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

/// A mapping that runs, by its function.
pub(super) type Running = (&'static str, PumpHandle);

/// What differs between the mappings.
struct Mapping {
    function: &'static str,
    table: String,
    /// A filter tests leaves only, and says nothing of what stood before: that is the function's part (design.md §3).
    filter: &'static str,
    batch_size: usize,
    retries: Option<u32>,
    timeout: Duration,
}

/// Records that are queued: attempt 0 of PROCESSING.
const QUEUED: &str = r#"{"dynamodb":{"NewImage":{"stands":{"S":[{"prefix":"PROCESSING/0/"}]}}}}"#;

/// Rows that are undelivered.
const UNDELIVERED: &str = r#"{"dynamodb":{"NewImage":{"undelivered":{"S":[{"exists":true}]}}}}"#;

/// Small, since a batch whose function dies is sent again from its start.
const BATCH_SIZE: usize = 10;

/// What a store that does not answer takes; then the sweeper has it.
const EVALUATE_RETRIES: u32 = 20;

/// The stream is looked at often, for whoever watches, but not so often that an idle stack is busy.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// A sink that is up again has its events within about as much.
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// How many of a function's timeouts a batch waits for a process to take it, and then for its answer. A process that cannot be
/// started at all does not use up the mapping's retries.
const PATIENCE: u32 = 20;

/// Starts to feed the functions behind streams.
pub(super) fn start(
    args: &ServeArgs,
    ground: &Ground,
    invoker: &Invoker,
) -> Result<Vec<Running>, StartError> {
    let mappings = [
        Mapping {
            function: names::EVALUATE,
            table: ground.tables.operations.clone(),
            filter: QUEUED,
            batch_size: BATCH_SIZE,
            retries: Some(EVALUATE_RETRIES),
            timeout: EVALUATE_TIMEOUT,
        },
        Mapping {
            function: names::PUBLISH,
            table: ground.tables.outbox.clone(),
            filter: UNDELIVERED,
            batch_size: BATCH_SIZE,
            retries: args.publish_retries,
            timeout: PUBLISH_TIMEOUT,
        },
    ];
    mappings
        .into_iter()
        .map(|mapping| start_one(mapping, ground, invoker.clone()).map_err(StartError::Mapping))
        .collect()
}

fn start_one(mapping: Mapping, ground: &Ground, invoker: Invoker) -> Result<Running, PumpError> {
    let (name, patience) = (mapping.function, mapping.timeout.saturating_mul(PATIENCE));
    let function = move |event: Bytes| {
        let invoker = invoker.clone();
        async move {
            let answer = invoker.invoke(name, event, patience).await;
            answer.map_err(|error| {
                tracing::warn!("a batch of {name} failed: {error}");
                InvokeError::from(error)
            })
        }
    };
    let on_failure = Queue(Arc::clone(&ground.given_up));
    let config = config(mapping, ground)?;
    let running = pump::spawn(config, &ground.engine.endpoint(), function, on_failure)?;
    Ok((name, running))
}

fn config(mapping: Mapping, ground: &Ground) -> Result<PumpConfig, PumpError> {
    let Mapping {
        function,
        table,
        filter,
        batch_size,
        retries,
        ..
    } = mapping;
    Ok(PumpConfig {
        filters: Filters::parse(&[filter])?,
        batch_size,
        report_batch_item_failures: true,
        retry: RetryPolicy {
            maximum_attempts: retries,
            maximum_record_age: None,
            bisect: true,
        },
        poll_every: POLL_EVERY,
        backoff: Backoff {
            longest: LONGEST_BACKOFF,
            ..Backoff::default()
        },
        checkpoint: ground.checkpoint(function),
        ..PumpConfig::new(&table, function, ground.engine.clock())
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
