//! The way of one event through its consumer: a driver does what is asked, and hands back what it was told.
//!
//! Permission is a value: [`Granted`] has no public constructor and is not `Clone`. Only who holds it may have the effect, and only it
//! makes the write that says "done".

use super::mark::{Mark, MarkState};
use super::writes::{Claim, Finish, FoundMark, Keep, MarkAnswer, Release, Together};
use super::{MarkId, MarkRetention};
use crate::ids::OwnerToken;
use crate::time::Timestamp;
use crate::writes::{NotApplied, Unreadable};

/// The permission to have an effect, until the claim lapses.
///
/// It ends with the one write that it allows:
///
/// ```
/// use decide_once_protocol::inbox::{Finish, Granted, MarkRetention};
/// use decide_once_protocol::time::Timestamp;
///
/// fn end(granted: Granted, now: Timestamp) -> Finish {
///     granted.finish(now, MarkRetention::DEFAULT)
/// }
/// ```
///
/// ```compile_fail
/// use decide_once_protocol::inbox::{Finish, Granted, MarkRetention};
/// use decide_once_protocol::time::Timestamp;
///
/// fn end_twice(granted: Granted, now: Timestamp) -> [Finish; 2] {
///     [granted.finish(now, MarkRetention::DEFAULT), granted.finish(now, MarkRetention::DEFAULT)]
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Clone, Hash))]
#[must_use]
pub struct Granted {
    id: MarkId,
    owner: OwnerToken,
}

/// What a claim comes to.
#[derive(Debug)]
#[must_use]
pub enum Begun {
    /// The effect may be had.
    Granted(Granted),
    /// It has been: acknowledge.
    Duplicate,
    /// The outcome is not known: read the mark strongly, and [settle](Claim::settle_read) by what it says.
    Look(Claim),
    /// Neither: hand the event in again later.
    NotYet(NotYet),
}

/// What a finish comes to.
#[derive(Debug)]
#[must_use]
pub enum Ended {
    /// Recorded: acknowledge.
    Done,
    /// The outcome is not known: read the mark strongly, and [settle](Finish::settle_read) by what it says.
    Look(Finish),
    /// It was not recorded, and may be sent again.
    Again(Finish),
    /// Not recorded: hand the event in again later. The effect has happened, and will be asked for again under the same key.
    NotYet(NotYet),
}

/// What an effect with its mark comes to.
#[derive(Debug)]
#[must_use]
pub enum Kept {
    /// Both have happened: acknowledge.
    Done,
    /// Both had happened before: acknowledge.
    Duplicate,
    /// The outcome is not known: read the mark strongly, and [settle](Keep::settle_read) by what it says.
    Look(Keep),
    /// Neither has happened; the same transaction may be sent again.
    Again(Keep),
    /// Neither has happened, and never will like this: what the effect depends on has changed.
    EffectRefused,
    /// Neither: hand the event in again later.
    NotYet(NotYet),
}

/// Why an event is not done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NotYet {
    /// Its owner may finish it, or die.
    #[error("another worker has it")]
    Busy,
    /// It was taken over meanwhile, or given back.
    #[error("the claim was lost before the end")]
    Lost,
    /// Nothing has happened, for now.
    #[error("the store did not take it")]
    Unavailable,
    /// Whatever was written is fenced.
    #[error("the store did not say what became of it")]
    Unclear,
    /// The request is wrong: a missing table, no permission, too large.
    #[error("the store rejects it; check the tables' names and the permissions")]
    Rejected,
    /// Code that does not understand a mark does not judge it.
    #[error("its mark cannot be read")]
    Unreadable(Unreadable),
}

impl NotYet {
    const fn of(why: NotApplied) -> Self {
        match why {
            NotApplied::Conflict | NotApplied::Unavailable => Self::Unavailable,
            NotApplied::Rejected => Self::Rejected,
        }
    }
}

impl Claim {
    /// What the store's answer means.
    pub fn settle(self, answer: MarkAnswer) -> Begun {
        match answer {
            MarkAnswer::Applied => Begun::Granted(self.granted()),
            MarkAnswer::Refused(found) => self.settle_read(found),
            MarkAnswer::NotApplied(why) => Begun::NotYet(NotYet::of(why)),
            MarkAnswer::Unknown => Begun::Look(self),
        }
    }

    /// What a strong read means, or what a refused claim returned. One's own claim is there where the SDK has sent it twice.
    pub fn settle_read(self, found: FoundMark) -> Begun {
        match found {
            FoundMark::Mark(Mark { state, .. }) => match state {
                MarkState::Claimed { owner, .. } if owner == self.owner => {
                    Begun::Granted(self.granted())
                }
                state if state.is_vacant(self.now) => Begun::NotYet(NotYet::Unclear),
                MarkState::Claimed { .. } => Begun::NotYet(NotYet::Busy),
                MarkState::Done { .. } => Begun::Duplicate,
            },
            // The claim may still arrive; it lapses. Whoever comes next finds it, or nothing.
            FoundMark::Absent => Begun::NotYet(NotYet::Unclear),
            FoundMark::Unreadable(why) => Begun::NotYet(NotYet::Unreadable(why)),
        }
    }

    fn granted(self) -> Granted {
        Granted {
            id: self.id,
            owner: self.owner,
        }
    }
}

impl Granted {
    /// The effect has happened.
    #[must_use]
    pub fn finish(self, now: Timestamp, retention: MarkRetention) -> Finish {
        Finish {
            id: self.id,
            owner: self.owner,
            until: retention.until(now),
        }
    }

    /// The effect has not happened, as far as its worker knows.
    #[must_use]
    pub fn release(self) -> Release {
        Release {
            id: self.id,
            owner: self.owner,
        }
    }
}

impl Finish {
    /// What the store's answer means.
    pub fn settle(self, answer: MarkAnswer) -> Ended {
        match answer {
            MarkAnswer::Applied => Ended::Done,
            MarkAnswer::Refused(found) => match self.settle_read(found) {
                // Refused, and yet it is ours: it was, when this write came.
                Ended::Again(_) => Ended::NotYet(NotYet::Lost),
                ended => ended,
            },
            MarkAnswer::NotApplied(NotApplied::Conflict | NotApplied::Unavailable) => {
                Ended::Again(self)
            }
            MarkAnswer::NotApplied(NotApplied::Rejected) => Ended::NotYet(NotYet::Rejected),
            MarkAnswer::Unknown => Ended::Look(self),
        }
    }

    /// What a strong read means. Whoever finished it: done is done.
    pub fn settle_read(self, found: FoundMark) -> Ended {
        match found {
            FoundMark::Mark(mark) => match mark.state {
                MarkState::Done { .. } => Ended::Done,
                MarkState::Claimed { owner, .. } if owner == self.owner => Ended::Again(self),
                MarkState::Claimed { .. } => Ended::NotYet(NotYet::Lost),
            },
            FoundMark::Absent => Ended::NotYet(NotYet::Lost),
            FoundMark::Unreadable(why) => Ended::NotYet(NotYet::Unreadable(why)),
        }
    }
}

impl Keep {
    /// What the store's answer means.
    pub fn settle(self, answer: Together) -> Kept {
        match answer {
            Together::Applied => Kept::Done,
            Together::MarkRefused(found) => match self.settle_read(found) {
                // Refused, and yet vacant: it was not, when this write came.
                Kept::Again(_) => Kept::NotYet(NotYet::Unclear),
                kept => kept,
            },
            Together::EffectRefused => Kept::EffectRefused,
            Together::NotApplied(NotApplied::Conflict | NotApplied::Unavailable) => {
                Kept::Again(self)
            }
            Together::NotApplied(NotApplied::Rejected) => Kept::NotYet(NotYet::Rejected),
            Together::Unknown => Kept::Look(self),
        }
    }

    /// What a strong read means: with the mark the effect is there, without it neither is. A transaction that is still under way finds the
    /// mark of the next one, or the next one finds its mark: only one of them has an effect.
    pub fn settle_read(self, found: FoundMark) -> Kept {
        match found {
            FoundMark::Mark(mark) if mark.state.is_vacant(self.now) => Kept::Again(self),
            FoundMark::Mark(mark) => match mark.state {
                MarkState::Done { .. } => Kept::Duplicate,
                MarkState::Claimed { .. } => Kept::NotYet(NotYet::Busy),
            },
            FoundMark::Absent => Kept::Again(self),
            FoundMark::Unreadable(why) => Kept::NotYet(NotYet::Unreadable(why)),
        }
    }
}
