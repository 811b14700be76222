//! `decide-once policy check|evaluate|lock`: the tool of those who write policies.
//!
//! Each command works on a policies directory and gives a [`Report`]: lines for people, or one JSON object for machines. What the
//! rules are is for `decide-once-policy` to say; here it is only shown.

mod args;
mod check;
mod error;
mod evaluate;
mod lock;
mod report;
mod trace;

use decide_once_policy::{Lock, PolicySet};

pub use args::{EvaluateArgs, PolicyArgs, PolicyCommand};
pub use error::PolicyError;
pub use report::Report;

use crate::policies;

/// Does what was asked.
///
/// # Errors
/// There is nothing to report on: no policies directory, no such policy, no facts.
pub fn run(args: &PolicyArgs) -> Result<Report, PolicyError> {
    let directory = policies::find(args.policies.as_deref())?;
    match &args.command {
        PolicyCommand::Check => check::run(&directory),
        PolicyCommand::Evaluate(asked) => evaluate::run(&PolicySet::load(&directory)?, asked),
        PolicyCommand::Lock => lock::run(
            &directory,
            &PolicySet::load(&directory)?,
            &Lock::read(&directory)?,
        ),
    }
}
