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
//! | `keyExpiry` | N | not with `carried` | when the key is retired, ms |
//! | `till` | N | not queued, not FAILED_RETRYABLE | until when what stands holds, ms: PROCESSING its lease, finished its result |
//! | `answer` | S | SUCCEEDED | digest of the answer, then the verdict unless it is by reference |
//! | `failure` | S | FAILED_FINAL | code, detail, and the other decision of an `already-decided` |
//! | `cause` | S | FAILED_RETRYABLE | why the attempt was given up |
//! | `carried` | S | asynchronous and not final | packed: key, request |
//! | `trace` | S | with `carried`, if its request had a trace | the trace; what cannot be read is none |
//! | `lane`, `due` | S, N | with `carried` | the queue's index: partition, and from when on somebody should look after it, ms |
//! | `ttlSec` | N | with `keyExpiry` | that plus the margin, in seconds |

mod texts;

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::fingerprint::{Fingerprint, Scheme};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::members::Members;
use decide_once_protocol::record::{
    Carried, Due, Expiry, Fence, Hold, Identity, Keep, Record, RetryCause, State, StateName,
};
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Existing, Seen, ttl_after};

use serde_json::Value;

use self::texts::{
    answer, answer_text, carried, carried_value, failure, failure_text, standing, stands_text,
};
use super::packed::{pin, pin_text, whole};
use super::reader::{Reader, corrupt, trace};
use super::write::{bytes, instant, number, seconds, text};
use super::{Decoded, Item, TRACE, TTL, V};

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

/// S.
pub const CARRIED: &str = "carried";
/// S, a number: the partition key of the queue's index.
pub const LANE: &str = "lane";
/// N, ms: its sort key.
pub const DUE: &str = "due";

/// The sparse index of records that carry a request.
pub const QUEUE_INDEX: &str = "queue-index";

/// What only a record has that carries a request.
const OF_CARRYING: [&str; 3] = [CARRIED, LANE, DUE];

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

/// What the record that was seen has and `next` must not have.
pub(crate) fn left_behind(seen: Seen, next: &Record) -> impl Iterator<Item = &'static str> {
    let to = own(next.state.name());
    let of_state = own(seen.state).iter().copied();
    let drops = seen.carries && next.carried().is_none();
    // A release that knows no traces leaves theirs behind, so that it is no mistake elsewhere.
    let of_carrying = OF_CARRYING
        .into_iter()
        .chain([TRACE])
        .filter(move |_| drops);
    of_state
        .filter(move |name| !to.contains(name))
        .chain(of_carrying)
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
    let carried = record.carried().map(|it| (CARRIED, carried_value(it)));
    let trace = record.carried().and_then(Carried::trace);
    let trace = trace.map(|trace| (TRACE, text(trace.to_string())));
    let changing = changing(record)
        .into_iter()
        .filter(|(name, _)| *name != UPDATED || record.updated != record.created);
    fixed
        .into_iter()
        .chain(carried)
        .chain(trace)
        .chain(changing)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// What a transition may change, as it is after it. The rest is fixed for the key's life.
pub(crate) fn changing(record: &Record) -> Vec<(&'static str, AttributeValue)> {
    let mut attributes = vec![
        (STANDS, stands(Seen::of(record))),
        (UPDATED, instant(record.updated)),
    ];
    if let Some(key_expiry) = record.state.key_expiry() {
        attributes.push((KEY_EXPIRY, instant(key_expiry)));
        attributes.push((TTL, seconds(ttl_after(key_expiry))));
    }
    if let Some(Due { lane, at }) = record.due() {
        attributes.push((LANE, text(lane.to_string())));
        attributes.push((DUE, instant(at)));
    }
    if record.forgiven > 0 {
        attributes.push((FORGIVEN, number(record.forgiven)));
    }
    match &record.state {
        State::Processing { hold, .. } => match hold {
            Hold::Leased(lease) => attributes.push((TILL, instant(*lease))),
            Hold::Queued => {}
        },
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
        state: state(item, name, fence)?,
    })
}

/// The operation that a stream's image announces: the new image of a record that is queued, in DynamoDB's JSON. No more is read of it, and
/// nothing of it is believed: whoever goes on with the operation reads it strongly.
#[must_use]
pub fn announced(new_image: &Value) -> Option<OperationId> {
    let text = |name: &str| new_image.get(name)?.get("S")?.as_str();
    let (state, fence) = standing(text(STANDS)?)?;
    let is_queued = state == StateName::Processing && fence.attempt == 0;
    OperationId::parse(text(OP).filter(|_| is_queued)?).ok()
}

/// An entry of the queue's index, which projects keys only.
pub(crate) fn index_entry(item: &Item) -> Decoded<(OperationId, Due)> {
    let item = Reader::of_index(item);
    let due = Due {
        lane: item.parsed(LANE, whole)?,
        at: item.instant(DUE)?,
    };
    Ok((item.parsed(OP, |id| OperationId::parse(id).ok())?, due))
}

/// The key of an entry of the queue's index.
pub(crate) fn index_key(id: &OperationId, due: Due) -> Item {
    let (name, key) = key(id);
    Item::from([
        (name, key),
        (LANE.to_owned(), text(due.lane.to_string())),
        (DUE.to_owned(), instant(due.at)),
    ])
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

/// A record is kept until its key is retired, or while it carries a request; never both.
fn keep(item: Reader<'_>) -> Decoded<Keep> {
    if item.has(CARRIED) {
        item.none_of([KEY_EXPIRY, TTL])?;
        // Without its place in the queue nobody would come for it.
        let _due: (u8, Timestamp) = (item.parsed(LANE, whole)?, item.instant(DUE)?);
        let carried = item.parsed(CARRIED, carried)?;
        Ok(Keep::Carrying(carried.traced(trace(item))))
    } else {
        item.none_of(OF_CARRYING)?;
        Ok(Keep::Until(item.instant(KEY_EXPIRY)?))
    }
}

/// Attempt 0 is one that nobody has begun.
fn hold(item: Reader<'_>, fence: Fence) -> Decoded<Hold> {
    if fence.attempt == 0 {
        item.none_of([TILL])?;
        Ok(Hold::Queued)
    } else {
        Ok(Hold::Leased(item.instant(TILL)?))
    }
}

fn state(item: Reader<'_>, name: StateName, fence: Fence) -> Decoded<State> {
    let others = OF_SOME_STATES
        .into_iter()
        .filter(|other| !own(name).contains(other));
    item.none_of(others)?;
    let expiry = || -> Decoded<Expiry> {
        item.none_of(OF_CARRYING)?;
        Ok(Expiry {
            result: item.instant(TILL)?,
            key: item.instant(KEY_EXPIRY)?,
        })
    };
    Ok(match name {
        StateName::Processing => State::Processing {
            hold: hold(item, fence)?,
            keep: keep(item)?,
        },
        StateName::Succeeded => State::Succeeded {
            answer: item.parsed(ANSWER, answer)?,
            expiry: expiry()?,
        },
        StateName::FailedRetryable => State::FailedRetryable {
            cause: item.parsed(CAUSE, RetryCause::parse)?,
            keep: keep(item)?,
        },
        StateName::FailedFinal => State::FailedFinal {
            failure: item.parsed(FAILURE, failure)?,
            expiry: expiry()?,
        },
    })
}
