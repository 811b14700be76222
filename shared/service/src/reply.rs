//! What a caller is told, before it is HTTP.

use std::time::Duration;

use decide_once_protocol::answer::Rendered;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::scope::OperationId;

use crate::effort::Effort;
use crate::metrics::{Meter, Metric};
use crate::problem::{Kind, Problem};
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

impl Outcome {
    /// What the call ended with.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        match (self.reply.metric(), self.recalled) {
            (Metric::Replayed, true) => Metric::ReplayedCached,
            (metric, _) => metric,
        }
    }

    /// What is measured of a call that took `total`.
    pub fn meter(&self, total: Duration) -> Meter {
        let ended = Meter::default().count(self.metric(), 1);
        ended.with(self.effort.meter(total))
    }
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

impl Reply {
    const fn metric(&self) -> Metric {
        match self {
            Self::Decided {
                replayed: false, ..
            } => Metric::Decided,
            Self::Decided { replayed: true, .. } => Metric::Replayed,
            Self::InProgress { accepted: true, .. } => Metric::Queued,
            Self::InProgress {
                accepted: false, ..
            } => Metric::InProgress,
            Self::Problem(problem) => problem.metric(),
        }
    }
}

impl Problem {
    /// What a request counts as that ends with it.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        match (&self.kind, self.replayed) {
            (Kind::Final(_), Some(true)) => Metric::Replayed,
            (Kind::Final(_), Some(false) | None) => Metric::FailedFinal,
            (Kind::KeyReused | Kind::TooManyMismatches, _) => Metric::KeyReused,
            (Kind::ResultExpired, _) => Metric::ResultExpired,
            (Kind::InProgress, _) => Metric::InProgress,
            (Kind::Unavailable, _) => Metric::Unavailable,
            (
                Kind::KeyMissing
                | Kind::KeyInvalid
                | Kind::BodyInvalid
                | Kind::QueryInvalid
                | Kind::BodyTooLarge
                | Kind::MediaTypeUnsupported
                | Kind::FactsInvalid
                | Kind::PolicyUnknown
                | Kind::Unauthenticated
                | Kind::Forbidden
                | Kind::NotFound
                | Kind::Gone
                | Kind::RouteUnknown
                | Kind::MethodNotAllowed,
                _,
            ) => Metric::Refused,
        }
    }
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
