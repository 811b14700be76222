//! How long to wait before asking again.

use std::time::Duration;

use uuid::Uuid;

/// The longest `Retry-After` that is believed: nobody's patience is longer, and no sum of such pauses overflows.
const LONGEST_ASKED: Duration = Duration::from_secs(24 * 3_600);

/// Twice as long each time, jittered, and never shorter than the answer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Before the second attempt.
    pub first: Duration,
    /// At most, where no answer asks for more.
    pub longest: Duration,
    /// Where the randomness comes from.
    pub jitter: Jitter,
}

/// The randomness of pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jitter {
    /// The system's, fresh for each pause.
    #[default]
    System,
    /// Always this, from 0 (the shortest pause) to 255 (the longest): for simulations.
    Always(u8),
}

/// A decision takes milliseconds, and most of what stands in its way is gone within a second.
impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(100),
            longest: Duration::from_secs(20),
            jitter: Jitter::System,
        }
    }
}

impl Backoff {
    /// The pause after this many attempts, the last of which was answered with this `Retry-After`.
    #[must_use]
    pub fn pause(&self, attempts: u32, retry_after: Option<Duration>) -> Duration {
        let random = match self.jitter {
            Jitter::System => Uuid::new_v4().as_bytes()[0],
            Jitter::Always(random) => random,
        };
        self.pause_with(attempts, retry_after, random)
    }

    /// Between half of the pause and all of it, so that those who failed together do not come back together; behind a
    /// `Retry-After`, which they were told together, up to a quarter of it more.
    fn pause_with(&self, attempts: u32, retry_after: Option<Duration>, random: u8) -> Duration {
        let doubled = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let whole = self.first.saturating_mul(doubled);
        let whole = whole.min(self.longest).min(LONGEST_ASKED);
        let own = whole / 2 + share(whole / 2, random);
        match retry_after {
            Some(asked) => {
                let asked = asked.min(LONGEST_ASKED);
                own.max(asked + share(asked / 4, random))
            }
            None => own,
        }
    }
}

fn share(span: Duration, random: u8) -> Duration {
    span * u32::from(random) / 255
}

/// Reads a `Retry-After` (RFC 9110 §10.2.3): seconds, or an instant, of which it is now `now`.
#[must_use]
pub fn retry_after(value: &str, now: jiff::Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(then.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const BACKOFF: Backoff = Backoff {
        first: Duration::from_millis(100),
        longest: Duration::from_secs(2),
        jitter: Jitter::System,
    };

    fn millis(attempts: u32, retry_after: Option<u64>, random: u8) -> u128 {
        let asked = retry_after.map(Duration::from_secs);
        BACKOFF.pause_with(attempts, asked, random).as_millis()
    }

    #[test]
    fn pauses_double_up_to_the_longest_and_are_jittered_by_a_half() {
        assert_eq!((millis(1, None, 0), millis(1, None, 255)), (50, 100));
        assert_eq!((millis(3, None, 0), millis(3, None, 255)), (200, 400));
        assert_eq!((millis(99, None, 0), millis(99, None, 255)), (1_000, 2_000));
    }

    #[test]
    fn nobody_comes_back_before_the_answer_asks_for_it() {
        assert_eq!(
            (millis(1, Some(8), 0), millis(1, Some(8), 255)),
            (8_000, 10_000)
        );
        assert_eq!(millis(9, Some(0), 255), 2_000);
    }

    #[test]
    fn an_absurd_retry_after_is_a_day_and_no_panic() {
        let day = 24 * 3_600 * 1_000;
        for absurd in [1 << 40, 400_000_000_000_000_000, u64::MAX] {
            assert_eq!(millis(1, Some(absurd), 0), day);
            assert_eq!(millis(1, Some(absurd), 255), day + day / 4);
        }
        let forever = Backoff {
            first: Duration::MAX,
            longest: Duration::MAX,
            jitter: Jitter::System,
        };
        assert_eq!(forever.pause_with(99, None, 255).as_millis(), day);
    }

    #[test]
    fn retry_after_is_seconds_or_an_instant() {
        let now: jiff::Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
        let read = |value| retry_after(value, now);
        assert_eq!(read("30"), Some(Duration::from_secs(30)));
        assert_eq!(
            read("Tue, 01 Dec 2026 00:01:30 GMT"),
            Some(Duration::from_secs(90))
        );
        assert_eq!(read("Mon, 30 Nov 2026 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
    }
}
