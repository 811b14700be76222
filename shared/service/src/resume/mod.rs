//! Going on with an operation that carries its request: for those who look after the queue.
//!
//! ```text
//! strong read ─► queued, lapsed or given up: take over (UpdateItem) ─► evaluate ─► commit   3 round trips
//! strong read ─► final, gone, or without a request: nothing is left to do                   1 round trip
//! strong read ─► another's live lease: come back                                            1 round trip
//! ```
//!
//! What told of the operation, a stream image or an index entry, is an occasion to look, never a fact.

mod batch;
mod line;

pub use batch::{Fates, Task};

use std::time::Duration;

use decide_once_protocol::flow::{Done, Step, TRIES, TryAgain};
use decide_once_protocol::record::{Record, StateName};
use decide_once_protocol::request::BodyError;
use decide_once_protocol::scope::{DECIDE, OperationId, OperationName, Scope};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Existing, Unreadable};
use tokio::time::{Instant, timeout_at};

use crate::call::{Call, Prepared, Respond};
use crate::decide::{Budget, Decider};
use crate::effort::Effort;
use crate::ports::{Clock, Ids, Mismatches, Store};
use crate::render::Finish;
use crate::settings::{SHORTEST_CALL, TIME_TO_ANSWER};
use line::Line;

/// What became of an operation that somebody went on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// It is final, by this call.
    Finished(StateName),
    /// There was nothing left to do: it is final, it is gone, or its request is its caller's to bring again.
    NothingToDo,
    /// It is not final: come back.
    NotYet(NotYet),
    /// It cannot be gone on with, however often: its record is not to be written to, or what it carries is not its request.
    /// Alarmed.
    Unreadable,
}

/// Why an operation is not final yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotYet {
    /// Its owner may finish it, or die.
    #[error("another worker has it")]
    Leased,
    /// The record says why.
    #[error("the attempt was given up")]
    GivenUp,
    /// It was not begun.
    #[error("the invocation has no time left for it")]
    OutOfTime,
    /// Whatever was written is fenced.
    #[error("the store did not answer, or not clearly")]
    Store,
    /// A release that is older than the one which reserved it runs here.
    #[error("the policy version that it is pinned to is not packaged here")]
    PolicyNotPackaged,
}

impl<S: Store + Mismatches, C: Clock, I: Ids> Decider<S, C, I> {
    /// Goes on with `id`, until `deadline` at the latest.
    pub async fn resume(&self, id: &OperationId, deadline: Timestamp) -> Resumed {
        let remaining = self.clock.now().until(deadline);
        if remaining < SHORTEST_CALL {
            return Resumed::NotYet(NotYet::OutOfTime);
        }
        let begun = std::time::Instant::now();
        let end = Instant::now() + remaining.saturating_sub(TIME_TO_ANSWER);
        let mut effort = Effort::default();
        let read = timeout_at(end, self.store.read_operation(id));
        let found = match effort.ask(read).await {
            Ok(Ok(Existing::Found(record))) => record,
            Ok(Ok(Existing::Absent)) => return Resumed::NothingToDo,
            Ok(Ok(Existing::Unreadable(why))) => return unreadable(id, &why),
            Ok(Err(_)) | Err(_) => return Resumed::NotYet(NotYet::Store),
        };
        let call = match call_of(&found) {
            None => return Resumed::NothingToDo,
            Some(Ok(call)) => call,
            Some(Err(_)) => return foreign(id),
        };
        let caller = Prepared::resumed(&call, &self.policies, found.decision.clone());
        let budget = Budget {
            deadline,
            wait: Duration::ZERO,
        };
        let line = Line {
            begun,
            call: &call,
            decision: found.decision.clone(),
        };
        let mut finish = Finish::new(&caller, end).after(effort);
        finish.watch.saw(&found);
        let step = Step::resume(Existing::Found(found), &caller, &self.moment(budget), TRIES);
        let done = self.drive(step, &caller, budget, &mut finish).await;
        let attempt = line::attempt(&done);
        let fate = resumed(id, done);
        line.write(attempt, fate, finish.effort());
        fate
    }
}

/// The call that `record` carries; `None` if it carries none.
fn call_of(record: &Record) -> Option<Result<Call, BodyError>> {
    let carried = record.carried()?;
    let operation = OperationName::parse(DECIDE).ok()?;
    let call = carried.request().map(|request| Call {
        scope: Scope {
            tenant: record.tenant.clone(),
            operation,
            key: carried.key().clone(),
        },
        request,
        respond: Respond::Now,
        trace: carried.trace(),
    });
    Some(call)
}

fn resumed(id: &OperationId, done: Done) -> Resumed {
    match done {
        Done::Committed(_) => Resumed::Finished(StateName::Succeeded),
        Done::Surrendered(record) if record.is_final() => Resumed::Finished(record.state.name()),
        Done::Surrendered(_) => Resumed::NotYet(NotYet::GivenUp),
        Done::Finished(_) | Done::ResultExpired { .. } | Done::NotReserved => Resumed::NothingToDo,
        Done::Queued(_) | Done::InProgress(_) => Resumed::NotYet(NotYet::Leased),
        Done::Mismatch { .. } => foreign(id),
        Done::TryAgain(why) => match why {
            TryAgain::StoreUnavailable | TryAgain::OutcomeUnknown => Resumed::NotYet(NotYet::Store),
            // Its life ended under this worker's hands: somebody else finished it, and its key expired.
            TryAgain::Lost => Resumed::NothingToDo,
            TryAgain::PolicyNotPackaged => Resumed::NotYet(NotYet::PolicyNotPackaged),
            TryAgain::Unreadable(why) => unreadable(id, &why),
            TryAgain::Inconsistent => {
                tracing::error!(alarm = "record-corrupt", operation = %id, "a decision or event exists that its operation does not name");
                Resumed::Unreadable
            }
        },
    }
}

fn unreadable(id: &OperationId, why: &Unreadable) -> Resumed {
    match why {
        Unreadable::Newer { version } => {
            tracing::error!(alarm = "record-newer", operation = %id, version);
        }
        Unreadable::Corrupt { attribute } => {
            tracing::error!(alarm = "record-corrupt", operation = %id, what = %attribute);
        }
    }
    Resumed::Unreadable
}

/// What is carried has another fingerprint than the operation.
fn foreign(id: &OperationId) -> Resumed {
    tracing::error!(alarm = "record-corrupt", operation = %id, what = "the carried request is not the operation's");
    Resumed::Unreadable
}
