//! A mark, and the names that are made of an event.

use std::fmt;

use super::EventName;
use crate::hash::{base32, of_non_empty};
use crate::ids::OwnerToken;
use crate::record::EXPIRY_MARGIN;
use crate::scope::{NameError, checked};
use crate::time::{Timestamp, TtlSeconds};
use crate::writes::ttl_after;

/// Part of every mark's hash: changing it would make every event new.
const SCHEME: &[u8] = b"v1";

/// Characters of a mark's id and of a downstream key: base32 of 32 bytes.
const ID_LENGTH: usize = 52;

/// Who handles events. Each consumer has marks of its own; two effects of one event are two consumers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsumerName(Box<str>);

/// The table key of a mark: a hash of the consumer's name and the event's source and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkId(Box<str>);

/// What an effect elsewhere is asked for under: the same for every attempt at one event by one consumer, whoever makes it. A
/// hash, so that it carries nothing of the event's content; 52 characters, which are a bare `Idempotency-Key`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DownstreamKey(Box<str>);

/// What is remembered of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Of which one, and whose.
    pub id: MarkId,
    /// How far its consumer is.
    pub state: MarkState,
}

/// How far a consumer is with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkState {
    /// Somebody is at it.
    Claimed {
        /// Fresh for every claim.
        owner: OwnerToken,
        /// From then on anybody may take it over.
        lapses: Timestamp,
    },
    /// The effect has happened.
    Done {
        /// Until then a duplicate is known as one.
        until: Timestamp,
    },
}

impl ConsumerName {
    /// A consumer's name.
    ///
    /// # Errors
    /// When it is empty, over 256 bytes, or has control characters.
    pub fn parse(name: &str) -> Result<Self, NameError> {
        checked("consumer's name", name).map(Self)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn hash(&self, domain: &str, event: &EventName) -> Box<str> {
        let (source, id) = (event.source().as_bytes(), event.id().as_bytes());
        base32(&of_non_empty(
            domain,
            &[SCHEME, self.0.as_bytes(), source, id],
        ))
        .into()
    }
}

impl MarkId {
    /// The id of `consumer`'s mark of `event`.
    #[must_use]
    pub fn of(consumer: &ConsumerName, event: &EventName) -> Self {
        Self(consumer.hash("decide-once/inbox", event))
    }

    /// Reads an id; `None` if the text cannot be one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let ok = text.len() == ID_LENGTH
            && text
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'));
        ok.then(|| Self(text.into()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl DownstreamKey {
    /// The key of `consumer`'s effect of `event`. Not the mark's id: whoever is told it learns of no table.
    #[must_use]
    pub fn of(consumer: &ConsumerName, event: &EventName) -> Self {
        Self(consumer.hash("decide-once/downstream-key", event))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DownstreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl MarkState {
    /// Whether the event may be worked on, by a clock that says `now`: its claim has lapsed, or its mark has ended by everybody's
    /// clock. The lease has its margin inside, as an operation's has.
    #[must_use]
    pub fn is_vacant(&self, now: Timestamp) -> bool {
        match self {
            Self::Claimed { lapses, .. } => *lapses <= now,
            Self::Done { until } => *until <= now.minus(EXPIRY_MARGIN),
        }
    }

    /// When TTL may take the mark: when it is vacant anyway.
    #[must_use]
    pub fn ttl(&self) -> TtlSeconds {
        match self {
            Self::Claimed { lapses: end, .. } | Self::Done { until: end } => ttl_after(*end),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn consumer(name: &str) -> ConsumerName {
        ConsumerName::parse(name).unwrap()
    }

    fn event(source: &str, id: &str) -> EventName {
        EventName::new(source, id).unwrap()
    }

    #[test]
    fn a_mark_is_of_one_consumer_source_and_id() {
        let id = MarkId::of(&consumer("balances"), &event("urn:a", "1.0"));
        assert_eq!(MarkId::parse(id.as_str()), Some(id.clone()));
        for (name, source, own) in [
            ("mail", "urn:a", "1.0"),
            ("balances", "urn:b", "1.0"),
            ("balances", "urn:a", "1.1"),
            ("balances", "urn:a1", ".0"),
            ("balancesu", "rn:a", "1.0"),
        ] {
            assert_ne!(MarkId::of(&consumer(name), &event(source, own)), id);
        }
    }

    /// Committed: another hash would make every event new to every consumer, and every repetition new to the other side.
    #[test]
    fn the_names_made_of_an_event_never_change() {
        let (consumer, event) = (
            consumer("balances"),
            event("urn:decide-once:t-alpha", "e.0"),
        );
        let mark = MarkId::of(&consumer, &event);
        let key = DownstreamKey::of(&consumer, &event);
        assert_eq!(
            mark.as_str(),
            "lg3a363n25c7q2te7wndznjnyopgkza7r7konsfvjhifa2rsd56a"
        );
        assert_eq!(
            key.as_str(),
            "wux4hg5cc4qjz44ucyk4wcnlkzxip6v2sgrwsdadyddkwvz6oflq"
        );
    }

    #[test]
    fn n08_a_claim_is_vacant_when_it_lapses_and_a_done_mark_a_margin_after_its_end() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let owner = OwnerToken::from_random([1; 16]);
        let claimed = MarkState::Claimed {
            owner,
            lapses: at(1_000_000),
        };
        assert!(!claimed.is_vacant(at(999_999)) && claimed.is_vacant(at(1_000_000)));
        let done = MarkState::Done {
            until: at(1_000_000),
        };
        assert!(!done.is_vacant(at(1_299_999)) && done.is_vacant(at(1_300_000)));
        for state in [claimed, done] {
            assert!(!state.ttl().allows_deletion_at(at(1_299_999)));
            assert!(state.ttl().allows_deletion_at(at(1_300_000)));
        }
    }
}
