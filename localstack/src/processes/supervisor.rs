//! All slots of all functions.

use std::sync::Arc;

use tokio::{sync::watch, task::JoinSet};

use super::{Environment, ProcessStatus, slot::Slot, status::Statuses};
use crate::runtime_api::Functions;

/// A process ended before it had asked for work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the function {function} does not start: {reason}")]
pub struct StartFailure {
    /// The function.
    pub function: &'static str,
    /// What the process reported, or how it ended.
    pub reason: String,
}

/// The processes of a stack. [`shutdown`](Self::shutdown) ends them in order; a drop kills them.
#[derive(Debug)]
pub struct Supervisor {
    slots: JoinSet<()>,
    statuses: Statuses,
    start_failure: watch::Sender<Option<StartFailure>>,
    /// While somebody listens to start failures, they are not logged.
    listening: Option<watch::Receiver<Option<StartFailure>>>,
    stop: watch::Sender<bool>,
    functions: Arc<Functions>,
    environment: Arc<Environment>,
}

impl Supervisor {
    /// No process yet.
    pub fn new(functions: Arc<Functions>, environment: Environment) -> Self {
        let (start_failure, listening) = watch::channel(None);
        Self {
            slots: JoinSet::new(),
            statuses: Statuses::default(),
            start_failure,
            listening: Some(listening),
            stop: watch::Sender::new(false),
            functions,
            environment: Arc::new(environment),
        }
    }

    /// Keeps one more process of `function` running, from now on; its clock is ahead by `ahead_ms` milliseconds.
    pub fn add(&mut self, function: &'static str, ahead_ms: i64) {
        let slot = Slot {
            function,
            index: self.slots.len(),
            ahead_ms,
            functions: Arc::clone(&self.functions),
            environment: Arc::clone(&self.environment),
            statuses: self.statuses.clone(),
            start_failure: self.start_failure.clone(),
            stop: self.stop.subscribe(),
        };
        self.slots.spawn(slot.run());
    }

    /// Resolves with the first process that could not start, if there ever is one before [`settled`](Self::settled).
    pub async fn start_failure(&mut self) -> StartFailure {
        if let Some(failures) = &mut self.listening {
            // The sender lives as long as `self`.
            if let Ok(failure) = failures.wait_for(Option::is_some).await
                && let Some(failure) = failure.clone()
            {
                return failure;
            }
        }
        std::future::pending().await
    }

    /// From now on a process that cannot start is logged: somebody may be repairing the cause, and the slot goes on trying.
    pub fn settled(&mut self) {
        self.listening = None;
    }

    /// A handle on what runs.
    pub fn statuses(&self) -> impl Fn() -> Vec<ProcessStatus> + Clone + Send + Sync + 'static {
        let statuses = self.statuses.clone();
        move || statuses.list()
    }

    /// Ends all processes. Once this returns none is left.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        while self.slots.join_next().await.is_some() {}
    }
}
