//! What a running pump shows of itself.

use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::engine::EngineClock;

/// Where a pump is and what it has done since it was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PumpState {
    /// Sequence number of the last record that is done, passed over or given up.
    pub checkpoint: Option<String>,
    /// Age of the oldest record that is read and not done, in milliseconds; 0 when there is none. AWS's metric
    /// `IteratorAge`.
    pub iterator_age_ms: i64,
    /// Invocations that took place.
    pub invocations: u64,
    /// Records that are done.
    pub delivered: u64,
    /// Records that no filter let pass.
    pub filtered: u64,
    /// Invocations after which records had to be sent again or given up.
    pub failed_invocations: u64,
    /// Records that were given up.
    pub discarded: u64,
    /// Seconds of changes, at most, that the stream had trimmed before they were read.
    pub lost_seconds: u64,
    /// Why the stream cannot be read right now.
    pub trouble: Option<String>,
}

/// The pump's side: what it notes while it runs.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) shown: PumpState,
    /// When the oldest record that is not done was made, in Unix milliseconds.
    pub(super) oldest_ms: Option<i64>,
    /// The exact sum behind `lost_seconds`.
    pub(super) lost: Duration,
}

/// A running pump. Dropping it stops it.
#[derive(Debug)]
pub struct PumpHandle {
    pub(super) progress: watch::Receiver<Progress>,
    pub(super) clock: EngineClock,
    pub(super) task: JoinHandle<()>,
}

impl PumpHandle {
    /// The state right now.
    pub fn state(&self) -> PumpState {
        shown(&self.progress.borrow(), &self.clock)
    }

    /// A handle on the state that does not stop the pump when it is dropped.
    pub fn viewer(&self) -> impl Fn() -> PumpState + Clone + Send + Sync + 'static {
        let (progress, clock) = (self.progress.clone(), self.clock.clone());
        move || shown(&progress.borrow(), &clock)
    }

    /// Waits until the state is as asked and returns it. Returns the last state if the pump stops first.
    pub async fn wait_until(&self, mut reached: impl FnMut(&PumpState) -> bool) -> PumpState {
        let mut progress = self.progress.clone();
        let clock = &self.clock;
        match progress.wait_for(|p| reached(&shown(p, clock))).await {
            Ok(progress) => shown(&progress, clock),
            Err(_stopped) => self.state(),
        }
    }

    /// Stops the pump. A batch that is with the function right now is sent again after the next start.
    pub async fn stop(mut self) {
        self.task.abort();
        // It ends by being cancelled: nothing to learn from the result.
        let _ = (&mut self.task).await;
    }
}

impl Drop for PumpHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn shown(progress: &Progress, clock: &EngineClock) -> PumpState {
    let age = progress
        .oldest_ms
        .map_or(0, |oldest| clock.now_ms().saturating_sub(oldest));
    PumpState {
        iterator_age_ms: age.max(0),
        lost_seconds: whole_seconds(progress.lost),
        ..progress.shown.clone()
    }
}

/// Rounded up: a second that was lost in part is lost.
pub(super) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
