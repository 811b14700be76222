//! What an answer asks its caller to do: the contract's column `retry`, as data.

use std::ops::RangeInclusive;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing: this is the decision.
    Done,
    /// Ask again after a while, with the same key.
    SameKey,
    /// There will be no decision under this key; a new one is a new operation, and safe.
    NewKey,
    /// Asking again cannot help.
    Never,
}

/// What the member `retry` of an answer says. It is in every answer of the service that is no decision.
pub const WORDS: [(&str, Advice); 3] = [
    ("same-key", Advice::SameKey),
    ("new-key", Advice::NewKey),
    ("never", Advice::Never),
];

/// What a status says where there is no such member: an answer of a gateway or a proxy, which does not know what became of the request. The
/// first row that has the status counts; one without a row is [`Advice::Never`].
pub const BARE: [(RangeInclusive<u16>, Advice); 6] = [
    (200..=201, Advice::Done),
    (202..=202, Advice::SameKey),
    (408..=408, Advice::SameKey),
    (425..=425, Advice::SameKey),
    (429..=429, Advice::SameKey),
    (500..=599, Advice::SameKey),
];

/// What an answer of this status asks for, whose member `retry` is this.
#[must_use]
pub fn of(status: u16, retry: Option<&str>) -> Advice {
    let bare = BARE.iter().find(|(statuses, _)| statuses.contains(&status));
    let bare = bare.map_or(Advice::Never, |(_, advice)| *advice);
    if bare == Advice::Done {
        return bare;
    }
    let said = retry.and_then(|retry| WORDS.iter().find(|(word, _)| *word == retry));
    said.map_or(bare, |(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_service_says_counts_and_else_the_status() {
        for (status, retry, advice) in [
            (201, None, Advice::Done),
            (200, Some("same-key"), Advice::Done),
            (202, None, Advice::SameKey),
            (409, Some("never"), Advice::Never),
            (409, Some("same-key"), Advice::SameKey),
            (422, Some("new-key"), Advice::NewKey),
            (429, Some("never"), Advice::Never),
            (503, Some("same-key"), Advice::SameKey),
            (429, None, Advice::SameKey),
            (502, None, Advice::SameKey),
            (503, Some("perhaps"), Advice::SameKey),
            (403, None, Advice::Never),
            (307, None, Advice::Never),
            (204, None, Advice::Never),
        ] {
            assert_eq!(of(status, retry), advice, "{status} {retry:?}");
        }
    }
}
