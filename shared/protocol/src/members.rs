//! Which members of two requests differ, known without keeping any value.
//!
//! A record keeps a short digest for each of the first request's members, keyed by a salt of the record's own, so that equal values in
//! two records do not show. From them a later request under the same key that is another request is told *where* it differs, by
//! JSON Pointer. Nothing is decided by these digests: whether it differs is the fingerprints' word alone.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    hash,
    json::{self, Object, Value},
    request::DecisionRequest,
};

/// The most digests that are kept.
pub const MAX_MEMBERS: usize = 32;

/// The most pointers that are answered; what is beyond is summed up as `/facts`.
const MAX_POINTERS: usize = 32;

/// The longest encoded form, in bytes: the whole first request to the store has to stay below 2.5 KB.
pub const MAX_ENCODED_BYTES: usize = 512;

/// Characters of a digest: 36 bits, so that a difference is overlooked once in 69 billion.
const DIGEST_LENGTH: usize = 6;

/// The encoding's version, its first character.
const ENCODING: char = '1';

/// Stored digests that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored member digests are not readable; treat the record as corrupt")]
pub struct UnreadableMembers;

/// Short keyed digests of the members of a request: `/policy`, `/version`, `/subject`, and `/facts/<name>` as far as there is room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(BTreeMap<Place, Digest>);

/// What a digest is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    Policy,
    Version,
    Subject,
    /// One member of the facts.
    Fact(String),
    /// All members of the facts that have no digest of their own, together.
    OtherFacts,
}

/// The first characters of a hash in base64url.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Digest(String);

impl Members {
    /// The digests of a request's members. The same request under the same salt gives the same digests, however it is spelled.
    ///
    /// `salt` is the record's own, and not empty.
    #[must_use]
    pub fn of(salt: &[u8], request: &DecisionRequest) -> Self {
        let digest = |place: &Place, text: &str| Digest::of(salt, place, text);
        let mut members = Self(BTreeMap::new());
        for place in [Place::Policy, Place::Version, Place::Subject] {
            if let Some(text) = place.text(request) {
                members.0.insert(place.clone(), digest(&place, &text));
            }
        }
        let mut bytes = members.encode().len() + Place::OtherFacts.encoded_length();
        let mut names: Vec<_> = request
            .facts
            .iter()
            .filter(|(name, _)| json::is_nameable(name))
            .collect();
        names.sort_unstable_by_key(|(name, _)| *name);
        for (name, value) in names {
            let place = Place::Fact(name.to_owned());
            bytes += place.encoded_length();
            // One place is left for the others.
            if bytes > MAX_ENCODED_BYTES || members.0.len() + 1 >= MAX_MEMBERS {
                break;
            }
            let digest = digest(&place, &value.canonical());
            members.0.insert(place, digest);
        }
        let others = members.others(request);
        if !others.is_empty() {
            members.0.insert(
                Place::OtherFacts,
                digest(&Place::OtherFacts, &others.canonical()),
            );
        }
        members
    }

    /// JSON Pointers of the members that another request adds, drops or changes.
    ///
    /// Call it for a request that is known to differ. Where a difference cannot be named it says `/facts`, and `""` (the whole body)
    /// when none is found. It never names a member that is the same.
    #[must_use]
    pub fn differing(&self, salt: &[u8], request: &DecisionRequest) -> Vec<String> {
        let digest_now = |place: &Place| {
            place
                .text(request)
                .map(|text| Digest::of(salt, place, &text))
        };
        let fixed = [Place::Policy, Place::Version, Place::Subject];
        let facts = self
            .0
            .keys()
            .filter(|place| matches!(place, Place::Fact(_)));
        let mut pointers: Vec<_> = fixed
            .iter()
            .chain(facts)
            .filter(|place| self.0.get(place) != digest_now(place).as_ref())
            .map(Place::pointer)
            .collect();
        let others = self.others(request);
        match self.0.get(&Place::OtherFacts) {
            // The first request had no others: each one is new.
            None => pointers.extend(
                others
                    .iter()
                    .map(|(name, _)| Place::of_fact(name).pointer()),
            ),
            Some(then) if *then != Digest::of(salt, &Place::OtherFacts, &others.canonical()) => {
                pointers.push(Place::OtherFacts.pointer());
            }
            Some(_) => {}
        }
        summarise(pointers)
    }

    /// The facts of a request that have no digest of their own here.
    fn others(&self, request: &DecisionRequest) -> Object {
        let facts = request.facts.iter();
        facts
            .filter(|(name, _)| !self.0.contains_key(&Place::Fact((*name).to_owned())))
            .map(|(name, value)| (name, value.clone()))
            .collect()
    }

    /// The compact text to store, at most [`MAX_ENCODED_BYTES`] long.
    #[must_use]
    pub fn encode(&self) -> String {
        let lines: Vec<_> = self
            .0
            .iter()
            .map(|(place, Digest(digest))| format!("{digest}{}", place.encode()))
            .collect();
        format!("{ENCODING}{}", lines.join("\n"))
    }

    /// Reads what [`Members::encode`] wrote.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn decode(text: &str) -> Result<Self, UnreadableMembers> {
        let lines = text.strip_prefix(ENCODING).ok_or(UnreadableMembers)?;
        let mut members = BTreeMap::new();
        for line in lines.split('\n') {
            let (digest, place) = line
                .split_at_checked(DIGEST_LENGTH)
                .ok_or(UnreadableMembers)?;
            let (digest, place) = (Digest::decode(digest)?, Place::decode(place)?);
            if members.insert(place, digest).is_some() || members.len() > MAX_MEMBERS {
                return Err(UnreadableMembers);
            }
        }
        let members = Self(members);
        // In another order, or with a name that is not written: nobody wrote it.
        if members.encode() == text {
            Ok(members)
        } else {
            Err(UnreadableMembers)
        }
    }
}

/// Each pointer once, and not more than can be read.
fn summarise(mut pointers: Vec<String>) -> Vec<String> {
    let facts = Place::OtherFacts.pointer();
    let named = pointers.len();
    pointers.retain(|pointer| *pointer != facts);
    let summed_up = pointers.len() < named || pointers.len() > MAX_POINTERS;
    pointers.truncate(MAX_POINTERS);
    if summed_up {
        pointers.push(facts);
    } else if pointers.is_empty() {
        pointers.push(String::new());
    }
    pointers
}

impl Place {
    /// The place of a member of the facts; one that cannot be named is among the others.
    fn of_fact(name: &str) -> Self {
        if json::is_nameable(name) {
            Self::Fact(name.to_owned())
        } else {
            Self::OtherFacts
        }
    }

    /// What a request has here, in canonical form; `None` where it has nothing.
    fn text(&self, request: &DecisionRequest) -> Option<String> {
        match self {
            Self::Policy => Some(request.policy.to_string()),
            Self::Version => request.version.map(|version| version.to_string()),
            Self::Subject => Some(request.subject.as_str().to_owned()),
            Self::Fact(name) => request.facts.get(name).map(Value::canonical),
            Self::OtherFacts => None,
        }
    }

    fn pointer(&self) -> String {
        match self {
            Self::Policy => "/policy".to_owned(),
            Self::Version => "/version".to_owned(),
            Self::Subject => "/subject".to_owned(),
            Self::Fact(name) => format!("/facts/{}", json::escape_pointer_token(name)),
            Self::OtherFacts => "/facts".to_owned(),
        }
    }

    /// One letter, or `/` and the fact's name, which [`json::is_nameable`] has kept free of line ends.
    fn encode(&self) -> String {
        match self {
            Self::Policy => "p".to_owned(),
            Self::Version => "v".to_owned(),
            Self::Subject => "s".to_owned(),
            Self::Fact(name) => format!("/{name}"),
            Self::OtherFacts => "o".to_owned(),
        }
    }

    /// Bytes of a line, with its digest and line end.
    fn encoded_length(&self) -> usize {
        DIGEST_LENGTH + self.encode().len() + 1
    }

    fn decode(text: &str) -> Result<Self, UnreadableMembers> {
        match text {
            "p" => Ok(Self::Policy),
            "v" => Ok(Self::Version),
            "s" => Ok(Self::Subject),
            "o" => Ok(Self::OtherFacts),
            fact => fact
                .strip_prefix('/')
                .map(|name| Self::Fact(name.to_owned()))
                .ok_or(UnreadableMembers),
        }
    }
}

impl Digest {
    fn of(salt: &[u8], place: &Place, text: &str) -> Self {
        let hash = hash::of_non_empty(
            "decide-once/members",
            &[salt, place.encode().as_bytes(), text.as_bytes()],
        );
        let mut digest = URL_SAFE_NO_PAD.encode(hash);
        digest.truncate(DIGEST_LENGTH);
        Self(digest)
    }

    fn decode(text: &str) -> Result<Self, UnreadableMembers> {
        let in_alphabet = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if in_alphabet {
            Ok(Self(text.to_owned()))
        } else {
            Err(UnreadableMembers)
        }
    }
}
