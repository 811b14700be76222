//! The recorded answer: what is stored of a decision so that every replay has the same bytes.
//!
//! A record stores the answer's *parts* and the SHA-256 of its bytes; the bytes are [`Body::render`] of the parts, a function
//! that never changes for a record version. What a retrying caller sends anyway (key, subject) is not stored again, so a
//! record stays under 1 KB and a replay, which is charged by the size of the stored item, costs one write unit. A body
//! whose digest differs from the stored one is never sent: the record is treated as corrupt.

use sha2::{Digest as _, Sha256};

use crate::hash::hex;
use crate::ids::DecisionId;
use crate::json::Value;
use crate::key::IdempotencyKey;
use crate::record::{Expiry, PolicyPin};
use crate::request::Subject;
use crate::scope::OperationId;
use crate::time::Timestamp;

/// What a policy said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// The id of the rule that hit.
    pub rule: String,
    /// The outcome: a JSON object as text, embedded in the body as it is.
    pub outcome: String,
    /// The types of the events, in order; their ids follow from the decision's.
    pub event_types: Vec<String>,
}

/// A stored answer: the digest of its bytes, and its parts or where they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredAnswer {
    /// SHA-256 of the body.
    pub digest: [u8; 32],
    /// The verdict, or `None` when it is only in the decision item (see [`INLINE_LIMIT`]).
    pub inline: Option<Verdict>,
}

/// Verdicts up to this many bytes are kept in the operation record. A replay is a refused `PutItem`, charged 1 write unit
/// per KB of the stored record; a verdict by reference costs 1 write unit plus one strong read of the decision item at a
/// fifth of the price per 4 KB, and a second round trip. Above 3 KB the reference is the cheaper one.
pub const INLINE_LIMIT: usize = 3 * 1024;

/// The largest verdict with its events that is committed, in bytes: an item holds 400 KB
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html>), the rest is for names and margin.
pub const RESULT_LIMIT: usize = 350 * 1024;

/// Everything that a decision's body tells.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// The decision.
    pub decision: &'a DecisionId,
    /// The operation.
    pub operation: &'a OperationId,
    /// The caller's key.
    pub key: &'a IdempotencyKey,
    /// The policy version that decided.
    pub pin: &'a PolicyPin,
    /// Whom it is about.
    pub subject: &'a Subject,
    /// What was decided.
    pub verdict: &'a Verdict,
    /// The evaluation instant.
    pub evaluated_at: Timestamp,
    /// The expiries.
    pub expiry: Expiry,
}

/// The bytes of an answer, with their digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The JSON body.
    pub bytes: Vec<u8>,
    /// SHA-256 of `bytes`.
    pub digest: [u8; 32],
}

impl Body<'_> {
    /// The body of record version 1. Its bytes are a promise: see `golden/answer-v1.json`.
    #[must_use]
    pub fn render(&self) -> Rendered {
        let quoted = |text: &str| Value::from(text).to_json();
        let events: Vec<String> = (0..)
            .zip(&self.verdict.event_types)
            .map(|(index, kind)| {
                format!(
                    r#"{{"id":"{}","type":{}}}"#,
                    self.decision.event(index),
                    quoted(kind)
                )
            })
            .collect();
        let body = format!(
            concat!(
                r#"{{"decisionId":"{decision}","operationId":"{operation}","idempotencyKey":{key},"status":"SUCCEEDED","#,
                r#""outcome":{outcome},"rule":{rule},"policy":{{"id":"{policy}","version":{version},"digest":"sha256:{digest}"}},"#,
                r#""subject":{subject},"evaluatedAt":"{at}","events":[{events}],"#,
                r#""resultExpiresAt":"{result}","keyRetiredUntil":"{retired}"}}"#
            ),
            decision = self.decision,
            operation = self.operation,
            key = quoted(self.key.as_str()),
            outcome = self.verdict.outcome,
            rule = quoted(&self.verdict.rule),
            policy = self.pin.id,
            version = self.pin.version,
            digest = hex(&self.pin.digest),
            subject = quoted(self.subject.as_str()),
            at = self.evaluated_at.to_rfc3339(),
            events = events.join(","),
            result = self.expiry.result.to_rfc3339(),
            retired = self.expiry.key.to_rfc3339(),
        );
        let digest = Sha256::digest(body.as_bytes()).into();
        Rendered {
            bytes: body.into_bytes(),
            digest,
        }
    }
}
