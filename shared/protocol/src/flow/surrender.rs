//! Giving up a reservation, for now or for good.

use super::judge::{Pending, judge};
use super::{Done, Moment, Recheck, Reserver, Step, TryAgain};
use crate::record::Record;
use crate::writes::{Answer, NotApplied, Seen, Transition};

/// A failure or release that is not recorded yet. It is answered only once it is: the caller who is told "use a new key"
/// must find that nothing can still be committed under the old one.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Surrender {
    transition: Box<Transition>,
    tries: u8,
}

impl Surrender {
    pub(super) fn new(seen: &Record, next: Record, tries: u8) -> Self {
        Self {
            transition: Box::new(Transition {
                expected: Seen::of(seen),
                next,
            }),
            tries,
        }
    }

    /// The write to send.
    #[must_use]
    pub const fn transition(&self) -> &Transition {
        &self.transition
    }

    /// Goes on from what the store said.
    pub fn settle(self, answer: Answer, caller: &impl Reserver, moment: &Moment) -> Step {
        match answer {
            Answer::Applied => Step::Done(Done::Surrendered(Box::new(self.transition.next))),
            Answer::Refused(existing) => judge(Pending::Surrender(self), existing, caller, moment),
            Answer::NotApplied(NotApplied::Conflict) => self.again(),
            Answer::NotApplied(NotApplied::Unavailable | NotApplied::Rejected) => {
                TryAgain::StoreUnavailable.into()
            }
            Answer::Blocked(_) => TryAgain::Inconsistent.into(),
            Answer::Unknown => Step::Recheck(Recheck::after(Pending::Surrender(self))),
        }
    }

    pub(super) fn again(mut self) -> Step {
        match self.tries.checked_sub(1) {
            Some(tries) => {
                self.tries = tries;
                Step::Surrender(self)
            }
            None => TryAgain::OutcomeUnknown.into(),
        }
    }

    pub(super) const fn tries(&self) -> u8 {
        self.tries
    }
}
