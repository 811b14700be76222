//! `decide-once operation …`: what stands of operations.

pub(super) mod list;
pub(super) mod show;

use decide_once_protocol::record::{Hold, Record, State};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Existing;
use decide_once_service::ports::Store as _;

use super::{OperatorError, connection::Connection};

/// A record by its operation.
async fn read(connection: &Connection, id: &OperationId) -> Result<Existing, OperatorError> {
    let read = connection.store.read_operation(id).await;
    read.map_err(|error| connection.operations().failed(error))
}

/// What goes on with an operation, in a word.
fn standing(record: &Record, now: Timestamp) -> &'static str {
    match record.state {
        State::Processing {
            hold: Hold::Queued, ..
        } => "queued",
        State::Processing {
            hold: Hold::Leased(until),
            ..
        } if now < until => "being decided",
        State::Processing { .. } => "lapsed",
        State::FailedRetryable { .. } => "given up",
        State::Succeeded { .. } => "decided",
        State::FailedFinal { .. } => "failed",
    }
}
