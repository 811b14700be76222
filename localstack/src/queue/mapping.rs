//! A mapping from a queue to a function: one batch at a time, as a function with one process takes them.

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use tokio::{sync::watch, task::JoinHandle};

use super::{Delivered, Queue, event};
use crate::runtime_api::{InvokeError, Invoker};

/// A mapping that runs. Dropping it stops it.
#[derive(Debug)]
pub struct QueueMapping {
    state: watch::Receiver<MappingState>,
    task: JoinHandle<()>,
}

/// What a mapping has done since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MappingState {
    /// Batches that a function got.
    pub invocations: u64,
    /// Batches whose function died, failed or timed out.
    pub failed_invocations: u64,
    /// Messages that are done.
    pub done: u64,
    /// Messages that the function's answer says have failed.
    pub failed: u64,
}

impl QueueMapping {
    /// Starts to feed `function` from `queue`, in batches of `batch_size`. `patience` is how long a batch waits for a process and its answer.
    pub fn start(
        queue: Arc<Queue>,
        invoker: Invoker,
        function: &'static str,
        batch_size: usize,
        patience: Duration,
    ) -> Self {
        let (shown, state) = watch::channel(MappingState::default());
        let feed = async move {
            loop {
                let batch = queue.receive(batch_size);
                if batch.is_empty() {
                    queue.arrival().await;
                    continue;
                }
                let event = event::of(queue.name(), &batch);
                let answer = invoker.invoke(function, event, patience).await;
                shown.send_modify(|shown| settle(&queue, &batch, answer, function, shown));
            }
        };
        Self {
            state,
            task: tokio::spawn(feed),
        }
    }

    /// A handle on the state that does not stop the mapping when it is dropped.
    pub fn viewer(&self) -> impl Fn() -> MappingState + Clone + Send + Sync + 'static {
        let state = self.state.clone();
        move || *state.borrow()
    }

    /// Stops it. A batch that is with the function right now becomes visible again after its timeout.
    pub async fn stop(mut self) {
        self.task.abort();
        // It ends by being cancelled: nothing to learn from the result.
        let _ = (&mut self.task).await;
    }
}

impl Drop for QueueMapping {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What is done is deleted; the rest becomes visible again by itself.
fn settle(
    queue: &Queue,
    batch: &[Delivered],
    answer: Result<axum::body::Bytes, InvokeError>,
    function: &str,
    shown: &mut MappingState,
) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error @ (InvokeError::Throttled | InvokeError::UnknownFunction)) => {
            tracing::warn!("a batch of {function} was not taken: {error}");
            for delivered in batch {
                queue.put_back(&delivered.receipt);
            }
            return;
        }
        Err(error) => {
            tracing::warn!("a batch of {function} failed: {error}");
            shown.invocations += 1;
            shown.failed_invocations += 1;
            return;
        }
    };
    shown.invocations += 1;
    let failed = event::failed(&answer, batch);
    for delivered in batch {
        let has_failed = failed
            .as_ref()
            .is_none_or(|failed| failed.contains(&delivered.message.id));
        if has_failed {
            shown.failed += 1;
        } else {
            queue.delete(&delivered.receipt);
            shown.done += 1;
        }
    }
}
