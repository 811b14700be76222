//! The operation record in the table `operations`.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `op` | S | always | table key: the operation id, and nothing that varies with an attempt |
//! | `v` | N | always | version of this layout |
//! | `tenant` | S | always | whose it is |
//! | `decision` | S | always | the decision's id |
//! | `pin` | S | always | policy, version and digest |
//! | `prints` | B | always | fingerprint scheme (1 byte), exact (32), normalised (32) |
//! | `members` | S | always | digests of the request's members |
//! | `stands` | S | always | state, attempt and owner: the one thing that every later write is conditional on |
//! | `created` | N | always | first reservation, ms |
//! | `updated` | N | always, but absent when equal to `created` | the current state's instant, ms |
//! | `forgiven` | N | absent when 0 | attempts that do not count |
//! | `keyExpiry` | N | always | when the key is retired, ms |
//! | `till` | N | not FAILED_RETRYABLE | until when what stands holds, ms: PROCESSING its lease, finished its result |
//! | `answer` | S | SUCCEEDED | digest of the answer, then the verdict unless it is by reference |
//! | `failure` | S | FAILED_FINAL | code, detail, and the other decision of an `already-decided` |
//! | `cause` | S | FAILED_RETRYABLE | why the attempt was given up |
//! | `ttlSec` | N | always | `keyExpiry` plus the margin, in seconds |

mod texts;

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::fingerprint::{Fingerprint, Scheme};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::members::Members;
use decide_once_protocol::record::{Expiry, Identity, Record, RetryCause, State, StateName};
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Existing, Seen, ttl_after};

use self::texts::{answer, answer_text, failure, failure_text, standing, stands_text};
use super::packed::{pin, pin_text};
use super::reader::{Reader, corrupt};
use super::write::{bytes, instant, number, seconds, text};
use super::{Decoded, Item, TTL, V};

/// S, the table key.
pub const OP: &str = "op";
/// S.
pub const TENANT: &str = "tenant";
/// S.
pub const DECISION: &str = "decision";
/// S.
pub const PIN: &str = "pin";
/// B.
pub const PRINTS: &str = "prints";
/// S.
pub const MEMBERS: &str = "members";
/// S: what [`Seen`] is made of.
pub const STANDS: &str = "stands";
/// N, ms.
pub const CREATED: &str = "created";
/// N, ms.
pub const UPDATED: &str = "updated";
/// N.
pub const FORGIVEN: &str = "forgiven";
/// N, ms.
pub const KEY_EXPIRY: &str = "keyExpiry";
/// N, ms.
pub const TILL: &str = "till";
/// S.
pub const ANSWER: &str = "answer";
/// S.
pub const FAILURE: &str = "failure";
/// S.
pub const CAUSE: &str = "cause";

/// The attributes that only some states have.
const OF_SOME_STATES: [&str; 4] = [TILL, ANSWER, FAILURE, CAUSE];

/// Which of [`OF_SOME_STATES`] a state has.
fn own(state: StateName) -> &'static [&'static str] {
    match state {
        StateName::Processing => &[TILL],
        StateName::Succeeded => &[ANSWER, TILL],
        StateName::FailedRetryable => &[CAUSE],
        StateName::FailedFinal => &[FAILURE, TILL],
    }
}

/// What a record in state `from` has that one in state `to` must not have.
pub(crate) fn left_behind(from: StateName, to: StateName) -> impl Iterator<Item = &'static str> {
    own(from)
        .iter()
        .copied()
        .filter(move |name| !own(to).contains(name))
}

/// The table key of an operation.
#[must_use]
pub fn key(id: &OperationId) -> (String, AttributeValue) {
    (OP.to_owned(), text(id.as_str()))
}

/// The value that a transition's condition compares with.
#[must_use]
pub fn stands(seen: Seen) -> AttributeValue {
    text(stands_text(seen))
}

/// The item of a record.
#[must_use]
pub fn encode(record: &Record) -> Item {
    let Identity {
        scheme,
        exact,
        normalised,
        members,
    } = &record.identity;
    let prints = [
        &[scheme.code()][..],
        exact.as_bytes(),
        normalised.as_bytes(),
    ]
    .concat();
    let fixed = [
        (OP, text(record.operation.as_str())),
        (V, number(decide_once_protocol::record::RECORD_VERSION)),
        (TENANT, text(record.tenant.as_str())),
        (DECISION, text(record.decision.as_str())),
        (PIN, text(pin_text(&record.pin))),
        (PRINTS, bytes(prints)),
        (MEMBERS, text(members.encode())),
        (CREATED, instant(record.created)),
    ];
    let changing = changing(record)
        .into_iter()
        .filter(|(name, _)| *name != UPDATED || record.updated != record.created);
    fixed
        .into_iter()
        .chain(changing)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// What a transition may change, as it is after it. The rest is fixed for the key's life.
pub(crate) fn changing(record: &Record) -> Vec<(&'static str, AttributeValue)> {
    let key_expiry = record.state.key_expiry();
    let mut attributes = vec![
        (STANDS, stands(Seen::of(record))),
        (UPDATED, instant(record.updated)),
        (KEY_EXPIRY, instant(key_expiry)),
        (TTL, seconds(ttl_after(key_expiry))),
    ];
    if record.forgiven > 0 {
        attributes.push((FORGIVEN, number(record.forgiven)));
    }
    match &record.state {
        State::Processing { lease, .. } => attributes.push((TILL, instant(*lease))),
        State::Succeeded { answer, expiry } => {
            attributes.push((ANSWER, text(answer_text(answer))));
            attributes.push((TILL, instant(expiry.result)));
        }
        State::FailedRetryable { cause, .. } => attributes.push((CAUSE, text(cause.as_str()))),
        State::FailedFinal { failure, expiry } => {
            attributes.push((FAILURE, text(failure_text(failure))));
            attributes.push((TILL, instant(expiry.result)));
        }
    }
    attributes
}

/// What stands there: nothing, a record, or something unreadable.
#[must_use]
pub fn existing(item: Option<&Item>) -> Existing {
    match item.map(decode) {
        None => Existing::Absent,
        Some(Ok(record)) => Existing::Found(Box::new(record)),
        Some(Err(why)) => Existing::Unreadable(why),
    }
}

/// The record of an item.
///
/// # Errors
/// A newer version wrote it, or no version did.
pub fn decode(item: &Item) -> Decoded<Record> {
    let item = Reader::open(item)?;
    let (name, fence) = item.parsed(STANDS, standing)?;
    let created = item.instant(CREATED)?;
    Ok(Record {
        operation: item.parsed(OP, |id| OperationId::parse(id).ok())?,
        tenant: item.parsed(TENANT, |tenant| Tenant::parse(tenant).ok())?,
        identity: identity(item)?,
        pin: item.parsed(PIN, pin)?,
        decision: item.parsed(DECISION, DecisionId::parse)?,
        fence,
        forgiven: item.optional(FORGIVEN, Reader::number)?.unwrap_or(0),
        created,
        updated: item.optional(UPDATED, Reader::instant)?.unwrap_or(created),
        state: state(item, name)?,
    })
}

fn identity(item: Reader<'_>) -> Decoded<Identity> {
    let prints = item.bytes(PRINTS)?;
    let (scheme, rest) = prints.split_first().ok_or_else(|| corrupt(PRINTS))?;
    let (exact, normalised) = rest.split_at_checked(32).ok_or_else(|| corrupt(PRINTS))?;
    let print = |bytes: &[u8]| {
        let bytes = bytes.try_into().map_err(|_| corrupt(PRINTS))?;
        Ok(Fingerprint::from_bytes(bytes))
    };
    Ok(Identity {
        scheme: Scheme::from_code(*scheme).map_err(|_| corrupt(PRINTS))?,
        exact: print(exact)?,
        normalised: print(normalised)?,
        members: item.parsed(MEMBERS, |members| Members::decode(members).ok())?,
    })
}

fn state(item: Reader<'_>, name: StateName) -> Decoded<State> {
    let others = OF_SOME_STATES
        .into_iter()
        .filter(|other| !own(name).contains(other));
    item.none_of(others)?;
    let key_expiry = item.instant(KEY_EXPIRY)?;
    let expiry = || -> Decoded<Expiry> {
        let result: Timestamp = item.instant(TILL)?;
        Ok(Expiry {
            result,
            key: key_expiry,
        })
    };
    Ok(match name {
        StateName::Processing => State::Processing {
            lease: item.instant(TILL)?,
            key_expiry,
        },
        StateName::Succeeded => State::Succeeded {
            answer: item.parsed(ANSWER, answer)?,
            expiry: expiry()?,
        },
        StateName::FailedRetryable => State::FailedRetryable {
            cause: item.parsed(CAUSE, RetryCause::parse)?,
            key_expiry,
        },
        StateName::FailedFinal => State::FailedFinal {
            failure: item.parsed(FAILURE, failure)?,
            expiry: expiry()?,
        },
    })
}
