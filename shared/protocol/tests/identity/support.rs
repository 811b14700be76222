//! What several of these tests need.

use decide_once_protocol::{
    fingerprint::{self, Fingerprint, Scheme},
    request::DecisionRequest,
    scope::OperationName,
};

/// The cases' ordinary request.
pub(crate) const B0: &str =
    r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

/// B0 with other facts.
pub(crate) fn with_facts(facts: &str) -> String {
    format!(r#"{{"policy":"credit-limit","subject":"acct-42","facts":{facts}}}"#)
}

/// B0 with another amount.
pub(crate) fn with_amount(amount: &str) -> String {
    with_facts(&format!(r#"{{"amount":{amount},"currency":"USD"}}"#))
}

pub(crate) fn request(body: impl AsRef<[u8]>) -> DecisionRequest {
    DecisionRequest::parse(body.as_ref()).unwrap()
}

pub(crate) fn operation() -> OperationName {
    OperationName::parse("decisions").unwrap()
}

/// The exact fingerprint of a body.
pub(crate) fn exact(body: impl AsRef<[u8]>) -> Fingerprint {
    fingerprint::exact(Scheme::V1, &operation(), &request(body))
}

/// A small generator of pseudo-random numbers (xorshift64), so that every run tries the same inputs.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % bound
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
