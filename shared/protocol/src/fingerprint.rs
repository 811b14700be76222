//! Fingerprints: whether two requests under one key are the same request.
//!
//! The **exact** fingerprint is over what the caller sent and needs no policy. The **normalised** one is over the facts after the
//! policy's schema (defaults filled in, instants unified, excluded members left out) and the pinned version. They live in different
//! hash domains, so that one can never be taken for the other. Tenant and key are not in them: they are the record's scope.

use std::fmt;

use crate::{
    hash,
    json::Object,
    request::{DecisionRequest, PolicyId, PolicyVersion, Subject},
    scope::OperationName,
};

/// How fingerprints are computed. It is stored with them, and a record is always compared under its own scheme (case C18), so that a
/// change of the canonical form is a new scheme and never a silent mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Canonical form v1, SHA-256 over length-prefixed parts.
    V1,
}

/// A scheme's code that this build does not know: a newer build wrote the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "fingerprint scheme {0} is not known to this build; deploy the newer build before it meets such records"
)]
pub struct UnknownScheme(pub u8);

/// The SHA-256 identity of a request. `Debug` shows the beginning only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Scheme {
    /// The scheme for new records.
    pub const CURRENT: Self = Self::V1;

    /// The stored code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::V1 => 1,
        }
    }

    /// The scheme of a stored code.
    ///
    /// # Errors
    /// When this build does not know the scheme.
    pub const fn from_code(code: u8) -> Result<Self, UnknownScheme> {
        match code {
            1 => Ok(Self::V1),
            unknown => Err(UnknownScheme(unknown)),
        }
    }
}

impl Fingerprint {
    /// A fingerprint from its stored bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Lower-case hexadecimal, as in the golden vectors.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hash::hex(&self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({}…)", hash::hex(&self.0[..4]))
    }
}

/// The fingerprint of a request as it was sent: spelling does not count (order, white space, escapes, `1` or `1.0`), all else does.
#[must_use]
pub fn exact(scheme: Scheme, operation: &OperationName, request: &DecisionRequest) -> Fingerprint {
    let version = match request.version {
        // A tag byte: an absent version is a part of its own, different from every version.
        None => vec![0],
        Some(version) => pinned(version),
    };
    of(
        "decide-once/fingerprint/exact",
        scheme,
        operation,
        &request.policy,
        &version,
        &request.subject,
        &request.facts,
    )
}

/// The fingerprint of a request after the policy's schema, under the version that the record pins.
#[must_use]
pub fn normalised(
    scheme: Scheme,
    operation: &OperationName,
    policy: &PolicyId,
    version: PolicyVersion,
    subject: &Subject,
    normalised_facts: &Object,
) -> Fingerprint {
    of(
        "decide-once/fingerprint/normalised",
        scheme,
        operation,
        policy,
        &pinned(version),
        subject,
        normalised_facts,
    )
}

fn pinned(version: PolicyVersion) -> Vec<u8> {
    [&[1], version.get().to_be_bytes().as_slice()].concat()
}

fn of(
    domain: &str,
    scheme: Scheme,
    operation: &OperationName,
    policy: &PolicyId,
    version: &[u8],
    subject: &Subject,
    facts: &Object,
) -> Fingerprint {
    match scheme {
        Scheme::V1 => Fingerprint(hash::of_non_empty(
            domain,
            &[
                &[scheme.code()],
                operation.as_str().as_bytes(),
                policy.as_str().as_bytes(),
                version,
                subject.as_str().as_bytes(),
                facts.canonical().as_bytes(),
            ],
        )),
    }
}
