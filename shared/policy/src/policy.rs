//! One policy version, compiled.

use decide_once_protocol::json::Object;
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};

use crate::evaluation::{Evaluation, Trace};
use crate::facts::{FactsInvalid, NormalisedFacts};
use crate::problem::{Findings, Problem};
use crate::retention::Retention;

/// One immutable version of a policy.
#[derive(Debug)]
pub struct Policy {
    /// The policy's name.
    pub id: PolicyId,
    /// Its version.
    pub version: PolicyVersion,
    /// SHA-256 of the file's bytes: the provenance of every decision made under it.
    pub digest: [u8; 32],
    /// How long what is decided under it is kept.
    pub retention: Retention,
}

impl Policy {
    pub(crate) fn compile(
        file: &str,
        _: &PolicyId,
        _: PolicyVersion,
        _: &[u8],
    ) -> Result<Self, Vec<Problem>> {
        let mut findings = Findings::new(file);
        findings.add(0, "this build does not compile policies yet");
        Err(findings.into_problems())
    }

    /// Validates facts with the policy's schema and normalises them.
    ///
    /// # Errors
    /// When the facts do not meet the schema; every error has its JSON Pointer and no value.
    pub fn normalise(&self, facts: &Object) -> Result<NormalisedFacts, FactsInvalid> {
        Ok(NormalisedFacts {
            facts: facts.clone(),
            claims: Vec::new(),
        })
    }

    /// Decides: the first rule whose condition is true gives the outcome. Pure, and never panics.
    ///
    /// `now` is the evaluation instant in milliseconds since the Unix epoch.
    #[must_use]
    pub fn evaluate(&self, facts: &NormalisedFacts, subject: &Subject, now: i64) -> Evaluation {
        self.evaluate_traced(facts, subject, now).0
    }

    /// As [`Self::evaluate`], and says which rules were tried and what each condition was.
    #[must_use]
    pub fn evaluate_traced(&self, _: &NormalisedFacts, _: &Subject, _: i64) -> (Evaluation, Trace) {
        let code = crate::evaluation::FailureCode::NoRuleMatched;
        (
            Evaluation::Failed {
                code,
                detail: "no rule matched".to_owned(),
            },
            Trace::default(),
        )
    }
}
