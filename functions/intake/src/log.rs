//! One line for each message: ids, outcome; never a key, a fact or an outcome's content.

use decide_once_protocol::scope::OperationId;
use decide_once_service::metrics::Meter;

use crate::Message;
use crate::dead_letters::Unsent;

/// A message is over for now.
pub(crate) fn line(
    message: &Message<'_>,
    operation: Option<&OperationId>,
    outcome: &str,
    acknowledged: bool,
    metrics: &Meter,
) {
    let operation = operation.map(tracing::field::display);
    let (message_id, receives) = (message.id, message.receives);
    let trace = message.trace.map(|trace| trace.id());
    tracing::info!(
        outcome,
        acknowledged,
        operation,
        message_id,
        receives,
        trace,
        %metrics,
        "message"
    );
}

/// A refused message could not be set aside.
pub(crate) fn unsent(message_id: &str, why: &Unsent) {
    tracing::error!(alarm = "dead-letter-unsent", message_id, %why, "a refused message comes again");
}
