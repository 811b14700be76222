//! For how long a mark tells a duplicate.

use std::time::Duration;

use crate::time::Timestamp;

const DAY: u64 = 86_400;

/// For how long a consumer knows what it has done. A duplicate that comes later would be taken for new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkRetention(Duration);

/// Duplicates can come when their marks are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "marks are kept for {} h, and a redrive may hand in an event that was handled {} h ago: it would have its effect twice; \
     keep marks for longer, or name the longest redrive that there really is",
    kept.as_secs() / 3_600,
    redrive.as_secs() / 3_600
)]
pub struct TooShort {
    /// For how long marks were to be kept.
    pub kept: Duration,
    /// How old a duplicate can be.
    pub redrive: Duration,
}

impl MarkRetention {
    /// 28 days. A message of SQS lives for 14 at most, its time in a dead-letter queue included, and one that is redriven from there is a new
    /// one (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html>): so
    /// this is one whole life, and another one after a redrive.
    pub const DEFAULT: Self = Self(Duration::from_secs(28 * DAY));

    /// 14 days: as long as a message of SQS can wait in a dead-letter queue before somebody hands it in again.
    pub const LONGEST_REDRIVE: Duration = Duration::from_secs(14 * DAY);

    /// Marks that are kept for `kept`, where a duplicate may come up to `redrive` after the event was handled.
    ///
    /// # Errors
    /// The marks would be gone by then.
    pub const fn new(kept: Duration, redrive: Duration) -> Result<Self, TooShort> {
        if kept.as_secs() < redrive.as_secs() {
            Err(TooShort { kept, redrive })
        } else {
            Ok(Self(kept))
        }
    }

    /// For how long.
    #[must_use]
    pub const fn kept(self) -> Duration {
        self.0
    }

    /// Until when an event that is done at `now` is remembered.
    #[must_use]
    pub fn until(self, now: Timestamp) -> Timestamp {
        now.plus(self.0)
    }

    /// Whether an event that came into being at `time` would still have its mark at `now`, if it was ever handled. If it would not, nobody can
    /// tell whether it was: an archive's replay of a year is refused, never applied twice.
    #[must_use]
    pub fn covers(self, time: Timestamp, now: Timestamp) -> bool {
        now < time.plus(self.0)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::inbox::MarkState;

    const fn days(days: u64) -> Duration {
        Duration::from_secs(days * DAY)
    }

    #[test]
    fn k03_a_retention_shorter_than_the_longest_redrive_is_refused() {
        let refused = MarkRetention::new(days(7), MarkRetention::LONGEST_REDRIVE).unwrap_err();
        let text = refused.to_string();
        assert!(text.contains("168 h") && text.contains("336 h"), "{text}");
        assert!(MarkRetention::new(days(14), MarkRetention::LONGEST_REDRIVE).is_ok());
        assert_eq!(
            MarkRetention::new(days(28), days(28)),
            Ok(MarkRetention::DEFAULT)
        );
    }

    /// Whatever is covered, and was done when it came into being or later, has a mark that is not vacant; also where two
    /// clocks differ by as much as they may.
    #[test]
    fn what_is_covered_still_has_its_mark() {
        let skew = 300_000;
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let kept = MarkRetention::DEFAULT;
        let time = 1_796_083_200_000;
        let end = time + 28 * 86_400_000;
        for done in [time - skew, time, time + 86_400_000] {
            let until = kept.until(at(done));
            for now in [time, end - 1, end, end + 1] {
                let vacant = MarkState::Done { until }.is_vacant(at(now));
                assert!(!(kept.covers(at(time), at(now)) && vacant), "{done} {now}");
            }
        }
        assert!(kept.covers(at(time), at(end - 1)) && !kept.covers(at(time), at(end)));
    }
}
