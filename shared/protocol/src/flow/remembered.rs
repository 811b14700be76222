//! A finished record as a worker has seen it: what may be answered from it without asking the store again.
//!
//! A finished record changes only once its key is free: [`EXPIRY_MARGIN`](crate::record::EXPIRY_MARGIN) after the key's expiry, which is at least as
//! much after the result's. So as long as this worker's clock says that the result is kept, what it has seen is what stands, by every clock
//! that differs from its own by less than twice the margin. That holds for whoever asks, so that another request may be refused from memory as
//! well. From the result's expiry on the store is asked.

use super::Done;
use crate::classify::{Caller, Doing, Standing, classify};
use crate::record::{Record, State};
use crate::time::Timestamp;
use crate::writes::Existing;

/// A record that was seen, finished, with its answer inside. Made only of the end of a call.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub struct Remembered {
    record: Box<Record>,
}

impl Remembered {
    /// What the end of a call leaves to be remembered: a recorded decision or final failure. Not one whose answer is in the decision item
    /// ([`INLINE_LIMIT`](crate::answer::INLINE_LIMIT)): that takes a read of the store in any case.
    #[must_use]
    pub fn of(done: &Done) -> Option<Self> {
        let record = match done {
            Done::Committed(committed) => committed.record(),
            Done::Finished(record) | Done::Surrendered(record) => record,
            Done::Queued(_)
            | Done::InProgress(_)
            | Done::Mismatch { .. }
            | Done::ResultExpired { .. }
            | Done::NotReserved
            | Done::TryAgain(_) => return None,
        };
        let is_whole = match &record.state {
            State::Succeeded { answer, .. } => answer.inline.is_some(),
            State::FailedFinal { .. } => true,
            State::Processing { .. } | State::FailedRetryable { .. } => false,
        };
        is_whole.then(|| Self {
            record: Box::new(record.clone()),
        })
    }

    /// The end of `caller`'s call at `now`, as the store would have it; `None` where only the store can say.
    #[must_use]
    pub fn recall(&self, caller: &impl Caller, now: Timestamp) -> Option<Done> {
        if !self.is_kept_at(now) {
            return None;
        }
        match classify(
            Existing::Found(self.record.clone()),
            caller,
            Doing::Looking,
            now,
        ) {
            Standing::Finished(record) => Some(Done::Finished(record)),
            Standing::Mismatch { pointers } => Some(Done::Mismatch { pointers }),
            Standing::Vacant
            | Standing::Owned(_)
            | Standing::Unfinished
            | Standing::Committed(_)
            | Standing::Surrendered(_)
            | Standing::Lost
            | Standing::Unjudged
            | Standing::ResultExpired { .. }
            | Standing::InProgress(_)
            | Standing::Lapsed(_)
            | Standing::Exhausted(_)
            | Standing::Unreadable(_) => None,
        }
    }

    /// About how much memory it takes, in bytes; not less.
    #[must_use]
    pub fn size(&self) -> usize {
        /// What has a fixed length: the record itself, its ids, fingerprints and names, and what the allocator adds.
        const FIXED: usize = 2 * 1024;
        /// A member's digest is stored in at least 8 characters, and takes an entry of a tree with two texts.
        const PER_STORED_CHARACTER: usize = 16;
        let answer = match &self.record.state {
            State::Succeeded { answer, .. } => answer.inline.as_ref().map_or(0, |verdict| {
                let events = verdict
                    .event_types
                    .iter()
                    .map(|kind| size_of::<String>() + kind.len());
                verdict.rule.len() + verdict.outcome.len() + events.sum::<usize>()
            }),
            State::FailedFinal { failure, .. } => failure.detail.len(),
            State::Processing { .. } | State::FailedRetryable { .. } => 0,
        };
        FIXED + PER_STORED_CHARACTER * self.record.identity.members.encode().len() + answer
    }

    #[cfg(test)]
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    fn is_kept_at(&self, now: Timestamp) -> bool {
        match &self.record.state {
            State::Succeeded { expiry, .. } | State::FailedFinal { expiry, .. } => {
                now < expiry.result
            }
            State::Processing { .. } | State::FailedRetryable { .. } => false,
        }
    }
}
