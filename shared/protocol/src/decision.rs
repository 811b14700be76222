//! The decision item, which outlives its operation record, and natural-key claims beside it.

use crate::answer::{Body, Rendered, Verdict};
use crate::hash::{self, base32};
use crate::ids::DecisionId;
use crate::key::IdempotencyKey;
use crate::record::{Expiry, PolicyPin};
use crate::request::Subject;
use crate::scope::{OperationId, OperationName, Tenant};
use crate::time::Timestamp;

/// A committed decision, by its own id and with its own retention.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DecisionItem {
    /// Its id, the table key.
    pub id: DecisionId,
    /// Whose it is; reads are authorised against it.
    pub tenant: Tenant,
    /// The operation that it answers.
    pub operation: OperationId,
    /// The caller's key, part of the answer.
    pub key: IdempotencyKey,
    /// Whom it is about.
    pub subject: Subject,
    /// The policy version that decided.
    pub pin: PolicyPin,
    /// What was decided.
    pub verdict: Verdict,
    /// The evaluation instant.
    pub evaluated_at: Timestamp,
    /// The expiries of the operation record, part of the answer.
    pub expiry: Expiry,
    /// When the decision itself may go; `None` is never.
    pub retained_until: Option<Timestamp>,
}

impl DecisionItem {
    /// The answer's bytes: the same that the first caller and every replay got.
    #[must_use]
    pub fn render(&self) -> Rendered {
        Body {
            decision: &self.id,
            operation: &self.operation,
            key: &self.key,
            pin: &self.pin,
            subject: &self.subject,
            verdict: &self.verdict,
            evaluated_at: self.evaluated_at,
            expiry: self.expiry,
        }
        .render()
    }
}

/// The table key of a natural-key claim: a hash of tenant, operation, claim name and the claimed values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(String);

/// The prefix that keeps claims apart from decisions in their table.
pub const CLAIM_PREFIX: &str = "claim#";

impl ClaimId {
    /// The id of the claim `name` on the canonical `values`.
    ///
    /// # Errors
    /// A missing or empty part: two orders without a number are not the same order.
    pub fn of(
        tenant: &Tenant,
        operation: &OperationName,
        name: &str,
        values: &[String],
    ) -> Result<Self, hash::EmptyPart> {
        let mut parts = vec![
            tenant.as_str().as_bytes(),
            operation.as_str().as_bytes(),
            name.as_bytes(),
        ];
        parts.extend(values.iter().map(String::as_bytes));
        Ok(Self(format!(
            "{CLAIM_PREFIX}{}",
            base32(&hash::parts("natural-key-v1", &parts)?)
        )))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One decision for each value of a natural key, per tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NaturalClaim {
    /// The table key.
    pub id: ClaimId,
    /// The claim's name in the policy.
    pub name: String,
    /// The decision that holds it.
    pub decision: DecisionId,
    /// When it is free again (before the margin); `None` is never.
    pub expiry: Option<Timestamp>,
}
