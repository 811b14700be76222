//! One place for a process of a function: whatever happens to the process, another takes its place until the stack stops.

use std::{io, process::ExitStatus, sync::Arc, time::Duration};

use tokio::sync::watch::{self, error::SendError};

use super::{
    Environment,
    backoff::Backoff,
    spawn::{self, Running},
    status::Statuses,
    supervisor::StartFailure,
};
use crate::runtime_api::{Functions, Registration};

/// How long a process may take to exit once its stdin is closed, before it is killed.
const EXIT_LIMIT: Duration = Duration::from_secs(2);

/// What a slot works with.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) function: &'static str,
    pub(super) index: usize,
    /// How far the processes' clocks are ahead, in milliseconds.
    pub(super) ahead_ms: i64,
    pub(super) functions: Arc<Functions>,
    pub(super) environment: Arc<Environment>,
    pub(super) statuses: Statuses,
    /// Where to tell of a process that did not get as far as to ask for work.
    pub(super) start_failure: watch::Sender<Option<StartFailure>>,
    pub(super) stop: watch::Receiver<bool>,
}

enum Ended {
    Exited(io::Result<ExitStatus>),
    TimedOut,
    Stopped,
}

impl Slot {
    /// Runs process after process, until the stop.
    pub(super) async fn run(mut self) {
        let mut backoff = Backoff::default();
        loop {
            // A slot exists only for a function that the Runtime API knows.
            let Ok(registration) = self.functions.register(self.function) else {
                return;
            };
            let variables =
                self.environment
                    .variables(self.function, registration.id(), self.ahead_ms);
            let ended = match spawn::spawn(self.function, registration.id(), variables) {
                Ok(running) => self.watch(running, &registration).await,
                Err(error) => Ended::Exited(Err(error)),
            };
            let worked = registration.asked_for_work();
            match ended {
                Ended::Stopped => return,
                Ended::Exited(how) => self.report(&registration, how, worked),
                Ended::TimedOut => {}
            }
            drop(registration); // the call that the process worked on fails now
            tokio::select! {
                () = tokio::time::sleep(backoff.after_exit(worked)) => {}
                () = stopped(&mut self.stop) => return,
            }
        }
    }

    async fn watch(&mut self, running: Running, registration: &Registration) -> Ended {
        let Running { mut child, stdin } = running;
        self.statuses.started(self.function, self.index, child.id());
        tokio::select! {
            status = child.wait() => Ended::Exited(status),
            () = registration.killed() => {
                tracing::warn!(function = self.function, instance = registration.id().0, "killed at its timeout");
                // Fails only for a process that is gone already.
                let _ = child.kill().await;
                Ended::TimedOut
            }
            () = stopped(&mut self.stop) => {
                drop(stdin);
                if tokio::time::timeout(EXIT_LIMIT, child.wait()).await.is_err() {
                    let _ = child.kill().await;
                }
                Ended::Stopped
            }
        }
    }

    fn report(&self, registration: &Registration, how: io::Result<ExitStatus>, worked: bool) {
        let how = match how {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        if worked {
            tracing::warn!(
                function = self.function,
                instance = registration.id().0,
                "the process died ({how}); another takes its place"
            );
            return;
        }
        let failure = StartFailure {
            function: self.function,
            reason: registration.init_error().unwrap_or(how),
        };
        // Before the stack is ready somebody listens and ends it with this reason.
        if let Err(SendError(Some(failure))) = self.start_failure.send(Some(failure)) {
            tracing::error!("{failure}");
        }
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    // A supervisor that was dropped wants an end as well.
    let _ = stop.wait_for(|stop| *stop).await;
}
