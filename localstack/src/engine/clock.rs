//! Time as the engine sees it: the real clock plus an offset that can be moved forward.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dynoxide::storage_backend::Clock;

use super::error::NotSteerable;

/// A shared handle to the engine's time. It keeps running; steering only adds to it.
#[derive(Debug, Clone)]
pub struct EngineClock {
    offset_ms: Arc<AtomicI64>,
    steerable: bool,
}

impl EngineClock {
    /// A clock that can be moved, showing `start_ms` (Unix milliseconds) now, or the real time.
    pub fn steerable(start_ms: Option<i64>) -> Self {
        let offset = start_ms.map_or(0, |start| start - real_ms());
        Self {
            offset_ms: Arc::new(AtomicI64::new(offset)),
            steerable: true,
        }
    }

    /// A clock that can be moved, ahead of the real time by so many milliseconds.
    pub fn ahead_by(offset_ms: i64) -> Self {
        Self {
            offset_ms: Arc::new(AtomicI64::new(offset_ms.clamp(0, FURTHEST_OFFSET_MS))),
            steerable: true,
        }
    }

    /// The real time, which cannot be moved.
    pub fn real() -> Self {
        Self {
            offset_ms: Arc::default(),
            steerable: false,
        }
    }

    /// Milliseconds since the Unix epoch.
    pub fn now_ms(&self) -> i64 {
        real_ms() + self.ahead_ms()
    }

    /// How far it is ahead of the real time, in milliseconds.
    pub fn ahead_ms(&self) -> i64 {
        self.offset_ms.load(Ordering::Relaxed)
    }

    /// Whether it can be moved.
    pub fn is_steerable(&self) -> bool {
        self.steerable
    }

    /// Moves the clock forward.
    ///
    /// # Errors
    /// [`NotSteerable`] for [`EngineClock::real`].
    pub fn advance(&self, by: Duration) -> Result<(), NotSteerable> {
        if !self.steerable {
            return Err(NotSteerable);
        }
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        // Saturating, so that no request can wrap time around.
        let _ = self
            .offset_ms
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |offset| {
                Some(offset.saturating_add(by).min(FURTHEST_OFFSET_MS))
            });
        Ok(())
    }

    /// Takes a move back.
    pub(crate) fn set_ahead(&self, offset_ms: i64) {
        self.offset_ms.store(offset_ms, Ordering::Relaxed);
    }

    pub(super) fn for_engine(&self) -> Arc<dyn Clock> {
        Arc::new(self.clone())
    }
}

/// A thousand years: far beyond any retention, and small enough that adding the real time cannot overflow.
const FURTHEST_OFFSET_MS: i64 = 1_000 * 366 * 24 * 3_600 * 1_000;

fn real_ms() -> i64 {
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

impl Clock for EngineClock {
    fn now_unix_secs(&self) -> u64 {
        u64::try_from(self.now_ms() / 1_000).unwrap_or_default()
    }

    fn now_unix_secs_f64(&self) -> f64 {
        Duration::from_millis(u64::try_from(self.now_ms()).unwrap_or_default()).as_secs_f64()
    }
}
