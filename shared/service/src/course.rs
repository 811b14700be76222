//! What a call meets on its way, as far as the store's answers tell: for its log line and its metrics, never for a decision.

use std::time::Duration;

use decide_once_protocol::flow::{ClaimWrite, Done};
use decide_once_protocol::record::{Fence, Record, State};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Existing, NotApplied};

use crate::metrics::{Meter, Metric};

/// What a call has met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Writes whose outcome was not told.
    pub unknown: u32,
    /// Of those, how many a strong read has made out.
    pub resolved: u32,
    /// Writes that met another one on the same record.
    pub conflicts: u32,
    /// Writes that the store throttled, or had no room for, until the SDK gave up.
    pub throttled: u32,
    /// Commits and releases that were refused, because the operation had gone on without this worker.
    pub fenced: u32,
    /// It took over from a worker that died, stalled or gave up: since when nothing had been heard of the operation.
    pub taken_over: Option<Duration>,
    /// It took up a queued operation: since when that was queued.
    pub taken_up: Option<Duration>,
    /// The attempt was given up for now, and the record says so.
    pub given_up: bool,
}

impl Course {
    pub(crate) fn meter(&self) -> Meter {
        Meter::default()
            .count(Metric::FailedRetryable, self.given_up.into())
            .count(Metric::TakenOver, self.taken_over.is_some().into())
            .time(Metric::TakenOverAge, self.taken_over)
            .time(Metric::QueuedAge, self.taken_up)
            .count(Metric::Fenced, self.fenced)
            .count(Metric::OutcomesUnknown, self.unknown)
            .count(Metric::OutcomesResolved, self.resolved)
            .count(Metric::Conflicts, self.conflicts)
            .count(Metric::Throttled, self.throttled)
    }
}

/// Watches a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    course: Course,
    /// When the record was written that was seen last.
    seen: Option<Timestamp>,
    /// A takeover that is sent and not granted yet.
    taking: Option<Taking>,
    /// What a commit or a release that is under way was sent by.
    finishing: Option<Fence>,
    /// The last write's outcome was not told.
    open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Taking {
    was_queued: bool,
    age: Duration,
}

impl Watch {
    pub(crate) const fn course(&self) -> Course {
        self.course
    }

    /// This record was seen.
    pub(crate) const fn saw(&mut self, record: &Record) {
        self.seen = Some(record.updated);
    }

    /// A claim is sent.
    pub(crate) fn claiming(&mut self, write: &ClaimWrite, now: Timestamp) {
        self.taking = match (write, self.seen) {
            (ClaimWrite::TakeOver(transition), Some(seen)) => Some(Taking {
                was_queued: transition.expected.fence.attempt == 0,
                age: seen.until(now),
            }),
            (ClaimWrite::TakeOver(_), None) | (ClaimWrite::Reserve(_), _) => None,
        };
    }

    /// A commit or a release is sent by this owner.
    pub(crate) const fn finishing(&mut self, own: Fence) {
        self.finishing = Some(own);
    }

    /// The store says what became of a write.
    pub(crate) fn told(&mut self, answer: &Answer) {
        self.open = false;
        match answer {
            Answer::Applied => self.finishing = None,
            Answer::Refused(existing) => self.found(existing),
            Answer::NotApplied(NotApplied::Conflict) => self.course.conflicts += 1,
            Answer::NotApplied(NotApplied::Unavailable) => self.course.throttled += 1,
            Answer::NotApplied(NotApplied::Rejected) | Answer::Blocked(_) => {}
            Answer::Unknown => {
                self.open = true;
                self.course.unknown += 1;
            }
        }
    }

    /// A strong read found this.
    pub(crate) fn read(&mut self, existing: &Existing) {
        self.course.resolved += u32::from(std::mem::take(&mut self.open));
        self.found(existing);
    }

    fn found(&mut self, existing: &Existing) {
        let stands = match existing {
            Existing::Found(record) => {
                self.saw(record);
                Some(record.fence)
            }
            Existing::Absent => None,
            Existing::Unreadable(_) => return,
        };
        if let Some(own) = self.finishing.take() {
            self.course.fenced += u32::from(stands != Some(own));
        }
    }

    /// The operation is this worker's, to be decided.
    pub(crate) const fn owns(&mut self) {
        match self.taking.take() {
            Some(taking) if taking.was_queued => self.course.taken_up = Some(taking.age),
            Some(taking) => self.course.taken_over = Some(taking.age),
            None => {}
        }
    }

    /// The call is over.
    pub(crate) fn over(&mut self, done: &Done) {
        if let Done::Surrendered(record) = done {
            self.course.given_up = matches!(record.state, State::FailedRetryable { .. });
        }
    }
}
