//! Whose operation it is: tenant, operation name and key, and the operation id made of them.

use std::fmt;

use crate::{hash, key::IdempotencyKey};

/// The longest tenant or operation name, in bytes.
pub const MAX_NAME_BYTES: usize = 256;

/// The operation that `POST /v1/decisions` is. Part of every operation id's hash: it never changes.
pub const DECIDE: &str = "decide";

/// Part of every operation id's hash. Changing it would give every key a second life: it never changes for stored keys.
const OPERATION_ID_SCHEME: &[u8] = b"v1";

/// Characters of an operation id: base32 of 32 bytes.
const OPERATION_ID_LENGTH: usize = 52;

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It is empty, so that callers would share records.
    #[error("the {0} is empty; a request without one is refused")]
    Empty(&'static str),
    /// It is longer than [`MAX_NAME_BYTES`].
    #[error("the {0} is longer than {MAX_NAME_BYTES} bytes; use a shorter one")]
    TooLong(&'static str),
    /// It has a control character.
    #[error("the {0} has a control character; use printable characters")]
    ControlCharacter(&'static str),
}

/// A text that is not an operation id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an operation id is {OPERATION_ID_LENGTH} characters of a-z and 2-7; use the one from the answer"
)]
pub struct InvalidOperationId;

/// Who the caller acts for, from the authorizer's claims. `Debug` shows a short hash only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tenant(Box<str>);

/// The name of a kind of operation; keys of different operations are different keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationName(Box<str>);

/// What a key is unique within, and the key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Who the caller acts for.
    pub tenant: Tenant,
    /// The kind of operation.
    pub operation: OperationName,
    /// The caller's key.
    pub key: IdempotencyKey,
}

/// The public name of a (tenant, operation, key): fixed length, the same for the key's whole life and after, reveals none of the three.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(Box<str>);

pub(crate) fn checked(what: &'static str, name: &str) -> Result<Box<str>, NameError> {
    if name.is_empty() {
        Err(NameError::Empty(what))
    } else if name.len() > MAX_NAME_BYTES {
        Err(NameError::TooLong(what))
    } else if name.chars().any(char::is_control) {
        Err(NameError::ControlCharacter(what))
    } else {
        Ok(name.into())
    }
}

impl Tenant {
    /// A tenant from its claim.
    ///
    /// # Errors
    /// When it is empty, over [`MAX_NAME_BYTES`], or has control characters.
    pub fn parse(tenant: &str) -> Result<Self, NameError> {
        checked("tenant", tenant).map(Self)
    }

    /// The tenant as the authorizer named it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A short hash that may be logged.
    #[must_use]
    pub fn log_hash(&self) -> String {
        hash::for_logs("decide-once/log/tenant", &self.0)
    }
}

impl fmt::Debug for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tenant(#{})", self.log_hash())
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl OperationName {
    /// A name for a kind of operation.
    ///
    /// # Errors
    /// When it is empty, over [`MAX_NAME_BYTES`], or has control characters.
    pub fn parse(name: &str) -> Result<Self, NameError> {
        checked("operation name", name).map(Self)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OperationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Scope {
    /// The id of the operation that this tenant means by this key.
    #[must_use]
    pub fn operation_id(&self) -> OperationId {
        let (tenant, operation, key) = (
            self.tenant.as_str(),
            self.operation.as_str(),
            self.key.as_str(),
        );
        let parts = [
            OPERATION_ID_SCHEME,
            tenant.as_bytes(),
            operation.as_bytes(),
            key.as_bytes(),
        ];
        OperationId(hash::base32(&hash::of_non_empty("decide-once/operation-id", &parts)).into())
    }
}

impl OperationId {
    /// An id from a URL or a stored item.
    ///
    /// # Errors
    /// When it is not 52 characters of lower-case base32.
    pub fn parse(id: &str) -> Result<Self, InvalidOperationId> {
        let well_formed = id.len() == OPERATION_ID_LENGTH
            && id
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'));
        if well_formed {
            Ok(Self(id.into()))
        } else {
            Err(InvalidOperationId)
        }
    }

    /// The id's characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
