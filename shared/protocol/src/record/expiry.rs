//! How long things hold: leases, results, keys.

use std::time::Duration;

use super::carried::Carried;
use super::state::{Hold, Keep, State};
use crate::time::Timestamp;

/// What two clocks may differ by at most. Freeing a key subtracts it, TTL adds it (design.md §3, 7): so neither a fast
/// contender nor TTL deletion can end a key's life while somebody else's clock says that it still runs.
pub const EXPIRY_MARGIN: Duration = Duration::from_secs(300);

/// When a finished record stops answering, and when its key is free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// The result is replayed before this instant; from it on it is gone (half-open).
    pub result: Timestamp,
    /// The key is retired before this instant; it is free [`EXPIRY_MARGIN`] after it.
    pub key: Timestamp,
}

impl Expiry {
    /// From when the key is free, by every clock.
    #[must_use]
    pub fn free_from(&self) -> Timestamp {
        self.key.plus(EXPIRY_MARGIN)
    }
}

/// For how long a policy keeps what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Retention {
    /// The result, for replays.
    pub result: Duration,
    /// The key, against reuse; at least `result` plus [`EXPIRY_MARGIN`].
    pub key: Duration,
    /// The decision item; `None` is for ever.
    pub decision: Option<Duration>,
}

impl Retention {
    /// The expiries of a record that is written at `now`.
    #[must_use]
    pub fn from(&self, now: Timestamp) -> Expiry {
        let result = now.plus(self.result);
        Expiry {
            result,
            key: now.plus(self.key).max(result.plus(EXPIRY_MARGIN)),
        }
    }
}

/// An owner's exclusive time: how long the lease is, and what the policy's retention is.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The instant of the transition.
    pub now: Timestamp,
    /// Until when the owner holds the key.
    pub lease_until: Timestamp,
    /// The pinned policy's retention.
    pub retention: Retention,
}

impl Terms {
    /// Leased; a request that is carried stays.
    pub(super) fn processing(&self, carried: Option<&Carried>) -> State {
        let keep = carried.map_or_else(
            || Keep::Until(self.retention.from(self.now).key),
            |carried| Keep::Carrying(carried.clone()),
        );
        State::Processing {
            hold: Hold::Leased(self.lease_until),
            keep,
        }
    }
}
