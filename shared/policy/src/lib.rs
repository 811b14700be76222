//! Versioned policies: schemas, CEL rules, provenance.
//!
//! A policy version is one immutable YAML file. [`PolicySet::load`] reads a directory of them (the only input of this crate);
//! [`PolicySet::get`] compiles a version on first use. [`Policy::normalise`] validates facts and brings them into the one form that
//! identity and rules both use; [`Policy::evaluate`] decides. Evaluation is pure: the instant is an argument, nothing is random,
//! and what a policy may cost is bounded when it is compiled.

mod active;
mod check;
mod compile;
mod document;
mod engine;
mod evaluation;
mod example;
mod facts;
mod files;
mod lock;
mod pointer;
mod policy;
mod problem;
mod retention;
mod schema;
mod set;
mod size;
mod template;
mod yaml;

pub use check::{Checked, check};
pub use evaluation::{Evaluation, EventSpec, FailureCode, Trace, TracedCondition};
pub use facts::{Claim, FactsError, FactsInvalid, MAX_FACTS_ERRORS, NormalisedFacts};
pub use lock::{Lock, LockError};
pub use policy::Policy;
pub use problem::Problem;
pub use retention::Retention;
pub use set::{Listed, LoadError, PolicySet, Unavailable};
