//! The command line of `policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};

/// Arguments of `policy`.
#[derive(Debug, Clone, Args)]
pub struct PolicyArgs {
    /// What to do
    #[command(subcommand)]
    pub command: PolicyCommand,
    /// The policies; the default is the workspace's own
    #[arg(long, value_name = "DIR", global = true)]
    pub policies: Option<PathBuf>,
    /// Say it as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do with policies.
#[derive(Debug, Clone, Subcommand)]
pub enum PolicyCommand {
    /// Check every file: within the bounds, its examples as expected, nothing published changed or gone
    Check,
    /// Decide on facts, and say which rules were tried and what each condition was; nothing is recorded
    Evaluate(EvaluateArgs),
    /// Publish: add the digests of new versions to the lock; refused while the check finds anything
    Lock,
}

/// Arguments of `policy evaluate`.
#[derive(Debug, Clone, Args)]
pub struct EvaluateArgs {
    /// The policy
    #[arg(value_parser = PolicyId::parse)]
    pub id: PolicyId,
    /// Its version; the default is the active one
    #[arg(long, value_name = "N", value_parser = version)]
    pub version: Option<PolicyVersion>,
    /// A file with the facts, a JSON object; `-` reads them from stdin
    #[arg(long, value_name = "FILE|-")]
    pub facts: PathBuf,
    /// What the decision is about
    #[arg(long, value_name = "SUBJECT", default_value = "example", value_parser = Subject::parse)]
    pub subject: Subject,
    /// The evaluation instant, as 2026-12-01T00:00:00Z; the default is now
    #[arg(long, value_name = "TIME")]
    pub now: Option<jiff::Timestamp>,
}

fn version(argument: &str) -> Result<PolicyVersion, String> {
    let number = argument.parse().map_err(|_| "expected 1, 2, 3, …")?;
    PolicyVersion::new(number).map_err(|error| error.to_string())
}
