//! The conditional writes, as data, with the executable form of each condition.
//!
//! There are three. An adapter turns each into one call and puts the expression beside the rule that it implements; the
//! in-memory store and the model checkers ask [`Reserve::permits`] and [`Transition::permits`] directly. A condition that
//! is not here does not exist.

use std::time::Duration;

use crate::decision::{DecisionItem, NaturalClaim};
use crate::ids::DecisionId;
use crate::outbox::OutboxRow;
use crate::record::{EXPIRY_MARGIN, Fence, Record, StateName};
use crate::time::{Timestamp, TtlSeconds};

/// Puts the first record of a key's life. One `PutItem`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reserve {
    /// The record, PROCESSING: in attempt 1, or queued in attempt 0.
    pub record: Record,
    /// A record whose key expired by then is as good as none: the writer's clock less [`EXPIRY_MARGIN`].
    pub vacant_before: Timestamp,
}

/// Moves a record from a state that was seen to the next. One `UpdateItem`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// What must still stand.
    pub expected: Seen,
    /// What stands afterwards.
    pub next: Record,
}

/// What a transition is conditional on: state, owner and attempt, always all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// The state.
    pub state: StateName,
    /// The owner and the attempt.
    pub fence: Fence,
    /// Whether a request is carried. The fence implies it: no write changes it without changing the fence or the state. It is
    /// here so that an adapter knows what a final state leaves behind.
    pub carries: bool,
}

/// Decision, operation record, events and claims: together or not at all. One `TransactWriteItems`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    /// PROCESSING by this owner → SUCCEEDED. Never "if absent": TTL may have deleted the record.
    pub operation: Transition,
    /// Must not exist.
    pub decision: DecisionItem,
    /// Must not exist, each.
    pub events: Vec<OutboxRow>,
    /// Absent or expired, each.
    pub claims: Vec<NaturalClaim>,
    /// A claim that expired by then is free: the writer's clock less [`EXPIRY_MARGIN`].
    pub vacant_before: Timestamp,
}

impl Seen {
    /// What `record` shows.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        Self {
            state: record.state.name(),
            fence: record.fence,
            carries: record.carried().is_some(),
        }
    }
}

impl Reserve {
    /// Absent, or its life ended by the writer's clock less the margin. A record that carries a request is never free.
    #[must_use]
    pub fn permits(&self, existing: Option<&Record>) -> bool {
        existing.is_none_or(|record| record.state.is_vacant(self.vacant_before))
    }
}

impl Transition {
    /// The very state, owner and attempt that were seen.
    #[must_use]
    pub fn permits(&self, existing: Option<&Record>) -> bool {
        existing.is_some_and(|record| Seen::of(record) == self.expected)
    }
}

impl Commit {
    /// The `ClientRequestToken`: one for an attempt's owner, so that a re-sent commit is the same request to DynamoDB
    /// (<https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>, 10 minutes) and a later
    /// attempt's is another. 22 characters.
    #[must_use]
    pub fn token(&self) -> String {
        self.operation.expected.fence.owner.encode()
    }

    /// Whether a claim may be taken: absent, or expired by the writer's clock less the margin. One that never expires stays.
    #[must_use]
    pub fn permits_claim(&self, existing: Option<&NaturalClaim>) -> bool {
        existing.is_none_or(|claim| {
            claim
                .expiry
                .is_some_and(|expiry| expiry <= self.vacant_before)
        })
    }

    /// How many items the transaction has; DynamoDB takes 100.
    #[must_use]
    pub fn items(&self) -> usize {
        2 + self.events.len() + self.claims.len()
    }
}

/// The instant before which an expired item is free for a writer whose clock says `now`.
#[must_use]
pub fn vacant_before(now: Timestamp) -> Timestamp {
    now.minus(EXPIRY_MARGIN)
}

/// The TTL of an operation record or a claim whose key expires at `expiry`.
#[must_use]
pub fn ttl_after(expiry: Timestamp) -> TtlSeconds {
    TtlSeconds::covering(expiry, EXPIRY_MARGIN)
}

/// The TTL of an item that nobody reuses: no margin is needed.
#[must_use]
pub fn ttl_at(instant: Timestamp) -> TtlSeconds {
    TtlSeconds::covering(instant, Duration::ZERO)
}

/// What a store found where a write or read pointed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Existing {
    /// Nothing.
    Absent,
    /// A record.
    Found(Box<Record>),
    /// Something that this code cannot read; it is never written to.
    Unreadable(Unreadable),
}

/// Why a stored item cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unreadable {
    /// Written by a newer version of this code.
    Newer {
        /// Its layout version.
        version: u32,
    },
    /// Not what any version writes; the attribute that is wrong is named, never its value.
    Corrupt {
        /// For the log and the alarm.
        attribute: String,
    },
}

/// What the store said to a write. Three-valued: applied, not applied, unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Answer {
    /// It is durable.
    Applied,
    /// The condition was false; this stands there. A fact, not a verdict: [`crate::classify`] says what it means.
    Refused(Existing),
    /// A commit only: something other than the operation record stood in the way.
    Blocked(Blocked),
    /// It had no effect, for certain, for a reason that is not its condition.
    NotApplied(NotApplied),
    /// It may or may not have an effect, now or later.
    Unknown,
}

/// What blocked a commit whose operation record was as expected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Blocked {
    /// The natural key belongs to this decision.
    ClaimTaken(DecisionId),
    /// A decision or event of this id exists without the operation record saying so. Cannot happen; alarms.
    Corrupt,
}

/// Why a write had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotApplied {
    /// Another transaction was at one of the items. Says nothing about what stands there.
    Conflict,
    /// Throttled, or the store refused to work on it.
    Unavailable,
    /// The request itself is wrong (a missing table, no permission, too large): retrying the same cannot help.
    Rejected,
}
