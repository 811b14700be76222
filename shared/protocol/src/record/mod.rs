//! The operation record: what the store remembers of one key.
//!
//! The state is an enum: what a state does not have, it cannot carry. The transitions are the only way to a next record, so that
//! no adapter and no use-case can make a record that the protocol does not know.

mod carried;
mod expiry;
mod state;
mod transitions;

pub use carried::{CARRIED_LIMIT, Carried, Due, LANES};
pub use expiry::{EXPIRY_MARGIN, Expiry, Retention, Terms};
pub use state::{FinalCode, FinalFailure, Hold, Keep, RetryCause, State, StateName};
pub use transitions::Seed;

use crate::fingerprint::{Fingerprint, Scheme};
use crate::ids::{DecisionId, OwnerToken};
use crate::members::Members;
use crate::request::{PolicyId, PolicyVersion};
use crate::scope::{OperationId, Tenant};
use crate::time::Timestamp;

/// The version of the stored layout. A record of a newer version is never written to by older code.
pub const RECORD_VERSION: u32 = 1;

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
    /// Counts from 1 within a key's life; 0 is a record that nobody has begun to work on.
    pub attempt: u32,
}

impl Record {
    /// Whether the key's life has ended for certain, by a clock that may be wrong by [`EXPIRY_MARGIN`].
    #[must_use]
    pub fn is_free_at(&self, now: Timestamp) -> bool {
        self.state.is_vacant(now.minus(EXPIRY_MARGIN))
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
            State::Processing {
                hold: Hold::Leased(lease),
                ..
            } => lease.is_plausible_at(now),
            State::Processing {
                hold: Hold::Queued, ..
            }
            | State::Succeeded { .. }
            | State::FailedRetryable { .. }
            | State::FailedFinal { .. } => true,
        };
        let expiry_ok = self
            .state
            .key_expiry()
            .is_none_or(|expiry| expiry.is_plausible_at(now));
        lease_ok && expiry_ok && self.updated.is_plausible_at(now)
    }
}
