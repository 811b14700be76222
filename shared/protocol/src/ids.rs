//! The names of things that the protocol makes: owners, decisions, events.
//!
//! Randomness is an argument (16 bytes from the caller's generator); nothing here draws any.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::hash::base32;

/// Who holds a reservation: 128 random bits, fresh for every reservation and every takeover, so that a stale worker is
/// never mistaken for its successor and an old stream image cannot act on a later life of the key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnerToken([u8; 16]);

impl OwnerToken {
    /// Makes a token from 16 random bytes.
    #[must_use]
    pub const fn from_random(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The stored form: 22 characters of base64url.
    #[must_use]
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Reads the stored form; `None` if it is not one.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }
}

/// A token is a capability: it does not reach logs.
impl fmt::Debug for OwnerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnerToken(..)")
    }
}

/// The name of a decision: chosen at the key's first reservation and kept over every takeover, so that two evaluations
/// of one operation can never commit under two names. 26 characters of lower-case base32.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DecisionId(String);

impl DecisionId {
    /// Makes an id from 16 random bytes (UUIDv7 bytes make ids sort by time).
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(base32(&bytes))
    }

    /// Reads an id; `None` if the text cannot be one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let ok = text.len() == 26 && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'2'..=b'7'));
        ok.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of this decision's event number `index`: derived, so that it is the same on every path.
    #[must_use]
    pub fn event(&self, index: u32) -> EventId {
        EventId(format!("{}.{index}", self.0))
    }
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of an event: its decision's id and its index, `….0`. The CloudEvents `id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(String);

impl EventId {
    /// Reads an id; `None` if the text cannot be one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (decision, index) = text.split_once('.')?;
        let index: u32 = index.parse().ok()?;
        let id = DecisionId::parse(decision)?.event(index);
        (id.0 == text).then_some(id)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The decision that this event tells of.
    #[must_use]
    pub fn decision(&self) -> DecisionId {
        DecisionId(self.0.split('.').next().unwrap_or_default().to_owned())
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn an_event_id_names_its_decision_and_survives_a_round_trip() {
        let decision = DecisionId::from_random([7; 16]);
        let event = decision.event(3);
        assert_eq!(EventId::parse(event.as_str()).unwrap(), event);
        assert_eq!(event.decision(), decision);
        assert_eq!(
            EventId::parse(&format!("{decision}.03")),
            None,
            "one spelling only"
        );
    }

    #[test]
    fn an_owner_token_never_shows_in_debug_output() {
        let token = OwnerToken::from_random([1; 16]);
        assert_eq!(format!("{token:?}"), "OwnerToken(..)");
        assert_eq!(OwnerToken::decode(&token.encode()), Some(token));
    }
}
