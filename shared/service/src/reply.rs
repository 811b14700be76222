//! What a caller is told, before it is HTTP.

use std::time::Duration;

use decide_once_protocol::answer::Rendered;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;

use crate::problem::Problem;
use crate::status::Status;

/// The end of a call, with what a log line says of it.
#[derive(Debug)]
pub struct Outcome {
    /// What the caller is told.
    pub reply: Reply,
    /// The operation.
    pub operation: OperationId,
    /// The attempt that the answer comes from, where a record was seen.
    pub attempt: Option<u32>,
    /// How many calls the store was asked for.
    pub round_trips: u32,
}

/// What a caller is told.
#[derive(Debug)]
pub enum Reply {
    /// The recorded decision.
    Decided {
        /// Its id.
        decision: DecisionId,
        /// The body, byte for byte what was recorded.
        body: Rendered,
        /// Whether it was decided before this call.
        replayed: bool,
    },
    /// Another worker is at it.
    InProgress {
        /// The operation's status.
        status: Status,
        /// When it is worth asking again.
        retry_after: Duration,
    },
    /// Anything else.
    Problem(Problem),
}

/// When a lease's holder can be expected to be done: at its end, but not so late that a caller stops asking.
#[must_use]
pub(crate) fn retry_after(now: Timestamp, lease: Timestamp) -> Duration {
    now.until(lease)
        .clamp(Duration::from_secs(1), Duration::from_secs(30))
}
