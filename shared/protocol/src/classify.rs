//! The classifier: the one place that says what a stored record means for a request.
//!
//! A refused write and a strong read bring the same kind of fact, and they are judged here, in this order, on every path:
//! mine → free → another request's → finished → owned by a live lease → to be taken over (design.md §3, 1).

use std::time::Duration;

use crate::ids::DecisionId;
use crate::record::{Fence, Hold, MAX_ATTEMPTS, PolicyPin, Record, Retention, State};
use crate::time::Timestamp;
use crate::writes::{Existing, Unreadable};

/// What this worker was doing when it came upon the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doing {
    /// Reserving or taking over, with this fence.
    Claiming(Fence),
    /// Committing or releasing what it owns with this fence.
    Finishing(Fence),
    /// Looking only.
    Looking,
}

/// Whether a record belongs to the caller's request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sameness {
    /// Yes.
    Same,
    /// No. JSON Pointers into the caller's body name what differs.
    Different {
        /// Never values.
        pointers: Vec<String>,
    },
    /// The exact fingerprints differ and the pinned policy version, which would tell, is not packaged here.
    Unjudged,
}

/// The caller's request, as the protocol sees it. Pure: implemented over a request and the packaged policies.
pub trait Caller {
    /// Compares by the exact fingerprint, else under the record's own scheme and pinned version.
    fn sameness(&self, record: &Record) -> Sameness;

    /// The retention of a policy version, or `None` if it is not packaged here.
    fn retention(&self, pin: &PolicyPin) -> Option<Retention>;

    /// How long this caller leaves a queued operation to those who look after the queue, counted from its reservation. Zero
    /// for those.
    fn queue_patience(&self) -> Duration;
}

/// What a record means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Standing {
    /// Nobody's: absent, or its life is over.
    Vacant,
    /// Mine: this worker owns the key (its write landed, whatever it was told).
    Owned(Box<Record>),
    /// Mine: the commit or release has not landed yet; the same write is to be sent again.
    Unfinished,
    /// Mine: the commit has landed.
    Committed(Box<Record>),
    /// Mine: the final failure or the release has landed.
    Surrendered(Box<Record>),
    /// The key's life ended under this worker's commit or release.
    Lost,
    /// Another request has the key.
    Mismatch {
        /// JSON Pointers of what differs.
        pointers: Vec<String>,
    },
    /// Whose request it is cannot be told here and now.
    Unjudged,
    /// Finished, and the result is kept.
    Finished(Box<Record>),
    /// Finished, the result is gone, and the key is not yet free.
    ResultExpired {
        /// The decision, where there was one.
        decision: Option<DecisionId>,
        /// From when the key is free, by every clock.
        free_from: Timestamp,
    },
    /// Another worker holds a live lease, or it is queued and will be taken up without this caller.
    InProgress(Box<Record>),
    /// The owner is gone, gave up, or did not come in time: the next attempt may start.
    Lapsed(Box<Record>),
    /// The owner is gone, and so are the attempts.
    Exhausted(Box<Record>),
    /// Not to be written to.
    Unreadable(Unreadable),
}

/// Says what `existing` means to `caller` at `now`. Total and pure.
pub fn classify(
    existing: Existing,
    caller: &impl Caller,
    doing: Doing,
    now: Timestamp,
) -> Standing {
    let record = match existing {
        Existing::Absent => return vacant(doing),
        Existing::Unreadable(why) => return Standing::Unreadable(why),
        Existing::Found(record) => record,
    };
    if !record.is_plausible_at(now) {
        let attribute = "lease or expiry: more than ten years ahead".to_owned();
        return Standing::Unreadable(Unreadable::Corrupt { attribute });
    }
    match doing {
        Doing::Claiming(fence) | Doing::Finishing(fence) if fence == record.fence => {
            return mine(record, doing);
        }
        Doing::Claiming(_) | Doing::Finishing(_) | Doing::Looking => {}
    }
    if record.is_free_at(now) {
        return vacant(doing);
    }
    match caller.sameness(&record) {
        Sameness::Same => theirs(record, caller.queue_patience(), now),
        Sameness::Different { pointers } => Standing::Mismatch { pointers },
        Sameness::Unjudged => Standing::Unjudged,
    }
}

/// No live record. To somebody who had one that is news of its end, never a licence to start again.
const fn vacant(doing: Doing) -> Standing {
    match doing {
        Doing::Finishing(_) => Standing::Lost,
        Doing::Claiming(_) | Doing::Looking => Standing::Vacant,
    }
}

fn mine(record: Box<Record>, doing: Doing) -> Standing {
    match (&record.state, doing) {
        (State::Processing { .. }, Doing::Finishing(_)) => Standing::Unfinished,
        (State::Processing { .. }, Doing::Claiming(_) | Doing::Looking) => Standing::Owned(record),
        (State::Succeeded { .. }, _) => Standing::Committed(record),
        (State::FailedRetryable { .. } | State::FailedFinal { .. }, _) => {
            Standing::Surrendered(record)
        }
    }
}

fn theirs(record: Box<Record>, queue_patience: Duration, now: Timestamp) -> Standing {
    match &record.state {
        State::Succeeded { expiry, .. } | State::FailedFinal { expiry, .. }
            if now < expiry.result =>
        {
            Standing::Finished(record)
        }
        State::Succeeded { expiry, .. } => Standing::ResultExpired {
            decision: Some(record.decision.clone()),
            free_from: expiry.free_from(),
        },
        State::FailedFinal { expiry, .. } => Standing::ResultExpired {
            decision: None,
            free_from: expiry.free_from(),
        },
        State::Processing { hold, .. } if now < held_until(*hold, &record, queue_patience) => {
            Standing::InProgress(record)
        }
        State::Processing { .. } | State::FailedRetryable { .. }
            if record.counted_attempts() >= MAX_ATTEMPTS =>
        {
            Standing::Exhausted(record)
        }
        State::Processing { .. } | State::FailedRetryable { .. } => Standing::Lapsed(record),
    }
}

/// A queued record is left alone for the caller's patience, an owned one for its lease.
fn held_until(hold: Hold, record: &Record, queue_patience: Duration) -> Timestamp {
    match hold {
        Hold::Queued => record.updated.plus(queue_patience),
        Hold::Leased(lease) => lease,
    }
}
