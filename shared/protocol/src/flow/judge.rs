//! From what stands in the store to the next step: after a refused write, after a strong read, after a wait.

use super::claim::{Claim, granted};
use super::decided::{Committed, Decided};
use super::{Done, Moment, Reserver, Step, Surrender, TryAgain};
use crate::classify::{Doing, Standing, classify};
use crate::record::Record;
use crate::writes::Existing;

/// What a worker was doing when it has to look again.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(super) enum Pending {
    Look { tries: u8 },
    Claim(Claim),
    Commit(Decided),
    Surrender(Surrender),
}

/// A strong read that is due.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Recheck {
    pending: Pending,
}

/// Another worker's live lease, and what may be done about it.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Waiting {
    record: Box<Record>,
    tries: u8,
}

impl Waiting {
    /// The record of the operation in progress.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// Looks again. Never writes while the lease lives.
    pub fn poll(self) -> Step {
        Step::Recheck(Recheck::look(self.tries))
    }

    /// Answers that it is in progress.
    pub fn leave(self) -> Done {
        Done::InProgress(self.record)
    }
}

impl Recheck {
    pub(super) const fn look(tries: u8) -> Self {
        Self {
            pending: Pending::Look { tries },
        }
    }

    pub(super) const fn after(pending: Pending) -> Self {
        Self { pending }
    }

    /// Goes on from what a strongly consistent read found; `None` if the read failed.
    pub fn settle(self, found: Option<Existing>, caller: &impl Reserver, moment: &Moment) -> Step {
        match (found, self.pending) {
            (Some(existing), pending) => judge(pending, existing, caller, moment),
            (None, Pending::Look { .. }) => TryAgain::StoreUnavailable.into(),
            (None, Pending::Claim(_) | Pending::Commit(_) | Pending::Surrender(_)) => {
                TryAgain::OutcomeUnknown.into()
            }
        }
    }
}

impl Pending {
    const fn doing(&self) -> Doing {
        match self {
            Self::Look { .. } => Doing::Looking,
            Self::Claim(claim) => Doing::Claiming(claim.next().fence),
            Self::Commit(decided) => Doing::Finishing(decided.commit().operation.expected.fence),
            Self::Surrender(surrender) => Doing::Finishing(surrender.transition().expected.fence),
        }
    }

    const fn tries(&self) -> u8 {
        match self {
            Self::Look { tries } => *tries,
            Self::Claim(claim) => claim.tries(),
            Self::Commit(decided) => decided.reservation().tries,
            Self::Surrender(surrender) => surrender.tries(),
        }
    }
}

/// The one way on from a stored fact.
pub(super) fn judge(
    pending: Pending,
    existing: Existing,
    caller: &impl Reserver,
    moment: &Moment,
) -> Step {
    let tries = pending.tries();
    match classify(existing, caller, pending.doing(), moment.now) {
        Standing::Vacant => vacant(pending, caller, moment),
        Standing::Owned(record) => granted(*record, caller, tries),
        Standing::Unfinished => unfinished(pending, moment),
        Standing::Committed(record) => Step::Done(Done::Committed(Committed::read_back(record))),
        Standing::Surrendered(record) => Step::Done(Done::Surrendered(record)),
        Standing::Lost => TryAgain::Lost.into(),
        Standing::Mismatch { pointers } => Step::Done(Done::Mismatch { pointers }),
        Standing::Unjudged => TryAgain::PolicyNotPackaged.into(),
        Standing::Finished(record) => Step::Done(Done::Finished(record)),
        Standing::ResultExpired {
            decision,
            free_from,
        } => Step::Done(Done::ResultExpired {
            decision,
            free_from,
        }),
        Standing::InProgress(record) => Step::Wait(Waiting { record, tries }),
        Standing::Lapsed(record) => take_over(&record, caller, moment, tries, Claim::take_over),
        Standing::Exhausted(record) => take_over(&record, caller, moment, tries, Claim::exhaust),
        Standing::Unreadable(why) => TryAgain::Unreadable(why).into(),
    }
}

/// Nobody has the key: claim it, if the request can be.
fn vacant(pending: Pending, caller: &impl Reserver, moment: &Moment) -> Step {
    match pending {
        Pending::Claim(claim) => claim.on_vacant(caller, moment),
        Pending::Look { tries } => match (caller.reservation(moment), tries.checked_sub(1)) {
            (Some(record), Some(tries)) => Step::Claim(Claim::reserve(record, moment, tries)),
            (Some(_), None) => TryAgain::OutcomeUnknown.into(),
            (None, _) => Step::Done(Done::NotReserved),
        },
        // The classifier calls this `Lost`.
        Pending::Commit(_) | Pending::Surrender(_) => TryAgain::Lost.into(),
    }
}

fn unfinished(pending: Pending, moment: &Moment) -> Step {
    match pending {
        Pending::Commit(decided) => decided.again(moment),
        Pending::Surrender(surrender) => surrender.again(),
        // The classifier calls this `Owned`, or has no fence to compare.
        Pending::Claim(_) | Pending::Look { .. } => TryAgain::OutcomeUnknown.into(),
    }
}

fn take_over(
    seen: &Record,
    caller: &impl Reserver,
    moment: &Moment,
    tries: u8,
    claim: impl Fn(&Record, crate::record::Retention, &Moment, u8) -> Claim,
) -> Step {
    match (caller.retention(&seen.pin), tries.checked_sub(1)) {
        (Some(retention), Some(tries)) => Step::Claim(claim(seen, retention, moment, tries)),
        (None, _) => TryAgain::PolicyNotPackaged.into(),
        (_, None) => TryAgain::OutcomeUnknown.into(),
    }
}
