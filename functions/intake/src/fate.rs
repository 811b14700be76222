//! What becomes of a message: only a recorded final answer acknowledges it.

use std::time::Duration;

use decide_once_protocol::scope::OperationId;
use decide_once_service::metrics::Meter;
use decide_once_service::problem::{Kind, Problem, Retry};
use decide_once_service::reply::{Outcome, Reply};

/// What becomes of a message.
#[derive(Debug)]
pub(crate) enum Fate {
    /// Its answer is recorded, now or before: acknowledged.
    Final {
        /// `decided`, `replayed`, or the code of a recorded failure.
        outcome: &'static str,
    },
    /// Its answer is not known yet: it comes again.
    NotYet {
        /// `in-progress`, or a code.
        outcome: &'static str,
    },
    /// It will never have an answer, and nothing is recorded of it: for the dead-letter queue, with this.
    Refused(Box<Problem>),
}

/// A fate, and the operation, where there is one.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) fate: Fate,
    pub(crate) operation: Option<OperationId>,
    /// What is measured of it.
    pub(crate) meter: Meter,
}

impl Told {
    /// Of a call that took `total`.
    pub(crate) fn of(outcome: Outcome, total: Duration) -> Self {
        Self {
            meter: outcome.meter(total),
            fate: Fate::of(outcome.reply),
            operation: Some(outcome.operation),
        }
    }

    pub(crate) fn refused(problem: Box<Problem>) -> Self {
        Self {
            meter: Meter::default().count(problem.metric(), 1),
            fate: Fate::Refused(problem),
            operation: None,
        }
    }
}

impl Fate {
    fn of(reply: Reply) -> Self {
        match reply {
            Reply::Decided {
                replayed: false, ..
            } => Self::Final { outcome: "decided" },
            Reply::Decided { replayed: true, .. } => Self::Final {
                outcome: "replayed",
            },
            Reply::InProgress { .. } => Self::NotYet {
                outcome: "in-progress",
            },
            Reply::Problem(problem) => Self::of_problem(problem),
        }
    }

    fn of_problem(problem: Problem) -> Self {
        let outcome = problem.kind.code();
        match (&problem.kind, problem.kind.retry()) {
            // Recorded, also where its advice is `never`.
            (Kind::Final(_), _) => Self::Final { outcome },
            (_, Retry::SameKey) => Self::NotYet { outcome },
            (_, Retry::NewKey | Retry::Never) => Self::Refused(Box::new(problem)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_is_final_what_may_pass_comes_again_and_the_rest_is_refused() {
        for kind in Kind::every() {
            let fate = Fate::of_problem(Problem::new(kind.clone(), "why"));
            let expected = match kind {
                Kind::Final(_) => matches!(fate, Fate::Final { outcome } if outcome == kind.code()),
                Kind::Unavailable | Kind::InProgress => matches!(fate, Fate::NotYet { .. }),
                _ => matches!(fate, Fate::Refused(problem) if problem.kind == kind),
            };
            assert!(expected, "{kind:?}");
        }
    }
}
