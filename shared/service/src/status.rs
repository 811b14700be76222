//! Reading: an operation's status, and a decision. One strong read each; authorised anew each time.

use decide_once_protocol::answer::Rendered;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::json::{Value, object};
use decide_once_protocol::record::{Hold, Record, State, StateName};
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Existing, Unreadable};

use crate::ports::{Read, Store};
use crate::problem::{Kind, Problem, Retry};

/// The status of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The operation.
    pub operation: OperationId,
    /// Its state.
    pub state: StateName,
    /// Attempts so far.
    pub attempts: u32,
    /// When the key was reserved.
    pub created: Timestamp,
    /// When the state was written.
    pub updated: Timestamp,
    /// Until when the owner holds it, where somebody does.
    pub lease: Option<Timestamp>,
    /// The decision, once there is one.
    pub decision: Option<DecisionId>,
    /// The code of a final failure.
    pub failure: Option<&'static str>,
    /// What a caller may do.
    pub retry: Option<Retry>,
    /// The same in words.
    pub advice: &'static str,
}

impl Status {
    /// The status that `record` shows at `now`.
    #[must_use]
    pub fn of(record: &Record, now: Timestamp) -> Self {
        let lease = match record.state {
            State::Processing {
                hold: Hold::Leased(lease),
                ..
            } if now < lease => Some(lease),
            State::Processing { .. }
            | State::Succeeded { .. }
            | State::FailedRetryable { .. }
            | State::FailedFinal { .. } => None,
        };
        let (decision, failure, retry, advice) = match &record.state {
            State::Processing { .. } if lease.is_some() => (
                None,
                None,
                Some(Retry::SameKey),
                "being decided; ask again, or POST the same request with the same key",
            ),
            State::Processing { .. } | State::FailedRetryable { .. }
                if record.carried().is_some() =>
            {
                (None, None, Some(Retry::SameKey), carried_advice(record))
            }
            State::Processing { .. } => (
                None,
                None,
                Some(Retry::SameKey),
                "its worker is gone; POST again with the same key to have it decided",
            ),
            State::FailedRetryable { .. } => (
                None,
                None,
                Some(Retry::SameKey),
                "the last attempt was given up; POST again with the same key",
            ),
            State::Succeeded { .. } => (Some(record.decision.clone()), None, None, "decided"),
            State::FailedFinal { failure, .. } => {
                let retry = Kind::Final(failure.code.clone()).retry();
                (
                    None,
                    Some(failure.code.as_str()),
                    Some(retry),
                    "it can never be decided under this key",
                )
            }
        };
        Self {
            operation: record.operation.clone(),
            state: record.state.name(),
            attempts: record.fence.attempt,
            created: record.created,
            updated: record.updated,
            lease,
            decision,
            failure,
            retry,
            advice,
        }
    }

    /// The body. It never looks like a decision: `state` in place of `status`, and no outcome.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut body = object([
            ("operationId", Value::from(self.operation.as_str())),
            ("state", Value::from(self.state.as_str())),
            ("attempts", Value::from(i64::from(self.attempts))),
            ("createdAt", Value::from(self.created.to_rfc3339())),
            ("updatedAt", Value::from(self.updated.to_rfc3339())),
        ]);
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                body.insert(name, Value::from(value));
            }
        };
        add("leaseExpiresAt", self.lease.map(Timestamp::to_rfc3339));
        add(
            "decision",
            self.decision
                .as_ref()
                .map(|id| format!("/v1/decisions/{id}")),
        );
        add("failure", self.failure.map(str::to_owned));
        add("retry", self.retry.map(|retry| retry.as_str().to_owned()));
        add("advice", Some(self.advice.to_owned()));
        body.to_json()
    }
}

/// What carries its request needs nobody's POST.
const fn carried_advice(record: &Record) -> &'static str {
    if record.is_queued() {
        "queued, and decided without you; ask again, or POST the same request with the same key"
    } else {
        "the last attempt did not finish, and the next comes without you; ask again, or POST the same request with the same key"
    }
}

/// The status of `id` for `tenant`.
///
/// # Errors
/// The problem to answer: another tenant's operation is the same "not found" as an unknown one.
pub async fn status(
    store: &impl Store,
    tenant: &Tenant,
    id: &OperationId,
    now: Timestamp,
) -> Result<Status, Box<Problem>> {
    match store.read_operation(id).await {
        Ok(Existing::Found(record)) if record.tenant == *tenant && !record.is_free_at(now) => {
            kept(&record, now)
        }
        Ok(Existing::Found(_) | Existing::Absent) => Err(Box::new(not_found("operation"))),
        Ok(Existing::Unreadable(why)) => Err(unreadable(id.as_str(), &why)),
        Err(_) => Err(unavailable("the store did not answer; ask again")),
    }
}

fn kept(record: &Record, now: Timestamp) -> Result<Status, Box<Problem>> {
    match &record.state {
        State::Succeeded { expiry, .. } | State::FailedFinal { expiry, .. }
            if now >= expiry.result =>
        {
            let detail = "the operation is finished and its result is no longer kept; this is no licence to repeat it";
            let decision = match record.state {
                State::Succeeded { .. } => Some(record.decision.clone()),
                State::FailedFinal { .. }
                | State::Processing { .. }
                | State::FailedRetryable { .. } => None,
            };
            let problem = Problem::new(Kind::Gone, detail).of(&record.operation);
            Err(Box::new(Problem {
                decision,
                free_from: Some(expiry.free_from()),
                ..problem
            }))
        }
        State::Succeeded { .. }
        | State::FailedFinal { .. }
        | State::Processing { .. }
        | State::FailedRetryable { .. } => Ok(Status::of(record, now)),
    }
}

/// The decision `id` for `tenant`: the bytes that its first caller got.
///
/// # Errors
/// The problem to answer: another tenant's decision is the same "not found" as an unknown one.
pub async fn decision(
    store: &impl Store,
    tenant: &Tenant,
    id: &DecisionId,
    now: Timestamp,
) -> Result<Rendered, Box<Problem>> {
    match store.read_decision(id).await {
        Ok(Read::Found(item))
            if item.tenant == *tenant && item.retained_until.is_none_or(|end| now < end) =>
        {
            Ok(item.render())
        }
        Ok(Read::Found(_) | Read::Absent) => Err(Box::new(not_found("decision"))),
        Ok(Read::Unreadable(why)) => Err(unreadable(id.as_str(), &why)),
        Err(_) => Err(unavailable("the store did not answer; ask again")),
    }
}

/// The one answer for what is unknown and for what is another tenant's.
#[must_use]
pub fn not_found(what: &str) -> Problem {
    Problem::new(
        Kind::NotFound,
        format!("there is no such {what}, or it is not yours"),
    )
}

/// Newer is what a rollout brings; corrupt is what somebody has to look into. One word for both would send operators the wrong way.
fn unreadable(id: &str, why: &Unreadable) -> Box<Problem> {
    match why {
        Unreadable::Newer { version } => {
            tracing::error!(alarm = "record-newer", id, version);
            unavailable("the item was written by a newer version of this service; ask again")
        }
        Unreadable::Corrupt { attribute } => {
            tracing::error!(alarm = "record-corrupt", id, what = %attribute);
            unavailable("the item cannot be read; the operator has been told")
        }
    }
}

fn unavailable(detail: &str) -> Box<Problem> {
    Box::new(Problem::new(Kind::Unavailable, detail))
}
