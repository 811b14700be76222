//! The body of a request for a decision.

use std::fmt;

use crate::json::{self, JsonError, Object, Value};

/// The longest subject, in characters.
pub const MAX_SUBJECT_CHARS: usize = 256;

/// The largest request as JSON text, in bytes, decoded.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// The longest policy id, in characters.
pub const MAX_POLICY_ID_CHARS: usize = 64;

/// A text is not what its type requires; the message says what would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}")]
pub struct Unacceptable(&'static str);

const POLICY_ID: Unacceptable =
    Unacceptable("a policy id: a lower-case letter, then up to 63 of a-z, 0-9 and '-'");
const VERSION: Unacceptable = Unacceptable("a whole number from 1 to 4294967295");
const SUBJECT: Unacceptable =
    Unacceptable("a string of 1 to 256 characters without control characters");
const FACTS: Unacceptable = Unacceptable("an object");

/// A policy's name: `[a-z][a-z0-9-]{0,63}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId(Box<str>);

/// A policy's version, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyVersion(u32);

/// What the decision is about: 1 to 256 characters, none of them a control character. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Subject(Box<str>);

/// A request for a decision, as the caller sent it. `Debug` shows neither subject nor facts.
#[derive(Clone, PartialEq, Eq)]
pub struct DecisionRequest {
    /// The policy to decide by.
    pub policy: PolicyId,
    /// The policy's version, if the caller pinned one. Absent is another request than any version.
    pub version: Option<PolicyVersion>,
    /// What the decision is about.
    pub subject: Subject,
    /// What the policy decides on, not yet checked against its schema.
    pub facts: Object,
}

/// Why a body is not a request for a decision. Messages name places by JSON Pointer, never values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The body is not JSON that this service accepts.
    #[error("the body is not acceptable JSON: {0}")]
    Json(#[from] JsonError),
    /// The body is JSON, but not an object.
    #[error("the body is not a JSON object; send {{\"policy\":…,\"subject\":…,\"facts\":{{…}}}}")]
    NotAnObject,
    /// A member that every request has is absent.
    #[error("the member {pointer} is missing; add it")]
    Missing {
        /// Where it belongs.
        pointer: &'static str,
    },
    /// A member's value is of the wrong type or form.
    #[error("the value at {pointer} is not acceptable: {problem}")]
    Unacceptable {
        /// Where it is.
        pointer: &'static str,
        /// What would be right.
        problem: Unacceptable,
    },
    /// A member that requests do not have: perhaps misspelled, and never silently ignored.
    #[error(
        "the member {pointer:?} is not known; only policy, version, subject and facts are (what the policy decides on belongs under /facts)"
    )]
    Unknown {
        /// Where it is; `""` (the body) when its name is too long or unprintable.
        pointer: String,
    },
}

impl DecisionRequest {
    /// Reads `{"policy":…,"version":…,"subject":…,"facts":{…}}`; `version` is optional.
    ///
    /// # Errors
    /// When the body is not strict JSON, or a member is missing, unknown, or of the wrong type or form.
    pub fn parse(body: &[u8]) -> Result<Self, BodyError> {
        Self::from_json(json::parse(body)?)
    }

    /// The same of a value that was inside of something else.
    ///
    /// # Errors
    /// When a member is missing, unknown, or of the wrong type or form.
    pub fn from_json(body: Value) -> Result<Self, BodyError> {
        let Value::Object(mut members) = body else {
            return Err(BodyError::NotAnObject);
        };
        let policy = at(
            "/policy",
            PolicyId::from_json(&take(&mut members, "policy", "/policy")?),
        )?;
        let version = match members.remove("version") {
            Some(version) => Some(at("/version", PolicyVersion::from_json(&version))?),
            None => None,
        };
        let subject = at(
            "/subject",
            Subject::from_json(&take(&mut members, "subject", "/subject")?),
        )?;
        let Value::Object(facts) = take(&mut members, "facts", "/facts")? else {
            return at("/facts", Err(FACTS));
        };
        match members.iter().next() {
            None => Ok(Self {
                policy,
                version,
                subject,
                facts,
            }),
            Some((name, _)) => Err(BodyError::Unknown {
                pointer: nameable_pointer(name),
            }),
        }
    }
}

impl DecisionRequest {
    /// The same request as a body in canonical form; [`DecisionRequest::parse`] reads it back.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut body = json::object([
            ("policy", Value::from(self.policy.as_str())),
            ("subject", Value::from(self.subject.as_str())),
            ("facts", Value::from(self.facts.clone())),
        ]);
        if let Some(version) = self.version {
            body.insert("version", version.get());
        }
        Value::from(body).canonical()
    }
}

fn take(members: &mut Object, name: &str, pointer: &'static str) -> Result<Value, BodyError> {
    members.remove(name).ok_or(BodyError::Missing { pointer })
}

/// Says where a value stands that is not acceptable.
fn at<T>(pointer: &'static str, read: Result<T, Unacceptable>) -> Result<T, BodyError> {
    read.map_err(|problem| BodyError::Unacceptable { pointer, problem })
}

fn nameable_pointer(name: &str) -> String {
    if json::is_nameable(name) {
        format!("/{}", json::escape_pointer_token(name))
    } else {
        String::new()
    }
}

impl PolicyId {
    /// A policy id from its text.
    ///
    /// # Errors
    /// When it is not `[a-z][a-z0-9-]{0,63}`.
    pub fn parse(id: &str) -> Result<Self, Unacceptable> {
        let well_formed = id.len() <= MAX_POLICY_ID_CHARS
            && id.starts_with(|first: char| first.is_ascii_lowercase())
            && id
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        if well_formed {
            Ok(Self(id.into()))
        } else {
            Err(POLICY_ID)
        }
    }

    fn from_json(value: &Value) -> Result<Self, Unacceptable> {
        Self::parse(value.as_str().ok_or(POLICY_ID)?)
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PolicyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PolicyVersion {
    /// A version; there is no version 0.
    ///
    /// # Errors
    /// When it is 0.
    pub const fn new(version: u32) -> Result<Self, Unacceptable> {
        if version == 0 {
            Err(VERSION)
        } else {
            Ok(Self(version))
        }
    }

    fn from_json(value: &Value) -> Result<Self, Unacceptable> {
        let version = value
            .as_number()
            .and_then(json::Number::as_u64)
            .and_then(|version| version.try_into().ok());
        Self::new(version.ok_or(VERSION)?)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for PolicyVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Subject {
    /// A subject from its text.
    ///
    /// # Errors
    /// When it is empty, longer than [`MAX_SUBJECT_CHARS`], or has control characters.
    pub fn parse(subject: &str) -> Result<Self, Unacceptable> {
        let well_formed = !subject.is_empty()
            && subject.chars().count() <= MAX_SUBJECT_CHARS
            && !subject.chars().any(char::is_control);
        if well_formed {
            Ok(Self(subject.into()))
        } else {
            Err(SUBJECT)
        }
    }

    fn from_json(value: &Value) -> Result<Self, Unacceptable> {
        Self::parse(value.as_str().ok_or(SUBJECT)?)
    }

    /// The subject: for the decision and the answer, never for logs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subject(…)")
    }
}

impl fmt::Debug for DecisionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecisionRequest")
            .field("policy", &self.policy)
            .field("version", &self.version)
            .field("subject", &self.subject)
            .field("facts", &format_args!("{} members", self.facts.len()))
            .finish()
    }
}
