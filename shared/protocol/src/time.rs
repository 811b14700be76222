//! Time as the protocol sees it: two units, two types, and never a clock.
//!
//! Leases and expiries are epoch **milliseconds** ([`Timestamp`]); the attribute that DynamoDB's TTL reads is epoch
//! **seconds** ([`TtlSeconds`], <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html>). A rival's
//! branch that compared one with the other could never fire; here it does not compile.

use std::time::Duration;

/// An instant in milliseconds since the Unix epoch. Always an argument: this crate reads no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The last representable instant, 9999-12-31T23:59:59.999Z (RFC 3339 has no five-digit years).
const LATEST: i64 = 253_402_300_799_999;

/// No lease or expiry lies further ahead than the longest retention that a policy may have. What does is a unit
/// mistake (seconds read as milliseconds are 50,000 years ahead), and is treated as corrupt, never as a long lease.
pub const PLAUSIBLE_AHEAD: Duration = Duration::from_secs(10 * 366 * 86_400);

impl Timestamp {
    /// The Unix epoch.
    pub const EPOCH: Self = Self(0);

    /// Reads milliseconds since the epoch; `None` outside 1970 to 9999.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Option<Self> {
        if millis < 0 || millis > LATEST {
            None
        } else {
            Some(Self(millis))
        }
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This instant and `span` later, at most the year 9999.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(LATEST);
        Self(self.0.saturating_add(millis).min(LATEST))
    }

    /// This instant and `span` earlier, at least the epoch.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(LATEST);
        Self(self.0.saturating_sub(millis).max(0))
    }

    /// How long it is from this instant until `later`; zero if that is past.
    #[must_use]
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }

    /// Whether a lease or expiry at this instant can have been meant by somebody whose clock says `now`.
    #[must_use]
    pub fn is_plausible_at(self, now: Self) -> bool {
        self <= now.plus(PLAUSIBLE_AHEAD)
    }

    /// RFC 3339 in UTC with the precision that it has: `2026-12-01T00:00:00Z`, `2026-12-01T00:00:00.25Z`.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        jiff::Timestamp::from_millisecond(self.0).map_or_else(|_| String::new(), |t| t.to_string())
    }

    /// RFC 3339 in UTC with milliseconds always, so that a list sorted as text is in order of time:
    /// `2026-12-01T00:00:00.000Z`.
    #[must_use]
    pub fn to_rfc3339_millis(self) -> String {
        jiff::Timestamp::from_millisecond(self.0)
            .map_or_else(|_| String::new(), |t| format!("{t:.3}"))
    }
}

/// What a TTL attribute holds: seconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TtlSeconds(i64);

impl TtlSeconds {
    /// The TTL of an item that must stay until `expiry` by everybody's clock: rounded up, plus the margin.
    #[must_use]
    pub fn covering(expiry: Timestamp, margin: Duration) -> Self {
        let millis = expiry.plus(margin).as_millis();
        Self(millis / 1000 + i64::from(millis % 1000 != 0))
    }

    /// Seconds since the epoch.
    #[must_use]
    pub const fn as_secs(self) -> i64 {
        self.0
    }

    /// Whether DynamoDB may delete the item at `now`.
    #[must_use]
    pub fn allows_deletion_at(self, now: Timestamp) -> bool {
        self.0.saturating_mul(1000) <= now.as_millis()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn ttl_is_in_seconds_rounded_up_and_never_before_the_expiry() {
        let t = |ms| Timestamp::from_millis(ms).unwrap();
        assert_eq!(
            TtlSeconds::covering(t(1_796_083_200_000), Duration::ZERO).as_secs(),
            1_796_083_200
        );
        assert_eq!(
            TtlSeconds::covering(t(1_796_083_200_001), Duration::ZERO).as_secs(),
            1_796_083_201
        );
        assert_eq!(
            TtlSeconds::covering(t(1_796_083_200_001), Duration::from_secs(300)).as_secs(),
            1_796_083_501
        );
        assert!(!TtlSeconds::covering(t(1_001), Duration::ZERO).allows_deletion_at(t(1_999)));
        assert!(TtlSeconds::covering(t(1_001), Duration::ZERO).allows_deletion_at(t(2_000)));
    }

    #[test]
    fn n08_milliseconds_read_as_seconds_are_implausible() {
        let now = Timestamp::from_millis(1_796_083_200_000).unwrap();
        let written_in_the_wrong_unit = now.as_millis() * 1000;
        assert!(Timestamp::from_millis(written_in_the_wrong_unit).is_none());
        assert!(now.plus(Duration::from_secs(30)).is_plausible_at(now));
        assert!(
            !now.plus(PLAUSIBLE_AHEAD + Duration::from_millis(1))
                .is_plausible_at(now)
        );
    }

    #[test]
    fn rfc3339_is_utc_with_the_precision_it_has() {
        assert_eq!(
            Timestamp::from_millis(1_796_083_200_000)
                .unwrap()
                .to_rfc3339(),
            "2026-12-01T00:00:00Z"
        );
        assert_eq!(
            Timestamp::from_millis(1_796_083_200_250)
                .unwrap()
                .to_rfc3339(),
            "2026-12-01T00:00:00.25Z"
        );
    }

    /// `…42.11Z` is before `…42.115Z`, and as text after it.
    #[test]
    fn rfc3339_with_milliseconds_sorts_as_text_as_the_instants_do() {
        let told = [1_796_114_862_000, 1_796_114_862_110, 1_796_114_862_115]
            .map(|millis| Timestamp::from_millis(millis).unwrap().to_rfc3339_millis());
        let expected =
            ["42.000Z", "42.110Z", "42.115Z"].map(|end| format!("2026-12-01T08:47:{end}"));
        assert_eq!(told, expected);
        assert!(told.is_sorted());
    }
}
