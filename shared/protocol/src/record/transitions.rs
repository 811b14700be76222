//! The legal transitions: the only way to a next record.

use super::carried::Carried;
use super::expiry::{Expiry, Retention, Terms};
use super::state::{FinalCode, FinalFailure, Hold, Keep, RetryCause, State};
use super::{Fence, Identity, MAX_ATTEMPTS, PolicyPin, Record};
use crate::answer::StoredAnswer;
use crate::ids::{DecisionId, OwnerToken};
use crate::scope::{OperationId, Tenant};
use crate::time::Timestamp;

/// What a first reservation fixes for the key's whole life.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The operation.
    pub operation: OperationId,
    /// The tenant.
    pub tenant: Tenant,
    /// The request's identity.
    pub identity: Identity,
    /// The policy version.
    pub pin: PolicyPin,
    /// The decision's id.
    pub decision: DecisionId,
}

impl Record {
    /// Attempt 1 of a new life of the key: PROCESSING.
    #[must_use]
    pub fn reserved(seed: Seed, owner: OwnerToken, terms: Terms) -> Self {
        let fence = Fence { owner, attempt: 1 };
        Self::first(seed, fence, terms.now, terms.processing(None))
    }

    /// A new life of the key that nobody works on yet: PROCESSING, queued, attempt 0. It carries its request, so that it can
    /// be decided without its caller, and has an owner token of its own, so that what was seen of an earlier life never fits it.
    #[must_use]
    pub fn queued(seed: Seed, owner: OwnerToken, now: Timestamp, carried: Carried) -> Self {
        let fence = Fence { owner, attempt: 0 };
        let state = State::Processing {
            hold: Hold::Queued,
            keep: Keep::Carrying(carried),
        };
        Self::first(seed, fence, now, state)
    }

    fn first(seed: Seed, fence: Fence, now: Timestamp, state: State) -> Self {
        let Seed {
            operation,
            tenant,
            identity,
            pin,
            decision,
        } = seed;
        Self {
            operation,
            tenant,
            identity,
            pin,
            decision,
            fence,
            forgiven: 0,
            created: now,
            updated: now,
            state,
        }
    }

    /// PROCESSING or FAILED_RETRYABLE → PROCESSING with a new owner. Decision id, pin, identity and a carried request stay.
    #[must_use]
    pub(crate) fn taken_over(&self, owner: OwnerToken, terms: Terms) -> Self {
        Self {
            fence: self.next_fence(owner),
            updated: terms.now,
            state: terms.processing(self.carried()),
            ..self.clone()
        }
    }

    /// PROCESSING → SUCCEEDED, by its owner. Final states carry no request.
    #[must_use]
    pub(crate) fn succeeded(&self, answer: StoredAnswer, now: Timestamp, expiry: Expiry) -> Self {
        Self {
            updated: now,
            state: State::Succeeded { answer, expiry },
            ..self.clone()
        }
    }

    /// PROCESSING → FAILED_RETRYABLE, by its owner.
    #[must_use]
    pub(crate) fn released(&self, cause: RetryCause, now: Timestamp) -> Self {
        let forgiven = self.forgiven + u32::from(!cause.counts());
        let keep = match &self.state {
            State::Processing { keep, .. } | State::FailedRetryable { keep, .. } => keep.clone(),
            State::Succeeded { expiry, .. } | State::FailedFinal { expiry, .. } => {
                Keep::Until(expiry.key)
            }
        };
        Self {
            updated: now,
            forgiven,
            state: State::FailedRetryable { cause, keep },
            ..self.clone()
        }
    }

    /// PROCESSING → FAILED_FINAL, by its owner.
    #[must_use]
    pub(crate) fn failed(
        &self,
        failure: FinalFailure,
        now: Timestamp,
        retention: Retention,
    ) -> Self {
        let expiry = retention.from(now);
        Self {
            updated: now,
            state: State::FailedFinal { failure, expiry },
            ..self.clone()
        }
    }

    /// What a takeover would have been, once the attempts are used up: FAILED_FINAL `attempts-exhausted`.
    #[must_use]
    pub(crate) fn exhausted(
        &self,
        owner: OwnerToken,
        now: Timestamp,
        retention: Retention,
    ) -> Self {
        let failure = FinalFailure {
            code: FinalCode::AttemptsExhausted,
            detail: format!("{MAX_ATTEMPTS} attempts ended without a result"),
        };
        Self {
            fence: self.next_fence(owner),
            ..self.failed(failure, now, retention)
        }
    }

    fn next_fence(&self, owner: OwnerToken) -> Fence {
        Fence {
            owner,
            attempt: self.fence.attempt.saturating_add(1),
        }
    }
}
