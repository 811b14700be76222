//! The operation record: what the store remembers of one key, and the legal transitions between its states.
//!
//! The state is an enum: what a state does not have, it cannot carry. The transitions are the only way to a next record,
//! so that no adapter and no use-case can make a record that the protocol does not know.

use std::time::Duration;

use crate::answer::StoredAnswer;
use crate::fingerprint::{Fingerprint, Scheme};
use crate::ids::{DecisionId, OwnerToken};
use crate::members::Members;
use crate::request::{PolicyId, PolicyVersion};
use crate::scope::{OperationId, Tenant};
use crate::time::Timestamp;

/// The version of the stored layout. A record of a newer version is never written to by older code.
pub const RECORD_VERSION: u32 = 1;

/// What two clocks may differ by at most. Freeing a key subtracts it, TTL adds it (design.md §3, 7): so neither a fast
/// contender nor TTL deletion can end a key's life while somebody else's clock says that it still runs.
pub const EXPIRY_MARGIN: Duration = Duration::from_secs(300);

/// How many counted attempts an operation has. The caller that would start one more records `attempts-exhausted`.
pub const MAX_ATTEMPTS: u32 = 10;

/// Everything that is remembered of one (tenant, operation, key).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The table key: a hash of tenant, operation and idempotency key.
    pub operation: OperationId,
    /// Whose it is; reads are authorised against it.
    pub tenant: Tenant,
    /// What request it belongs to.
    pub identity: Identity,
    /// The policy version that decides, whatever becomes active later.
    pub pin: PolicyPin,
    /// The decision's name: chosen at the first reservation, kept over every takeover.
    pub decision: DecisionId,
    /// Who wrote the current state, in which attempt.
    pub fence: Fence,
    /// How many of the attempts ended in a failure of the store; they do not count towards [`MAX_ATTEMPTS`].
    pub forgiven: u32,
    /// When the key was first reserved in this life.
    pub created: Timestamp,
    /// When the current state was written. For a success this is the evaluation instant.
    pub updated: Timestamp,
    /// The state and what belongs to it.
    pub state: State,
}

/// The identity of the request that reserved the key (design.md §2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The fingerprint scheme that both fingerprints were computed under.
    pub scheme: Scheme,
    /// Over the request as it was sent.
    pub exact: Fingerprint,
    /// Over the request after its pinned policy's schema.
    pub normalised: Fingerprint,
    /// Short digests of members, to name what differs.
    pub members: Members,
}

/// A policy version with the digest of its file's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyPin {
    /// The policy's name.
    pub id: PolicyId,
    /// Its version.
    pub version: PolicyVersion,
    /// SHA-256 of the file.
    pub digest: [u8; 32],
}

/// Owner and attempt. Every write after the reservation is conditional on both, and on the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Random, fresh for each reservation and takeover.
    pub owner: OwnerToken,
    /// Counts from 1 within a key's life.
    pub attempt: u32,
}

/// When a finished record stops answering, and when its key is free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// The result is replayed before this instant; from it on it is gone (half-open).
    pub result: Timestamp,
    /// The key is retired before this instant; it is free [`EXPIRY_MARGIN`] after it.
    pub key: Timestamp,
}

impl Expiry {
    /// From when the key is free, by every clock.
    #[must_use]
    pub fn free_from(&self) -> Timestamp {
        self.key.plus(EXPIRY_MARGIN)
    }
}

/// For how long a policy keeps what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Retention {
    /// The result, for replays.
    pub result: Duration,
    /// The key, against reuse; at least `result` plus [`EXPIRY_MARGIN`].
    pub key: Duration,
    /// The decision item; `None` is for ever.
    pub decision: Option<Duration>,
}

impl Retention {
    /// The expiries of a record that is written at `now`.
    #[must_use]
    pub fn from(&self, now: Timestamp) -> Expiry {
        let result = now.plus(self.result);
        Expiry {
            result,
            key: now.plus(self.key).max(result.plus(EXPIRY_MARGIN)),
        }
    }
}

/// The states of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Somebody is deciding.
    Processing {
        /// Until when others leave it alone (the margin is included); lapsed *at* this instant.
        lease: Timestamp,
        /// When a key whose owners all died is retired.
        key_expiry: Timestamp,
    },
    /// Decided and committed.
    Succeeded {
        /// What is replayed.
        answer: StoredAnswer,
        /// Until when.
        expiry: Expiry,
    },
    /// This attempt failed; the next may not.
    FailedRetryable {
        /// Why.
        cause: RetryCause,
        /// When a key that nobody retried is retired.
        key_expiry: Timestamp,
    },
    /// The request can never be decided.
    FailedFinal {
        /// What is replayed.
        failure: FinalFailure,
        /// Until when.
        expiry: Expiry,
    },
}

/// The name of a state: what a condition on the state tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateName {
    /// [`State::Processing`]
    Processing,
    /// [`State::Succeeded`]
    Succeeded,
    /// [`State::FailedRetryable`]
    FailedRetryable,
    /// [`State::FailedFinal`]
    FailedFinal,
}

impl StateName {
    /// The stored and shown form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Processing => "PROCESSING",
            Self::Succeeded => "SUCCEEDED",
            Self::FailedRetryable => "FAILED_RETRYABLE",
            Self::FailedFinal => "FAILED_FINAL",
        }
    }
}

/// Why an attempt was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryCause {
    /// The store did not take the commit. Does not count as an attempt.
    Store,
    /// The time of the invocation ran out.
    Deadline,
}

impl RetryCause {
    /// The stored form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Deadline => "deadline",
        }
    }

    /// Reads the stored form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Store, Self::Deadline]
            .into_iter()
            .find(|cause| cause.as_str() == text)
    }
}

/// A failure that is recorded and replayed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FinalFailure {
    /// What kind.
    pub code: FinalCode,
    /// For people: names rules and limits, never values of the request.
    pub detail: String,
}

/// The kinds of final failure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FinalCode {
    /// No rule matched, or a rule could not be evaluated.
    DecisionFailed,
    /// The result is larger than what can be stored.
    ResultTooLarge,
    /// [`MAX_ATTEMPTS`] attempts ended without a result.
    AttemptsExhausted,
    /// Another operation has the natural key; this is its decision.
    AlreadyDecided(DecisionId),
}

impl FinalCode {
    /// The code as stored, and as the problem type's last segment.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::DecisionFailed => "decision-failed",
            Self::ResultTooLarge => "result-too-large",
            Self::AttemptsExhausted => "attempts-exhausted",
            Self::AlreadyDecided(_) => "already-decided",
        }
    }
}

impl State {
    /// The state's name.
    #[must_use]
    pub const fn name(&self) -> StateName {
        match self {
            Self::Processing { .. } => StateName::Processing,
            Self::Succeeded { .. } => StateName::Succeeded,
            Self::FailedRetryable { .. } => StateName::FailedRetryable,
            Self::FailedFinal { .. } => StateName::FailedFinal,
        }
    }

    /// When the key's life ends (before the margin).
    #[must_use]
    pub const fn key_expiry(&self) -> Timestamp {
        match self {
            Self::Processing { key_expiry, .. } | Self::FailedRetryable { key_expiry, .. } => {
                *key_expiry
            }
            Self::Succeeded { expiry, .. } | Self::FailedFinal { expiry, .. } => expiry.key,
        }
    }
}

/// An owner's exclusive time: how long the lease is, and what the policy's retention is.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The instant of the transition.
    pub now: Timestamp,
    /// Until when the owner holds the key.
    pub lease_until: Timestamp,
    /// The pinned policy's retention.
    pub retention: Retention,
}

impl Terms {
    fn processing(&self) -> State {
        State::Processing {
            lease: self.lease_until,
            key_expiry: self.retention.from(self.now).key,
        }
    }
}

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
            fence: Fence { owner, attempt: 1 },
            forgiven: 0,
            created: terms.now,
            updated: terms.now,
            state: terms.processing(),
        }
    }

    /// Whether the key's life has ended for certain, by a clock that may be wrong by [`EXPIRY_MARGIN`].
    #[must_use]
    pub fn is_free_at(&self, now: Timestamp) -> bool {
        self.state.key_expiry() <= now.minus(EXPIRY_MARGIN)
    }

    /// Attempts that count towards the limit.
    #[must_use]
    pub const fn counted_attempts(&self) -> u32 {
        self.fence.attempt.saturating_sub(self.forgiven)
    }

    /// No stored instant is so far ahead that it must be a unit mistake.
    #[must_use]
    pub fn is_plausible_at(&self, now: Timestamp) -> bool {
        let lease_ok = match self.state {
            State::Processing { lease, .. } => lease.is_plausible_at(now),
            State::Succeeded { .. } | State::FailedRetryable { .. } | State::FailedFinal { .. } => {
                true
            }
        };
        lease_ok
            && self.state.key_expiry().is_plausible_at(now)
            && self.updated.is_plausible_at(now)
    }

    /// PROCESSING or FAILED_RETRYABLE → PROCESSING with a new owner. Decision id, pin and identity stay.
    #[must_use]
    pub(crate) fn taken_over(&self, owner: OwnerToken, terms: Terms) -> Self {
        Self {
            fence: self.next_fence(owner),
            updated: terms.now,
            state: terms.processing(),
            ..self.clone()
        }
    }

    /// PROCESSING → SUCCEEDED, by its owner.
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
        let forgiven = self.forgiven + u32::from(cause == RetryCause::Store);
        let key_expiry = self.state.key_expiry();
        Self {
            updated: now,
            forgiven,
            state: State::FailedRetryable { cause, key_expiry },
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
