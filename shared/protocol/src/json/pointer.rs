//! JSON Pointers (RFC 6901).

use std::borrow::Cow;

/// The unescaped reference tokens of a pointer, or `None` when it does not begin with `/` and is not empty.
pub(super) fn tokens(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let rest = match pointer.strip_prefix('/') {
        Some(rest) => Some(rest),
        None if pointer.is_empty() => None,
        None => return None,
    };
    Some(
        rest.into_iter()
            .flat_map(|rest| rest.split('/'))
            .map(unescape),
    )
}

/// An array index as RFC 6901 §4 has it: digits without leading zeros.
pub(super) fn index(token: &str) -> Option<usize> {
    let plain = token == "0"
        || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    if plain { token.parse().ok() } else { None }
}

/// A member name as a reference token: `~` is written `~0` and `/` is written `~1`.
#[must_use]
pub fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        name.replace('~', "~0").replace('/', "~1").into()
    } else {
        name.into()
    }
}

/// Whether a member name may be stored in a record and repeated in answers: short, and without control characters.
pub(crate) fn is_nameable(name: &str) -> bool {
    name.len() <= 64 && !name.chars().any(char::is_control)
}

/// `~1` first, so that `~01` becomes `~1` and not `/` (RFC 6901 §4).
fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        token.replace("~1", "/").replace("~0", "~").into()
    } else {
        token.into()
    }
}
