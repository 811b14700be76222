//! A token bucket: so many calls a second, and so many at once after a quiet while.

use std::sync::{Mutex, PoisonError};

use decide_once_protocol::time::Timestamp;

/// How many calls an instance takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// In a second, over time.
    pub per_second: u32,
    /// At once.
    pub burst: u32,
}

/// The bucket of one instance.
#[derive(Debug, Default)]
pub(crate) struct TokenBucket(Mutex<Option<Level>>);

#[derive(Clone, Copy, Debug)]
struct Level {
    /// In thousandths of a token, so that a millisecond of a slow rate is not lost.
    thousandths: u64,
    at: Timestamp,
}

impl TokenBucket {
    /// Takes a token, if there is one.
    pub(crate) fn take(&self, rate: Rate, now: Timestamp) -> bool {
        let mut level = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = u64::from(rate.burst) * 1000;
        let filled = level.map_or(full, |level| {
            let millis = u64::try_from(level.at.until(now).as_millis()).unwrap_or(u64::MAX);
            // A token a second is a thousandth a millisecond.
            let fresh = millis.saturating_mul(u64::from(rate.per_second));
            level.thousandths.saturating_add(fresh).min(full)
        });
        let taken = filled.checked_sub(1000);
        *level = Some(Level {
            thousandths: taken.unwrap_or(filled),
            at: now,
        });
        taken.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_is_taken_at_once_and_then_the_rate() {
        let rate = Rate {
            per_second: 2,
            burst: 3,
        };
        let bucket = TokenBucket::default();
        let mut now = Timestamp::EPOCH.plus(Duration::from_secs(1_000));
        let mut taken = |after: u64| {
            now = now.plus(Duration::from_millis(after));
            bucket.take(rate, now)
        };
        assert!(taken(0) && taken(0) && taken(0) && !taken(0));
        assert!(!taken(499) && taken(1) && !taken(0));
        assert!(
            taken(60_000) && taken(0) && taken(0) && !taken(0),
            "never more than the burst"
        );
    }

    #[test]
    fn a_clock_that_goes_back_fills_nothing() {
        let rate = Rate {
            per_second: 1,
            burst: 1,
        };
        let bucket = TokenBucket::default();
        let now = Timestamp::EPOCH.plus(Duration::from_secs(1_000));
        assert!(bucket.take(rate, now));
        assert!(!bucket.take(rate, now.minus(Duration::from_secs(9))));
    }
}
