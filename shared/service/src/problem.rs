//! Problem Details (RFC 9457) with advice: every answer that is not a success says whether and how to retry.

use std::time::Duration;

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::json::{Value, object};
use decide_once_protocol::record::FinalCode;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;

use crate::profile::Profile;

/// What a client may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Send the same request with the same key, after a while.
    SameKey,
    /// A new key is safe: nothing was and nothing will be committed under this one.
    NewKey,
    /// Retrying cannot help.
    Never,
}

impl Retry {
    /// The value of the member `retry`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SameKey => "same-key",
            Self::NewKey => "new-key",
            Self::Never => "never",
        }
    }
}

/// Every kind of problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No `Idempotency-Key`.
    KeyMissing,
    /// An `Idempotency-Key` that cannot be one.
    KeyInvalid,
    /// A body that is not the JSON that is asked for.
    BodyInvalid,
    /// A query string where there is none.
    QueryInvalid,
    /// A body that is too large.
    BodyTooLarge,
    /// A body that is not JSON by its media type.
    MediaTypeUnsupported,
    /// Another worker is at it: under the `ietf` profile only.
    InProgress,
    /// The key belongs to another request.
    KeyReused,
    /// The key belongs to another request, and the tenant has done that too often.
    TooManyMismatches,
    /// The result is gone and the key not yet free.
    ResultExpired,
    /// The facts do not meet the policy's schema.
    FactsInvalid,
    /// No such policy or version.
    PolicyUnknown,
    /// A recorded final failure.
    Final(FinalCode),
    /// Nothing can be said now.
    Unavailable,
    /// No identity.
    Unauthenticated,
    /// A scope is missing.
    Forbidden,
    /// No such operation or decision, or another tenant's.
    NotFound,
    /// The operation's result is past.
    Gone,
    /// No such route.
    RouteUnknown,
    /// Not with this method.
    MethodNotAllowed,
}

impl Kind {
    /// One of each, for what has to be said of all of them: documents, tables, tests.
    #[must_use]
    pub fn every() -> Vec<Self> {
        let mut every = vec![
            Self::KeyMissing,
            Self::KeyInvalid,
            Self::BodyInvalid,
            Self::QueryInvalid,
            Self::BodyTooLarge,
            Self::MediaTypeUnsupported,
            Self::InProgress,
            Self::KeyReused,
            Self::TooManyMismatches,
            Self::ResultExpired,
            Self::FactsInvalid,
            Self::PolicyUnknown,
            Self::Unavailable,
            Self::Unauthenticated,
            Self::Forbidden,
            Self::NotFound,
            Self::Gone,
            Self::RouteUnknown,
            Self::MethodNotAllowed,
        ];
        let original = DecisionId::from_random([0; 16]);
        every.extend(
            [
                FinalCode::DecisionFailed,
                FinalCode::ResultTooLarge,
                FinalCode::AttemptsExhausted,
                FinalCode::AlreadyDecided(original),
            ]
            .map(Self::Final),
        );
        every
    }

    /// The last segment of the problem's type.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::KeyMissing => "key-missing",
            Self::KeyInvalid => "key-invalid",
            Self::BodyInvalid => "body-invalid",
            Self::QueryInvalid => "query-invalid",
            Self::BodyTooLarge => "body-too-large",
            Self::MediaTypeUnsupported => "media-type-unsupported",
            Self::InProgress => "in-progress",
            Self::KeyReused => "key-reused",
            Self::TooManyMismatches => "too-many-mismatches",
            Self::ResultExpired => "result-expired",
            Self::FactsInvalid => "facts-invalid",
            Self::PolicyUnknown => "policy-unknown",
            Self::Final(code) => code.as_str(),
            Self::Unavailable => "unavailable",
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::Gone => "result-gone",
            Self::RouteUnknown => "route-unknown",
            Self::MethodNotAllowed => "method-not-allowed",
        }
    }

    /// For people, the same for every occurrence.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        match self {
            Self::KeyMissing => "The Idempotency-Key header is missing",
            Self::KeyInvalid => "The Idempotency-Key header is not valid",
            Self::BodyInvalid => "The body is not a decision request",
            Self::QueryInvalid => "This resource takes no query string",
            Self::BodyTooLarge => "The body is too large",
            Self::MediaTypeUnsupported => "The body's media type is not supported",
            Self::InProgress => "The operation is being decided",
            Self::KeyReused => "The key was used for another request",
            Self::TooManyMismatches => "Too many keys were used for other requests",
            Self::ResultExpired => "The result is no longer kept",
            Self::FactsInvalid => "The facts do not meet the policy's schema",
            Self::PolicyUnknown => "The policy is not known",
            Self::Final(FinalCode::DecisionFailed) => "The request cannot be decided",
            Self::Final(FinalCode::ResultTooLarge) => "The result is too large to be stored",
            Self::Final(FinalCode::AttemptsExhausted) => "The attempts are used up",
            Self::Final(FinalCode::AlreadyDecided(_)) => {
                "This was decided before, under another key"
            }
            Self::Unavailable => "The outcome cannot be told now",
            Self::Unauthenticated => "The caller is not known",
            Self::Forbidden => "The caller may not do this",
            Self::NotFound => "There is nothing here",
            Self::Gone => "The result is no longer kept",
            Self::RouteUnknown => "There is no such resource",
            Self::MethodNotAllowed => "The resource does not have this method",
        }
    }

    /// The HTTP status of the default profile (design.md §2).
    pub(crate) const fn default_status(&self) -> u16 {
        match self {
            Self::KeyMissing | Self::KeyInvalid | Self::BodyInvalid | Self::QueryInvalid => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound | Self::RouteUnknown => 404,
            Self::MethodNotAllowed => 405,
            Self::InProgress
            | Self::KeyReused
            | Self::ResultExpired
            | Self::Final(FinalCode::AlreadyDecided(_)) => 409,
            Self::Gone => 410,
            Self::BodyTooLarge => 413,
            Self::MediaTypeUnsupported => 415,
            Self::TooManyMismatches => 429,
            Self::FactsInvalid
            | Self::PolicyUnknown
            | Self::Final(
                FinalCode::DecisionFailed
                | FinalCode::ResultTooLarge
                | FinalCode::AttemptsExhausted,
            ) => 422,
            Self::Unavailable => 503,
        }
    }

    /// The advice.
    #[must_use]
    pub const fn retry(&self) -> Retry {
        match self {
            Self::InProgress | Self::Unavailable => Retry::SameKey,
            Self::Final(
                FinalCode::DecisionFailed
                | FinalCode::ResultTooLarge
                | FinalCode::AttemptsExhausted,
            ) => Retry::NewKey,
            Self::KeyMissing
            | Self::KeyInvalid
            | Self::BodyInvalid
            | Self::QueryInvalid
            | Self::BodyTooLarge
            | Self::MediaTypeUnsupported
            | Self::KeyReused
            | Self::TooManyMismatches
            | Self::ResultExpired
            | Self::FactsInvalid
            | Self::PolicyUnknown
            | Self::Final(FinalCode::AlreadyDecided(_))
            | Self::Unauthenticated
            | Self::Forbidden
            | Self::NotFound
            | Self::Gone
            | Self::RouteUnknown
            | Self::MethodNotAllowed => Retry::Never,
        }
    }
}

/// One occurrence of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// For people: what happened and what to do next. Never values of the request.
    pub detail: String,
    /// The operation, where there is one.
    pub operation: Option<OperationId>,
    /// A decision that the problem tells of.
    pub decision: Option<DecisionId>,
    /// JSON Pointers into the request's body.
    pub pointers: Vec<String>,
    /// From when the key is free.
    pub free_from: Option<Timestamp>,
    /// When it is worth trying again.
    pub retry_after: Option<Duration>,
    /// Whether it was recorded before this call.
    pub replayed: Option<bool>,
}

impl Problem {
    /// A problem of `kind`; what else it tells is added by its maker.
    #[must_use]
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        let retry_after = (kind.retry() == Retry::SameKey).then_some(Duration::from_secs(1));
        Self {
            kind,
            detail: detail.into(),
            operation: None,
            decision: None,
            pointers: Vec::new(),
            free_from: None,
            retry_after,
            replayed: None,
        }
    }

    /// Names the operation.
    #[must_use]
    pub fn of(self, operation: &OperationId) -> Self {
        Self {
            operation: Some(operation.clone()),
            ..self
        }
    }

    /// The body under the default profile.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_json_under(Profile::Default)
    }

    /// The body, `application/problem+json`. The same for the same occurrence, so that a recorded failure is replayed byte
    /// for byte.
    #[must_use]
    pub fn to_json_under(&self, profile: Profile) -> String {
        let mut body = object([
            (
                "type",
                Value::from(format!("urn:decide-once:problem:{}", self.kind.code())),
            ),
            ("title", Value::from(self.kind.title())),
            ("status", Value::from(i64::from(self.kind.status(profile)))),
            ("detail", Value::from(self.detail.as_str())),
            ("retry", Value::from(self.kind.retry().as_str())),
        ]);
        if let Some(operation) = &self.operation {
            body.insert("operationId", Value::from(operation.as_str()));
        }
        if let Some(decision) = &self.decision {
            body.insert("decisionId", Value::from(decision.as_str()));
        }
        if !self.pointers.is_empty() {
            let pointers = self
                .pointers
                .iter()
                .map(|pointer| Value::from(pointer.as_str()));
            body.insert("pointers", Value::Array(pointers.collect()));
        }
        if let Some(free_from) = self.free_from {
            body.insert("keyFreeFrom", Value::from(free_from.to_rfc3339()));
        }
        body.to_json()
    }
}
