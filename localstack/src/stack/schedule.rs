//! The schedule of the sweep function, as `template.yaml` has it on AWS.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::{
    task::JoinHandle,
    time::{MissedTickBehavior, interval_at},
};

use super::functions::SWEEP_TIMEOUT;
use crate::{
    names,
    runtime_api::{InvokeResult, Invoker},
};

/// How long an invocation waits for the function's one process, and then for its answer.
const PATIENCE: Duration = SWEEP_TIMEOUT.saturating_mul(3);

/// Invokes the sweep function, at every turn of the clock and whenever it is asked to. The function has one process, so that there is
/// one sweep at a time, as a reserved concurrency of one has it on AWS.
#[derive(Debug)]
pub(crate) struct Schedule {
    invoker: Invoker,
    every: Option<Duration>,
    last: Mutex<Option<Value>>,
}

impl Schedule {
    /// Every so often; `None` only when asked.
    pub(super) fn new(invoker: Invoker, every: Option<Duration>) -> Self {
        Self {
            invoker,
            every,
            last: Mutex::new(None),
        }
    }

    /// Invokes it now.
    pub(crate) async fn fire(&self) -> InvokeResult {
        let invoker = &self.invoker;
        let answer = invoker.invoke(names::SWEEP, event(), PATIENCE).await?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
            serde_json::from_slice(&answer).ok();
        Ok(answer)
    }

    /// What the last sweep answered: on AWS its log line, of which metrics are made.
    pub(crate) fn last(&self) -> Option<Value> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Begins to keep time, until the task is aborted.
    pub(super) fn start(self: &Arc<Self>) -> Option<JoinHandle<()>> {
        let every = self.every?;
        let schedule = Arc::clone(self);
        Some(tokio::spawn(async move {
            let mut ticks = interval_at(tokio::time::Instant::now() + every, every);
            // A sweep that takes longer than a turn is not followed by two at once.
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                if let Err(error) = schedule.fire().await {
                    tracing::warn!("a sweep failed: {error}");
                }
            }
        }))
    }
}

/// As EventBridge sends it
/// (<https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html>); the function does not read it.
fn event() -> Bytes {
    let event = json!({
        "version": "0",
        "id": uuid::Uuid::new_v4().to_string(),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": names::ACCOUNT,
        "region": names::REGION,
        "resources": [format!("arn:aws:events:{}:{}:rule/sweep", names::REGION, names::ACCOUNT)],
        "detail": {},
    });
    Bytes::from(event.to_string())
}
