//! Committing: a decision that waits for the store's word, and one that has it.

use super::judge::{Pending, judge};
use super::{Done, Moment, Recheck, Reservation, Reserver, Step};
use crate::decision::DecisionItem;
use crate::ids::DecisionId;
use crate::record::{FinalCode, FinalFailure, Record, RetryCause};
use crate::writes::{Answer, Blocked, Commit, NotApplied};

/// A decision that is not committed yet. Its transaction was built once and is sent as it is, with the same token, however
/// often; nobody may be told of it.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Decided {
    reservation: Reservation,
    commit: Box<Commit>,
}

/// A decision that is durable: the only thing that is rendered as a success.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Committed {
    record: Box<Record>,
    decision: Option<Box<DecisionItem>>,
}

impl Committed {
    pub(super) const fn read_back(record: Box<Record>) -> Self {
        Self {
            record,
            decision: None,
        }
    }

    /// The operation record as it stands in the store.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// The decision item, if this call has it in hand; `None` if the commit was found by reading the record.
    #[must_use]
    pub fn decision(&self) -> Option<&DecisionItem> {
        self.decision.as_deref()
    }
}

impl Decided {
    pub(super) fn new(reservation: Reservation, commit: Commit) -> Self {
        Self {
            reservation,
            commit: Box::new(commit),
        }
    }

    /// The transaction to send.
    #[must_use]
    pub const fn commit(&self) -> &Commit {
        &self.commit
    }

    pub(super) const fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// Goes on from what the store said.
    pub fn settle(self, answer: Answer, caller: &impl Reserver, moment: &Moment) -> Step {
        match answer {
            Answer::Applied => {
                let commit = *self.commit;
                Step::Done(Done::Committed(Committed {
                    record: Box::new(commit.operation.next),
                    decision: Some(Box::new(commit.decision)),
                }))
            }
            Answer::Refused(existing) => judge(Pending::Commit(self), existing, caller, moment),
            Answer::Blocked(Blocked::ClaimTaken(by)) => self.claim_taken(by, moment),
            Answer::Blocked(Blocked::Corrupt) => self.give_up(RetryCause::Inconsistent, moment),
            Answer::NotApplied(NotApplied::Conflict) => self.again(moment),
            Answer::NotApplied(NotApplied::Unavailable | NotApplied::Rejected) => {
                self.give_up(RetryCause::Store, moment)
            }
            Answer::Unknown => Step::Recheck(Recheck::after(Pending::Commit(self))),
        }
    }

    /// The same transaction once more. When the tries are used up the attempt is released, under a condition that fails if
    /// one of the sends has landed or lands first.
    pub(super) fn again(mut self, moment: &Moment) -> Step {
        let Some(tries) = self.reservation.tries.checked_sub(1) else {
            return self.give_up(RetryCause::Store, moment);
        };
        self.reservation.tries = tries;
        Step::Commit(self)
    }

    fn give_up(self, cause: RetryCause, moment: &Moment) -> Step {
        Step::Surrender(self.reservation.release(cause, moment.now))
    }

    fn claim_taken(self, by: DecisionId, moment: &Moment) -> Step {
        let failure = FinalFailure {
            code: FinalCode::AlreadyDecided(by),
            detail: "another operation was decided for this natural key".to_owned(),
        };
        Step::Surrender(self.reservation.fail(failure, moment.now))
    }
}
