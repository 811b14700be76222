//! Facts after a policy's schema, and why facts are refused.

use std::fmt;

use decide_once_protocol::json::Object;

/// How many errors are told at most; a caller who has more mends these first.
pub const MAX_FACTS_ERRORS: usize = 16;

/// Facts that a policy accepts: validated, defaults filled in, instants in one spelling, excluded members gone.
///
/// `Debug` shows no values.
#[derive(Clone, PartialEq, Eq)]
pub struct NormalisedFacts {
    pub(crate) facts: Object,
    pub(crate) claims: Vec<Claim>,
}

impl NormalisedFacts {
    /// What belongs to the identity of the operation: the part for the normalised fingerprint.
    #[must_use]
    pub const fn identity(&self) -> &Object {
        &self.facts
    }

    /// What the rules see. The same as [`Self::identity`]: a member that could differ in a retry never influences a decision.
    #[must_use]
    pub const fn facts(&self) -> &Object {
        &self.facts
    }
}

impl fmt::Debug for NormalisedFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NormalisedFacts")
            .field("members", &self.facts.len())
            .finish_non_exhaustive()
    }
}

/// A natural key that a decision takes: no second decision of the tenant under this policy has the same parts.
///
/// `Debug` shows no values.
#[derive(Clone, PartialEq, Eq)]
pub struct Claim {
    /// The claim's name in the policy.
    pub name: String,
    /// The canonical texts of its parts: never none, never an empty one, and `1` differs from `"1"`.
    pub parts: Vec<String>,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("name", &self.name)
            .field("parts", &self.parts.len())
            .finish()
    }
}

/// The facts are not what the policy's schema asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the facts do not meet the policy's schema: {}", Listing(errors))]
pub struct FactsInvalid {
    /// At least one, at most [`MAX_FACTS_ERRORS`].
    pub errors: Vec<FactsError>,
}

/// One thing that is wrong with the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsError {
    /// Where, as a JSON Pointer into the facts (`/amount`; `""` is the facts themselves).
    pub pointer: String,
    /// What is asked for there. Never a value that was sent.
    pub reason: String,
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/facts{} {}", self.pointer, self.reason)
    }
}

struct Listing<'a>(&'a [FactsError]);

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}
