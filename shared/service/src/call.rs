//! A caller's request, prepared: what the protocol asks of it, answered from the request and the packaged policies.
//!
//! Everything that identifies the request is computed once, here, and carried; nothing downstream looks at the facts again
//! except the evaluation.

use std::time::Duration;

use decide_once_policy::{FactsInvalid, NormalisedFacts, Policy, PolicySet, Unavailable};
use decide_once_protocol::classify::{Caller, Sameness};
use decide_once_protocol::fingerprint::{self, Fingerprint, Scheme};
use decide_once_protocol::flow::{Moment, Reserver};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::members::Members;
use decide_once_protocol::record::{
    Carried, EXPIRY_MARGIN, Identity, PolicyPin, Record, Retention, Seed, Terms,
};
use decide_once_protocol::request::{DecisionRequest, PolicyVersion};
use decide_once_protocol::scope::{OperationId, OperationName, Scope, Tenant};
use decide_once_protocol::trace::TraceParent;

/// What a caller asks: who, which operation, under which key, what.
#[derive(Clone, Debug)]
pub struct Call {
    /// Whose call it is, and under which key.
    pub scope: Scope,
    /// The request.
    pub request: DecisionRequest,
    /// When its caller wants the answer.
    pub respond: Respond,
    /// The trace that its caller asks in. Its events belong to it; it decides nothing.
    pub trace: Option<TraceParent>,
}

/// When a caller wants its answer (RFC 7240 §4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respond {
    /// In this call.
    Now,
    /// Later: the operation is queued, and decided without its caller. What is over
    /// [`CARRIED_LIMIT`](decide_once_protocol::record::CARRIED_LIMIT) is decided now all the same.
    Later,
}

impl Call {
    /// The tenant.
    #[must_use]
    pub const fn tenant(&self) -> &Tenant {
        &self.scope.tenant
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> &IdempotencyKey {
        &self.scope.key
    }
}

/// Why a request cannot be reserved under the policy that would decide it.
#[derive(Debug)]
pub enum Unreservable {
    /// The policy, or the version of it that the caller names, is not here, or none is active.
    PolicyUnknown(String),
    /// The facts do not meet the schema.
    FactsInvalid(FactsInvalid),
    /// The policy is here, but broken: the operator's fault, not the caller's.
    PolicyBroken(String),
    /// Not a caller's: an operation is gone on with, and never begun anew.
    Resumed,
}

/// A call with its identity.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    call: &'a Call,
    policies: &'a PolicySet,
    operation: OperationId,
    exact: Fingerprint,
    /// Under the version that the caller named, else the active one.
    fresh: Result<Fresh, Unreservable>,
    /// For a first reservation.
    decision: DecisionId,
    /// How long a queued operation is left to those who look after the queue.
    queue_patience: Duration,
}

#[derive(Debug)]
struct Fresh {
    pin: PolicyPin,
    normalised: Fingerprint,
    retention: Retention,
}

impl<'a> Prepared<'a> {
    /// Of a caller.
    pub(crate) fn new(
        call: &'a Call,
        policies: &'a PolicySet,
        decision: DecisionId,
        queue_patience: Duration,
    ) -> Self {
        Self {
            fresh: call.fresh(policies),
            queue_patience,
            ..Self::resumed(call, policies, decision)
        }
    }

    /// Of a request that its operation carries, by those who look after the queue.
    pub(crate) fn resumed(call: &'a Call, policies: &'a PolicySet, decision: DecisionId) -> Self {
        Self {
            call,
            policies,
            operation: call.scope.operation_id(),
            exact: fingerprint::exact(Scheme::V1, call.operation_name(), &call.request),
            fresh: Err(Unreservable::Resumed),
            decision,
            queue_patience: Duration::ZERO,
        }
    }

    pub(crate) const fn call(&self) -> &Call {
        self.call
    }

    pub(crate) const fn operation(&self) -> &OperationId {
        &self.operation
    }

    /// Why the request cannot be reserved, if it cannot.
    pub(crate) fn unreservable(&self) -> Option<&Unreservable> {
        self.fresh.as_ref().err()
    }

    /// The pinned policy and the facts as it sees them; `None` if it is not packaged, or refuses them.
    pub(crate) fn evaluation(&self, pin: &PolicyPin) -> Option<(&'a Policy, NormalisedFacts)> {
        let policy = pinned(self.policies, pin)?;
        let facts = policy.normalise(&self.call.request.facts).ok()?;
        Some((policy, facts))
    }

    /// Compares under the record's own scheme and pinned version; a request that names no version takes the record's.
    fn normalised_sameness(&self, record: &Record) -> Sameness {
        let request = &self.call.request;
        let (pin, identity) = (&record.pin, &record.identity);
        let other_version = request
            .version
            .is_some_and(|version| version != pin.version);
        if request.policy != pin.id || other_version {
            return self.differs(record, None);
        }
        let Some(policy) = pinned(self.policies, pin) else {
            return Sameness::Unjudged;
        };
        let Ok(facts) = policy.normalise(&request.facts) else {
            return self.differs(record, Some(policy));
        };
        let normalised = fingerprint::normalised(
            identity.scheme,
            self.call.operation_name(),
            &pin.id,
            pin.version,
            &request.subject,
            facts.identity(),
        );
        if normalised == identity.normalised {
            Sameness::Same
        } else {
            self.differs(record, Some(policy))
        }
    }

    /// Names what differs; members that are not part of the identity under the pinned policy are not what differs.
    fn differs(&self, record: &Record, policy: Option<&Policy>) -> Sameness {
        let named = record
            .identity
            .members
            .differing(record.decision.as_str().as_bytes(), &self.call.request);
        let pointers = named
            .into_iter()
            .filter(|pointer| policy.is_none() || pointer != "/version")
            .filter(|pointer| !policy.is_some_and(|policy| excludes(policy, pointer)))
            .collect();
        Sameness::Different { pointers }
    }
}

impl Caller for Prepared<'_> {
    fn sameness(&self, record: &Record) -> Sameness {
        if record.identity.exact == self.exact && record.identity.scheme == Scheme::V1 {
            Sameness::Same
        } else {
            self.normalised_sameness(record)
        }
    }

    fn retention(&self, pin: &PolicyPin) -> Option<Retention> {
        pinned(self.policies, pin).map(retention)
    }

    fn queue_patience(&self) -> Duration {
        self.queue_patience
    }
}

impl Reserver for Prepared<'_> {
    fn reservation(&self, moment: &Moment) -> Option<Record> {
        let fresh = self.fresh.as_ref().ok()?;
        let salt = self.decision.as_str().as_bytes();
        let seed = Seed {
            operation: self.operation.clone(),
            tenant: self.call.tenant().clone(),
            identity: Identity {
                scheme: Scheme::V1,
                exact: self.exact,
                normalised: fresh.normalised,
                members: Members::of(salt, &self.call.request),
            },
            pin: fresh.pin.clone(),
            decision: self.decision.clone(),
        };
        if let Some(carried) = self.call.to_carry() {
            return Some(Record::queued(seed, moment.owner, moment.now, carried));
        }
        let terms = Terms {
            now: moment.now,
            lease_until: moment.lease_until,
            retention: fresh.retention,
        };
        Some(Record::reserved(seed, moment.owner, terms))
    }
}

impl Call {
    pub(crate) const fn operation_name(&self) -> &OperationName {
        &self.scope.operation
    }

    /// The request for the record, if its caller does not wait and it is not too large.
    fn to_carry(&self) -> Option<Carried> {
        match self.respond {
            Respond::Now => None,
            Respond::Later => {
                Carried::of(self.key(), &self.request).map(|it| it.traced(self.trace))
            }
        }
    }

    fn fresh(&self, policies: &PolicySet) -> Result<Fresh, Unreservable> {
        let version = self.version(policies)?;
        let policy = policies
            .get(&self.request.policy, version)
            .map_err(|why| match why {
                Unavailable::UnknownPolicy(_) | Unavailable::UnknownVersion(..) => {
                    Unreservable::PolicyUnknown(why.to_string())
                }
                Unavailable::Broken { .. } => Unreservable::PolicyBroken(why.to_string()),
            })?;
        let facts = policy
            .normalise(&self.request.facts)
            .map_err(Unreservable::FactsInvalid)?;
        let normalised = fingerprint::normalised(
            Scheme::V1,
            self.operation_name(),
            &policy.id,
            policy.version,
            &self.request.subject,
            facts.identity(),
        );
        let pin = PolicyPin {
            id: policy.id.clone(),
            version: policy.version,
            digest: policy.digest,
        };
        Ok(Fresh {
            pin,
            normalised,
            retention: retention(policy),
        })
    }

    fn version(&self, policies: &PolicySet) -> Result<PolicyVersion, Unreservable> {
        let policy = &self.request.policy;
        self.request
            .version
            .or_else(|| policies.active(policy))
            .ok_or_else(|| {
                let text = format!("policy {policy} is not known here, or has no active version");
                Unreservable::PolicyUnknown(text)
            })
    }
}

/// The pinned version, if it is packaged here with the very bytes that were pinned.
fn pinned<'a>(policies: &'a PolicySet, pin: &PolicyPin) -> Option<&'a Policy> {
    let policy = policies.get(&pin.id, pin.version).ok()?;
    (policy.digest == pin.digest).then_some(policy)
}

/// `pointer` is into the body, a policy's are into the facts.
fn excludes(policy: &Policy, pointer: &str) -> bool {
    pointer
        .strip_prefix("/facts")
        .is_some_and(|fact| policy.excludes(fact))
}

fn retention(policy: &Policy) -> Retention {
    Retention {
        result: policy.retention.result,
        key: policy
            .retention
            .key
            .max(policy.retention.result + EXPIRY_MARGIN),
        decision: policy.retention.decision,
    }
}
