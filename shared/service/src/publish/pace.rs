//! How fast, how often and how long a publisher sends.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use crate::jitter::jittered;
use crate::variables::{VariableError, millis, optional};

/// What an operator sets of the publish path.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many requests to the sink are under way at once, and so how many subjects.
    pub concurrency: NonZeroUsize,
    /// How often an event is sent in one invocation; the next one goes on.
    pub attempts: u32,
    /// The pause before the second attempt, twice as long before each later one, up to `longest_pause`; jittered.
    pub first_pause: Duration,
    /// The longest pause between two attempts.
    pub longest_pause: Duration,
    /// The longest that one event may take, sink and mark together. With less time left no further one is begun: killed
    /// between both, it would be sent again.
    pub longest: Duration,
    /// After this many requests in a row that brought no verdict on any event the sink is taken for down.
    pub failures: u32,
    /// How long it is then left alone, before one request tries whether it is back.
    pub cool_down: Duration,
}

impl Pace {
    /// For a sink and a store whose calls take at most this long together.
    ///
    /// A sink that takes 50 ms an event gets 320 a second from each shard; three attempts bridge a sink's restart without
    /// using up an invocation; five failures in a row are more than one bad moment or one bad event makes; after five
    /// seconds a restarted sink is back, and a dead one costs a request in that time.
    #[must_use]
    pub const fn within(longest: Duration) -> Self {
        Self {
            concurrency: NonZeroUsize::MIN.saturating_add(15),
            attempts: 3,
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(2),
            longest,
            failures: 5,
            cool_down: Duration::from_secs(5),
        }
    }

    /// The same, with what `SINK_CONCURRENCY`, `SINK_ATTEMPTS` and `SINK_COOL_DOWN_MS` say.
    ///
    /// # Errors
    /// One of them is wrong.
    pub fn from_env(longest: Duration) -> Result<Self, VariableError> {
        let defaults = Self::within(longest);
        let number = "a number above 0";
        let attempts: Option<NonZeroU32> = optional("SINK_ATTEMPTS", number)?;
        Ok(Self {
            concurrency: optional("SINK_CONCURRENCY", number)?.unwrap_or(defaults.concurrency),
            attempts: attempts.map_or(defaults.attempts, NonZeroU32::get),
            cool_down: millis("SINK_COOL_DOWN_MS", defaults.cool_down)?,
            ..defaults
        })
    }

    /// The pause before an event that was sent `sends` times is sent once more, with `left` of the invocation; `None` if it
    /// is not.
    pub(super) fn pause(&self, sends: u32, left: Duration) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(sends.saturating_sub(1));
        let pause = self.first_pause.saturating_mul(doubled);
        let pause = jittered(pause.min(self.longest_pause));
        (sends < self.attempts && pause.saturating_add(self.longest) <= left).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(900);

    #[test]
    fn pauses_double_up_to_the_longest_and_end_with_the_attempts() {
        let pace = Pace {
            attempts: 9,
            ..Pace::within(Duration::ZERO)
        };
        for (sends, whole) in [(1, 100), (2, 200), (3, 400), (8, 2_000)] {
            let whole = Duration::from_millis(whole);
            let pause = pace.pause(sends, LONG);
            assert!(
                pause.is_some_and(|pause| (whole / 2..=whole).contains(&pause)),
                "{sends}: {pause:?}"
            );
        }
        assert_eq!(pace.pause(9, LONG), None);
    }

    #[test]
    fn a_pause_leaves_time_for_the_attempt_behind_it() {
        let longest = Duration::from_secs(10);
        let pace = Pace::within(longest);
        assert_eq!(pace.pause(1, longest), None);
        assert!(pace.pause(1, longest + pace.first_pause).is_some());
    }
}
