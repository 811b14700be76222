//! Versioned policies: schemas, CEL rules, provenance.
//!
//! A policy version is one immutable YAML file. [`PolicySet::load`] reads a directory of them (the only input of this crate);
//! [`PolicySet::get`] compiles a version on first use. [`Policy::normalise`] validates facts and brings them into the one form that
//! identity and rules both use; [`Policy::evaluate`] decides. Evaluation is pure: the instant is an argument, nothing is random,
//! and what a policy may cost is bounded when it is compiled.

#![expect(
    dead_code,
    reason = "the public API first; what compiles a policy follows"
)]

mod evaluation;
mod facts;
mod files;
mod policy;
mod problem;
mod retention;
mod set;
mod yaml;

pub use evaluation::{Evaluation, EventSpec, FailureCode, Trace, TracedRule};
pub use facts::{Claim, FactsError, FactsInvalid, MAX_FACTS_ERRORS, NormalisedFacts};
pub use policy::Policy;
pub use problem::Problem;
pub use retention::Retention;
pub use set::{Listed, LoadError, PolicySet, Unavailable};
