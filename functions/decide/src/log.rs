//! One line for each decided call: ids, outcome and effort; never the key, facts, outcome or token.

use decide_once_service::Call;
use decide_once_service::reply::{Outcome, Reply};

pub(crate) fn line(call: &Call, outcome: &Outcome) {
    let (class, decision) = match &outcome.reply {
        Reply::Decided {
            decision,
            replayed: false,
            ..
        } => ("decided", Some(decision)),
        Reply::Decided {
            decision,
            replayed: true,
            ..
        } => ("replayed", Some(decision)),
        Reply::InProgress { .. } => ("in-progress", None),
        Reply::Problem(problem) => (problem.kind.code(), problem.decision.as_ref()),
    };
    tracing::info!(
        outcome = class,
        operation = %outcome.operation,
        decision = decision.map(tracing::field::display),
        tenant = %call.tenant().log_hash(),
        key = %call.key().log_hash(),
        attempt = outcome.attempt,
        round_trips = outcome.round_trips,
        "decision requested"
    );
}
