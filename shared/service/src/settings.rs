//! What an operator sets.

use std::str::FromStr;
use std::time::Duration;

use decide_once_protocol::envelope::EventLimit;
use decide_once_protocol::time::Timestamp;

use crate::destination::event_limit;
use crate::limits::Rate;
use crate::variables::{Malformed, NUMBER, VariableError, millis, optional};

/// The lease's margin: how long after its owner's last instant others still leave a key alone. Clocks of Lambda hosts are
/// disciplined to well below this.
pub const LEASE_MARGIN: Duration = Duration::from_secs(1);

/// The shortest lease. A shorter one would be taken over while its owner's first write is still under way.
pub const LEASE_FLOOR: Duration = Duration::from_secs(2);

/// With less time than this left a call is not begun: a reservation that cannot be finished only makes the retry wait.
pub const SHORTEST_CALL: Duration = Duration::from_millis(250);

/// What is kept of an invocation for its answer: a call to the store that is not back by then is given up, its outcome
/// unknown. Lambda kills what takes longer, and the caller would get an answer that advises nothing.
pub const TIME_TO_ANSWER: Duration = Duration::from_millis(100);

/// A client that mixes up its keys is noticed long before this, a batch that does so a few times is not stopped.
pub const MISMATCH_BUDGET: u32 = 100;

/// A stream hands on a queued operation within a second; one that is still there after this was missed.
pub const QUEUE_PATIENCE: Duration = Duration::from_secs(10);

/// Settings of the decide path.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The longest lease before its margin, however much time the invocation has left.
    pub lease_cap: Duration,
    /// How long a competing caller waits for the owner before it is answered 202. Zero is not at all.
    pub default_wait: Duration,
    /// How long after its reservation a caller leaves a queued operation to those who look after the queue; then its POST
    /// takes it over. The answer tells it to come back until then.
    pub queue_patience: Duration,
    /// The CloudEvents source; the tenant is added.
    pub event_source: String,
    /// How large an event may be, so that it can be delivered.
    pub event_limit: EventLimit,
    /// How many mismatches a tenant may cause in a minute; zero is as many as it likes.
    pub mismatch_budget: u32,
    /// How many calls an instance takes; all of them, if there is none.
    pub rate: Option<Rate>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease_cap: Duration::from_secs(29),
            default_wait: Duration::from_millis(200),
            queue_patience: QUEUE_PATIENCE,
            event_source: "urn:decide-once".to_owned(),
            event_limit: EventLimit::default(),
            mismatch_budget: MISMATCH_BUDGET,
            rate: None,
        }
    }
}

impl Settings {
    /// The settings of this process: `LEASE_CAP_MS`, `DEFAULT_WAIT_MS`, `QUEUE_PATIENCE_MS`, `EVENT_SOURCE` and `MISMATCH_BUDGET` (a tenant
    /// and minute; 0 is none) each have a default; `EVENT_LIMIT_BYTES` has that of the `SINK` which the publish function is
    /// given; `RATE_PER_SECOND` and `RATE_BURST` (an instance; the burst is twice the rate by default) are off without. Every
    /// function that decides is given the same.
    ///
    /// # Errors
    /// One of them is set to something else than it should be.
    pub fn from_env() -> Result<Self, VariableError> {
        let defaults = Self::default();
        Ok(Self {
            lease_cap: millis("LEASE_CAP_MS", defaults.lease_cap)?,
            default_wait: millis("DEFAULT_WAIT_MS", defaults.default_wait)?,
            queue_patience: millis("QUEUE_PATIENCE_MS", defaults.queue_patience)?,
            mismatch_budget: optional("MISMATCH_BUDGET", NUMBER)?
                .unwrap_or(defaults.mismatch_budget),
            rate: rate()?,
            event_source: event_source()?.unwrap_or(defaults.event_source),
            event_limit: event_limit()?,
        })
    }

    /// The lease of a claim made at `now` in an invocation that ends at `deadline`: the remaining time, capped, with the
    /// margin, and at least the floor. No time left is a value like any other.
    #[must_use]
    pub fn lease_until(&self, now: Timestamp, deadline: Timestamp) -> Timestamp {
        let remaining = now.until(deadline).min(self.lease_cap);
        now.plus((remaining + LEASE_MARGIN).max(LEASE_FLOOR))
    }
}

/// `EVENT_SOURCE`: what CloudEvents has as a source
/// (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md#source-1>).
fn event_source() -> Result<Option<String>, VariableError> {
    let wanted = "a URI reference, as urn:example:decisions";
    let source: Option<UriReference> = optional("EVENT_SOURCE", wanted)?;
    Ok(source.map(|UriReference(source)| source))
}

/// Not empty, and of the characters of RFC 3986 §2.
struct UriReference(String);

impl FromStr for UriReference {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let belongs = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
        if text.is_empty() || !text.chars().all(belongs) {
            return Err(Malformed);
        }
        Ok(Self(text.to_owned()))
    }
}

fn rate() -> Result<Option<Rate>, VariableError> {
    let burst: Option<u32> = optional("RATE_BURST", NUMBER)?;
    let per_second: Option<u32> = optional("RATE_PER_SECOND", NUMBER)?;
    Ok(per_second.map(|per_second| Rate {
        per_second,
        burst: burst.unwrap_or_else(|| per_second.saturating_mul(2)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a15_no_time_left_is_a_value_and_leases_to_the_floor() {
        let now = Timestamp::EPOCH.plus(Duration::from_secs(1_000_000));
        let settings = Settings::default();
        assert_eq!(settings.lease_until(now, now), now.plus(LEASE_FLOOR));
        let earlier = now.minus(Duration::from_secs(5));
        assert_eq!(settings.lease_until(now, earlier), now.plus(LEASE_FLOOR));
    }

    #[test]
    fn a06_a_lease_exists_however_far_the_deadline_is() {
        let now = Timestamp::EPOCH.plus(Duration::from_secs(1_000_000));
        let far = now.plus(Duration::from_secs(86_400));
        let lease = Settings::default().lease_until(now, far);
        assert_eq!(now.until(lease), Duration::from_secs(30));
    }
}
