//! One line for each operation that was gone on with: ids, outcome and effort, as a request has one; never what it carries.

use std::time::Instant;

use decide_once_protocol::flow::Done;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::record::StateName;

use super::Resumed;
use crate::call::Call;
use crate::effort::Effort;
use crate::metrics::{Meter, Metric};

/// What was known before it was gone on with.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) begun: Instant,
    pub(super) call: &'a Call,
    pub(super) decision: DecisionId,
}

impl Line<'_> {
    pub(super) fn write(&self, attempt: Option<u32>, fate: Resumed, effort: Effort) {
        let decided = matches!(fate, Resumed::Finished(StateName::Succeeded));
        let metrics = ended(fate).with(effort.meter(self.begun.elapsed()));
        tracing::info!(
            outcome = outcome(fate),
            operation = %self.call.scope.operation_id(),
            decision = decided.then(|| tracing::field::display(&self.decision)),
            tenant = self.call.tenant().log_hash(),
            key = self.call.key().log_hash(),
            attempt,
            trace = self.call.trace.map(|trace| trace.id()),
            %metrics,
            "operation resumed"
        );
    }
}

/// The attempt that the end of the call stems from, where a record tells.
pub(super) fn attempt(done: &Done) -> Option<u32> {
    match done {
        Done::Committed(committed) => Some(committed.record().fence.attempt),
        Done::Surrendered(record)
        | Done::Finished(record)
        | Done::InProgress(record)
        | Done::Queued(record) => Some(record.fence.attempt),
        Done::Mismatch { .. }
        | Done::ResultExpired { .. }
        | Done::NotReserved
        | Done::TryAgain(_) => None,
    }
}

const fn outcome(fate: Resumed) -> &'static str {
    match fate {
        Resumed::Finished(StateName::Succeeded) => "decided",
        Resumed::Finished(_) => "failed",
        Resumed::NothingToDo => "nothing-to-do",
        Resumed::NotYet(_) => "not-yet",
        Resumed::Unreadable => "unreadable",
    }
}

/// What it ended with. What is not final yet is in the effort: given up, or another's.
fn ended(fate: Resumed) -> Meter {
    let metric = match fate {
        Resumed::Finished(StateName::Succeeded) => Metric::Decided,
        Resumed::Finished(_) => Metric::FailedFinal,
        Resumed::NothingToDo | Resumed::NotYet(_) | Resumed::Unreadable => {
            return Meter::default();
        }
    };
    Meter::default().count(metric, 1)
}
