//! The answers that an instance remembers, so that a retry costs no round trip: `docs/decisions/0003`.
//!
//! Only the end of a call gets in, and what comes out is judged by the classifier, anew for each caller and instant
//! ([`Remembered`]): the same fingerprints, the same expiry. Whose key it is, is part of the operation's id. The instance is asked
//! only after the caller has been authorised, and never in place of the store where the store might say something else.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use decide_once_protocol::flow::{Done, Remembered};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use crate::call::Prepared;

/// What an entry may take on average, in bytes. One that takes more counts as more than one, so that the number of entries bounds the memory as
/// well. Most take 3 KB: the fixed part, a few members, a short verdict.
pub const BYTES_AN_ENTRY: usize = 8 * 1024;

/// What an instance remembers; by default nothing.
#[derive(Default)]
pub struct Answers(Option<Mutex<Kept>>);

type Kept = Cache<OperationId, Arc<Remembered>, Size>;

#[derive(Clone, Copy, Debug)]
struct Size;

impl Weighter<OperationId, Arc<Remembered>> for Size {
    fn weight(&self, _: &OperationId, answer: &Arc<Remembered>) -> u64 {
        answer.size().max(BYTES_AN_ENTRY) as u64
    }
}

impl Answers {
    /// Remembers at most so many answers, in at most so many times [`BYTES_AN_ENTRY`] of memory; zero is none.
    #[must_use]
    pub fn holding(entries: u32) -> Self {
        let most = entries as usize;
        // The cache takes nothing that is heavier than 97 % of all; with one entry that is the entry.
        let slack = BYTES_AN_ENTRY as u64 / 16;
        let bytes = u64::from(entries) * BYTES_AN_ENTRY as u64 + slack;
        Self((entries > 0).then(|| Mutex::new(Cache::with_weighter(most, bytes, Size))))
    }

    /// The end of the call at `now`, if it is known here.
    pub(crate) fn recall(&self, caller: &Prepared<'_>, now: Timestamp) -> Option<Done> {
        let answer = {
            let kept = self.0.as_ref()?.lock();
            let kept = kept.unwrap_or_else(PoisonError::into_inner);
            Arc::clone(kept.get(caller.operation())?)
        };
        answer.recall(caller, now)
    }

    /// Keeps what the end of a call says of its operation, if that is final.
    pub(crate) fn remember(&self, operation: &OperationId, done: &Done) {
        if let Some(kept) = &self.0
            && let Some(answer) = Remembered::of(done)
        {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.insert(operation.clone(), Arc::new(answer));
        }
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Answers(..)"
        } else {
            "Answers(none)"
        })
    }
}
