//! Composite hashes: SHA-256 over length-prefixed parts, each use in a domain of its own.
//!
//! The input is, for the domain and then for each part, its length in bytes (64 bits, big-endian) and its bytes. Without the lengths
//! `("ab", "c")` and `("a", "bc")` would be one hash, and one tenant could choose a key that lands on another tenant's record.

use sha2::{Digest, Sha256};

/// A part of a composite hash is empty. Two different sets of parts must never fall together because something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "part {position} of the {domain:?} hash is empty; every part has to be known before anything is stored"
)]
pub struct EmptyPart {
    /// The hash's domain.
    pub domain: &'static str,
    /// Which part, from 0.
    pub position: usize,
}

/// The hash of `parts` in a domain.
///
/// # Errors
/// A part that is empty is refused. What is optional says so by a tag byte in its part.
pub fn parts(domain: &'static str, parts: &[&[u8]]) -> Result<[u8; 32], EmptyPart> {
    match parts.iter().position(|part| part.is_empty()) {
        Some(position) => Err(EmptyPart { domain, position }),
        None => Ok(of_non_empty(domain, parts)),
    }
}

/// As [`parts`], where the types of the parts exclude that one is empty.
pub(crate) fn of_non_empty(domain: &str, parts: &[&[u8]]) -> [u8; 32] {
    debug_assert!(
        parts.iter().all(|part| !part.is_empty()),
        "an empty part in the {domain:?} hash"
    );
    let mut hasher = Sha256::new();
    for part in [domain.as_bytes()].iter().chain(parts) {
        // usize is at most 64 bits wide: nothing is cut off.
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// RFC 4648 base32 in lower case without padding: safe in URLs, table keys and case-insensitive places. 32 bytes give 52 characters.
#[must_use]
pub fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    bytes
        .chunks(5)
        .flat_map(|chunk| {
            let mut group = [0; 8];
            group[3..3 + chunk.len()].copy_from_slice(chunk);
            let bits = u64::from_be_bytes(group);
            let characters = (chunk.len() * 8).div_ceil(5);
            (0..characters).map(move |position| {
                let index = bits >> (35 - 5 * position) & 0x1f;
                char::from(ALPHABET[usize::try_from(index).unwrap_or_default()])
            })
        })
        .collect()
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A short hash of something that must not appear in logs itself: enough to see that two lines speak of the same thing.
pub(crate) fn for_logs(domain: &str, secret: &str) -> String {
    hex(&of_non_empty(domain, &[secret.as_bytes()])[..6])
}
