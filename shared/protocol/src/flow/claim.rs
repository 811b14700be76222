//! Reserving and taking over: the writes that make a worker the owner.

use super::judge::{Pending, judge};
use super::reservation::Reservation;
use super::{Done, Moment, Recheck, Reserver, Step, TryAgain};
use crate::record::{Hold, Record, Retention, State, Terms};
use crate::writes::{Answer, NotApplied, Reserve, Seen, Transition, vacant_before};

/// A claim on a key, not yet granted.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Claim {
    write: ClaimWrite,
    tries: u8,
}

/// The write of a claim.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub enum ClaimWrite {
    /// For a key that nobody has.
    Reserve(Reserve),
    /// For a key whose owner is gone. Past the last attempt it records `attempts-exhausted` instead, under the same condition.
    TakeOver(Transition),
}

impl Claim {
    pub(super) fn reserve(record: Record, moment: &Moment, tries: u8) -> Self {
        let write = ClaimWrite::Reserve(Reserve {
            record,
            vacant_before: vacant_before(moment.now),
        });
        Self { write, tries }
    }

    pub(super) fn take_over(
        seen: &Record,
        retention: Retention,
        moment: &Moment,
        tries: u8,
    ) -> Self {
        let terms = Terms {
            now: moment.now,
            lease_until: moment.lease_until,
            retention,
        };
        let next = seen.taken_over(moment.owner, terms);
        Self {
            write: ClaimWrite::TakeOver(Transition {
                expected: Seen::of(seen),
                next,
            }),
            tries,
        }
    }

    pub(super) fn exhaust(seen: &Record, retention: Retention, moment: &Moment, tries: u8) -> Self {
        let next = seen.exhausted(moment.owner, moment.now, retention);
        Self {
            write: ClaimWrite::TakeOver(Transition {
                expected: Seen::of(seen),
                next,
            }),
            tries,
        }
    }

    /// The write to send.
    #[must_use]
    pub const fn write(&self) -> &ClaimWrite {
        &self.write
    }

    /// The record that will stand if the claim is granted.
    #[must_use]
    pub const fn next(&self) -> &Record {
        match &self.write {
            ClaimWrite::Reserve(reserve) => &reserve.record,
            ClaimWrite::TakeOver(transition) => &transition.next,
        }
    }

    pub(super) const fn tries(&self) -> u8 {
        self.tries
    }

    /// Goes on from what the store said.
    pub fn settle(self, answer: Answer, caller: &impl Reserver, moment: &Moment) -> Step {
        match answer {
            Answer::Applied => {
                let tries = self.tries;
                granted(self.into_next(), caller, tries)
            }
            Answer::Refused(existing) => judge(Pending::Claim(self), existing, caller, moment),
            // A conflict says that somebody was there, not what stands there now (design.md §3, 5).
            Answer::NotApplied(NotApplied::Conflict) | Answer::Unknown => {
                Step::Recheck(Recheck::after(Pending::Claim(self)))
            }
            Answer::NotApplied(NotApplied::Unavailable | NotApplied::Rejected) => {
                TryAgain::StoreUnavailable.into()
            }
            Answer::Blocked(_) => TryAgain::Inconsistent.into(),
        }
    }

    /// The same claim once more, on a key that was found vacant: a reservation keeps its owner, so that an earlier send that
    /// lands late is still recognised as this worker's; a takeover has nothing left to take over and reserves anew.
    pub(super) fn on_vacant(self, caller: &impl Reserver, moment: &Moment) -> Step {
        let Some(tries) = self.tries.checked_sub(1) else {
            return TryAgain::OutcomeUnknown.into();
        };
        match self.write {
            ClaimWrite::Reserve(reserve) => {
                Step::Claim(Self::reserve(reserve.record, moment, tries))
            }
            ClaimWrite::TakeOver(_) => Step::begin(caller, moment, tries),
        }
    }

    fn into_next(self) -> Record {
        match self.write {
            ClaimWrite::Reserve(reserve) => reserve.record,
            ClaimWrite::TakeOver(transition) => transition.next,
        }
    }
}

/// The store holds `record`, and it is this worker's. Queued is what an asynchronous caller wanted: it is told so.
pub(super) fn granted(record: Record, caller: &impl Reserver, tries: u8) -> Step {
    match &record.state {
        State::Processing {
            hold: Hold::Queued, ..
        } => return Step::Done(Done::Queued(Box::new(record))),
        State::Processing {
            hold: Hold::Leased(_),
            ..
        } => {}
        State::Succeeded { .. } | State::FailedRetryable { .. } | State::FailedFinal { .. } => {
            return Step::Done(Done::Surrendered(Box::new(record)));
        }
    }
    match caller.retention(&record.pin) {
        Some(retention) => Step::Evaluate(Reservation {
            record,
            retention,
            tries,
        }),
        None => TryAgain::PolicyNotPackaged.into(),
    }
}
