//! What a caller is told, before it is HTTP.

use std::time::Duration;

use decide_once_protocol::answer::Rendered;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::scope::OperationId;

use crate::effort::Effort;
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
    /// What it took.
    pub effort: Effort,
    /// Whether this instance remembered it.
    pub recalled: bool,
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
        /// Whether this very call has queued it, as its caller wanted.
        accepted: bool,
    },
    /// Anything else.
    Problem(Problem),
}

/// When it is worth asking again. A decision takes milliseconds, so that most are done a second later; one that has been
/// `running` for long will probably take as long again, and at the end of its lease anybody may take it over.
#[must_use]
pub(crate) fn retry_after(running: Duration, lease_left: Duration) -> Duration {
    running
        .min(lease_left)
        .clamp(Duration::from_secs(1), Duration::from_secs(30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_comes_back_soon_then_later_and_at_the_leases_end_at_the_latest() {
        let seconds = Duration::from_secs;
        let after = |running, left| retry_after(seconds(running), seconds(left)).as_secs();
        assert_eq!(after(0, 30), 1);
        assert_eq!(after(10, 20), 10);
        assert_eq!(after(25, 5), 5);
        assert_eq!(after(30, 0), 1);
        assert_eq!(after(600, 300), 30);
    }
}
