//! The conditional writes of marks, as data, with the executable form of each condition.
//!
//! | write | condition | then |
//! |---|---|---|
//! | [`Claim`] | absent, or vacant by the writer's clock | claimed |
//! | [`Finish`] | claimed by this owner | done |
//! | [`Release`] | claimed by this owner | absent |
//! | [`Keep`], with the effect | absent, or vacant by the writer's clock | done |

use super::mark::{Mark, MarkId, MarkState};
use crate::ids::OwnerToken;
use crate::time::Timestamp;
use crate::writes::{NotApplied, Unreadable};

/// Claims an event, before its effect. One `PutItem`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Of which event.
    pub id: MarkId,
    /// Fresh.
    pub owner: OwnerToken,
    /// Until when the effect may take.
    pub lapses: Timestamp,
    /// The writer's clock.
    pub now: Timestamp,
}

/// Records that the effect has happened. One `UpdateItem`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finish {
    /// Of which event.
    pub id: MarkId,
    /// Whose claim it is.
    pub owner: OwnerToken,
    /// Until when it is remembered.
    pub until: Timestamp,
}

/// Gives a claim back: the effect has not happened. One `DeleteItem`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Release {
    /// Of which event.
    pub id: MarkId,
    /// Whose claim it is.
    pub owner: OwnerToken,
}

/// Records that the effect has happened, in the very transaction in which it does. One item of a `TransactWriteItems`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Keep {
    /// Of which event.
    pub id: MarkId,
    /// Until when it is remembered.
    pub until: Timestamp,
    /// The writer's clock.
    pub now: Timestamp,
    /// Fresh for every transaction, the same whenever it is sent again.
    pub token: OwnerToken,
}

/// Who may work on an event: everybody, if nobody has it.
fn is_vacant(existing: Option<&Mark>, now: Timestamp) -> bool {
    existing.is_none_or(|mark| mark.state.is_vacant(now))
}

fn is_of(existing: Option<&Mark>, owner: OwnerToken) -> bool {
    existing.is_some_and(
        |mark| matches!(mark.state, MarkState::Claimed { owner: theirs, .. } if theirs == owner),
    )
}

impl Claim {
    /// Absent, lapsed, or ended by everybody's clock.
    #[must_use]
    pub fn permits(&self, existing: Option<&Mark>) -> bool {
        is_vacant(existing, self.now)
    }

    /// What stands there then.
    #[must_use]
    pub fn mark(&self) -> Mark {
        let state = MarkState::Claimed {
            owner: self.owner,
            lapses: self.lapses,
        };
        Mark {
            id: self.id.clone(),
            state,
        }
    }
}

impl Finish {
    /// Claimed, by this owner. Never "absent": a claim that is gone was taken over, or given back.
    #[must_use]
    pub fn permits(&self, existing: Option<&Mark>) -> bool {
        is_of(existing, self.owner)
    }

    /// What stands there then.
    #[must_use]
    pub fn mark(&self) -> Mark {
        done(&self.id, self.until)
    }
}

impl Release {
    /// Claimed, by this owner.
    #[must_use]
    pub fn permits(&self, existing: Option<&Mark>) -> bool {
        is_of(existing, self.owner)
    }
}

impl Keep {
    /// Absent, lapsed, or ended by everybody's clock.
    #[must_use]
    pub fn permits(&self, existing: Option<&Mark>) -> bool {
        is_vacant(existing, self.now)
    }

    /// What stands there then.
    #[must_use]
    pub fn mark(&self) -> Mark {
        done(&self.id, self.until)
    }
}

fn done(id: &MarkId, until: Timestamp) -> Mark {
    Mark {
        id: id.clone(),
        state: MarkState::Done { until },
    }
}

/// What stands where a mark would.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FoundMark {
    /// Nothing.
    Absent,
    /// A mark.
    Mark(Mark),
    /// Something that this code cannot read; it is never written to.
    Unreadable(Unreadable),
}

/// What a store said to a write of a mark. Three-valued: applied, not applied, unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum MarkAnswer {
    /// It is durable.
    Applied,
    /// The condition was false; this stands there.
    Refused(FoundMark),
    /// It had no effect, for certain, for a reason that is not its condition.
    NotApplied(NotApplied),
    /// It may or may not have an effect, now or later.
    Unknown,
}

/// What a store said to an effect with its mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Together {
    /// Both are durable.
    Applied,
    /// Neither is: this stands where the mark would.
    MarkRefused(FoundMark),
    /// Neither is: a condition of the effect itself was false.
    EffectRefused,
    /// Neither is, for certain, for a reason that is no condition.
    NotApplied(NotApplied),
    /// Both may be, now or later.
    Unknown,
}
