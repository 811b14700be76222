//! Simulated time: tokio's paused clock, as each worker's own clock shows it.

use std::time::Duration;

use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::Clock;
use decide_once_tests::fixtures::START;
use tokio::time::Instant;

/// A worker's clock: ahead of true time, or behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulatedClock {
    begun: Instant,
    ahead_ms: i64,
}

impl SimulatedClock {
    /// True time, which begins now.
    pub(crate) fn begins() -> Self {
        Self {
            begun: Instant::now(),
            ahead_ms: 0,
        }
    }

    /// A clock that is off by as much.
    pub(crate) const fn off_by(self, ahead_ms: i64) -> Self {
        Self { ahead_ms, ..self }
    }

    /// Since the beginning, in true time.
    pub(crate) fn elapsed(self) -> Duration {
        self.begun.elapsed()
    }

    /// The instant after so long, in true time.
    pub(crate) fn after(self, span: Duration) -> Instant {
        self.begun + span
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(START + elapsed + self.ahead_ms).unwrap_or(Timestamp::EPOCH)
    }
}
