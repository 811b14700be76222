//! The idempotency key and the header field that carries it.
//!
//! draft-ietf-httpapi-idempotency-key-header makes the field a structured-field string (`"…"`, RFC 9651 §3.3.3); practice sends it
//! bare. Both spellings of a key are the same key. Whatever could be read in two ways is refused.

use std::fmt;

use sfv::{BareItem, Item, List, Parser};

use crate::hash;

/// The longest key, in characters.
pub const MAX_KEY_LENGTH: usize = 255;

/// The caller's key: 1 to 255 printable ASCII characters, not all of them spaces. Case matters.
///
/// It is the caller's secret as much as a password reset link is: `Debug` shows a short hash only, and there is no `Display`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(Box<str>);

/// Why a request has no usable key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The request has no such header field.
    #[error(
        "the Idempotency-Key header is missing; send a unique key, the same one for every retry of this operation"
    )]
    Missing,
    /// The field is there but its value is not a key.
    #[error("the Idempotency-Key header is not valid: {0}")]
    Invalid(#[from] InvalidKey),
}

/// Why a value is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// Nothing, or only spaces.
    #[error("it is empty; send 1 to {MAX_KEY_LENGTH} characters")]
    Blank,
    /// More than [`MAX_KEY_LENGTH`] characters.
    #[error("it is longer than {MAX_KEY_LENGTH} characters; send a shorter one (a UUID is enough)")]
    TooLong,
    /// A character that is not printable ASCII.
    #[error(
        "it has a character that is not printable ASCII; send only characters from space to '~'"
    )]
    NotPrintableAscii,
    /// More than one header line.
    #[error("it was sent more than once; send one header line")]
    Repeated,
    /// A list, which is also what a gateway makes of repeated lines.
    #[error("it is a list, or was sent more than once; send one key")]
    List,
    /// A structured-field string with parameters.
    #[error("it has parameters; send the key alone")]
    Parameters,
    /// Begins as a structured-field string but is not one.
    #[error("it is not a well-formed quoted string; close the quote and escape only '\"' and '\\'")]
    MalformedString,
    /// Neither a quoted string nor in the bare form.
    #[error(
        "without quotes only letters, digits and . _ ~ + / = - are allowed; put the key in double quotes"
    )]
    NotBare,
}

impl IdempotencyKey {
    /// A key from its bare characters (no quotes, no escapes).
    ///
    /// # Errors
    /// When it is blank, too long, or not printable ASCII.
    pub fn parse(key: &str) -> Result<Self, InvalidKey> {
        if !key.bytes().all(is_printable) {
            return Err(InvalidKey::NotPrintableAscii);
        }
        if key.len() > MAX_KEY_LENGTH {
            return Err(InvalidKey::TooLong);
        }
        if key.bytes().all(|byte| byte == b' ') {
            return Err(InvalidKey::Blank);
        }
        Ok(Self(key.into()))
    }

    /// The key itself: for the identity hash and the answer to its owner, never for logs, URLs or table keys.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value of the header field: bare where that is possible, else a structured-field string. [`parse_header`] reads it back.
    #[must_use]
    pub fn header_value(&self) -> String {
        if self.0.bytes().all(is_bare) {
            return self.as_str().to_owned();
        }
        let escaped = self.0.replace('\\', r"\\").replace('"', r#"\""#);
        format!(r#""{escaped}""#)
    }

    /// A short hash that may be logged.
    #[must_use]
    pub fn log_hash(&self) -> String {
        hash::for_logs("decide-once/log/key", &self.0)
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdempotencyKey(#{})", self.log_hash())
    }
}

/// The key from the values of all `Idempotency-Key` header lines of a request, in any order.
///
/// # Errors
/// [`KeyError::Missing`] when there is no line; [`KeyError::Invalid`] with the reason when there is no single, unambiguous key.
pub fn parse_header(lines: &[&[u8]]) -> Result<IdempotencyKey, KeyError> {
    match lines {
        [] => Err(KeyError::Missing),
        [line] => Ok(parse_line(line)?),
        // Also when they are equal: somewhere between here and the caller there are two opinions about the key.
        [_, _, ..] => Err(InvalidKey::Repeated.into()),
    }
}

fn parse_line(line: &[u8]) -> Result<IdempotencyKey, InvalidKey> {
    let line = std::str::from_utf8(line).map_err(|_| InvalidKey::NotPrintableAscii)?;
    // Optional white space around a field value (RFC 9110 §5.6.3) is not part of it.
    let value = line.trim_matches([' ', '\t']);
    if value.is_empty() {
        return Err(InvalidKey::Blank);
    }
    if !value.bytes().all(is_printable) {
        return Err(InvalidKey::NotPrintableAscii);
    }
    if value.starts_with('"') {
        return IdempotencyKey::parse(&unquote(value)?);
    }
    if value.contains(',') {
        return Err(InvalidKey::List);
    }
    if !value.bytes().all(is_bare) {
        return Err(InvalidKey::NotBare);
    }
    IdempotencyKey::parse(value)
}

/// The characters of a structured-field string without parameters; its escapes are resolved here, once.
fn unquote(value: &str) -> Result<String, InvalidKey> {
    match Parser::new(value).parse::<Item>() {
        Ok(item) if !item.params.is_empty() => Err(InvalidKey::Parameters),
        Ok(Item {
            bare_item: BareItem::String(key),
            ..
        }) => Ok(key.as_str().to_owned()),
        // Unreachable behind an opening quote, and not worth a panic.
        Ok(_) => Err(InvalidKey::NotBare),
        Err(_) if Parser::new(value).parse::<List>().is_ok() => Err(InvalidKey::List),
        Err(_) => Err(InvalidKey::MalformedString),
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// The bare form's characters: what UUIDs, ULIDs, base64 and common separators need, and nothing that a structured field uses.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte)
}
