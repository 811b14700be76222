//! The decision item in the table `decisions`.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `id` | S | always | table key: the decision's id |
//! | `v` | N | always | version of this layout |
//! | `tenant` | S | always | whose it is |
//! | `op` | S | absent when it follows | the operation id; it follows from tenant, [`DECIDE`] and key, which saves 66 bytes of every first request |
//! | `pin` | S | always | policy, version and digest |
//! | `content` | S | always | packed: key, subject, rule, outcome, event types |
//! | `times` | S | always | separated by `/`: the evaluation in ms, and how many ms later the result expires, the key expires and, unless for ever, the decision may go |
//! | `ttlSec` | N | absent when kept for ever | when the decision may go, in seconds |

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::record::{Expiry, RECORD_VERSION};
use decide_once_protocol::request::Subject;
use decide_once_protocol::scope::{DECIDE, OperationId, OperationName, Scope, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::ttl_at;
use decide_once_service::ports::Read;

use super::packed::{pack, pin, pin_text, unpack, verdict, verdict_texts, whole};
use super::reader::{Reader, corrupt};
use super::write::{number, seconds, text};
use super::{Decoded, Item, TTL, V};

/// S, the table key.
pub const ID: &str = "id";
/// S.
pub const TENANT: &str = "tenant";
/// S.
pub const OP: &str = "op";
/// S.
pub const PIN: &str = "pin";
/// S.
pub const CONTENT: &str = "content";
/// S.
pub const TIMES: &str = "times";

/// The table key of a decision.
#[must_use]
pub fn key(id: &DecisionId) -> (String, AttributeValue) {
    (ID.to_owned(), text(id.as_str()))
}

/// The item of a decision.
#[must_use]
pub fn encode(decision: &DecisionItem) -> Item {
    let content = [decision.key.as_str(), decision.subject.as_str()]
        .into_iter()
        .chain(verdict_texts(&decision.verdict));
    let mut attributes = vec![
        (ID, text(decision.id.as_str())),
        (V, number(RECORD_VERSION)),
        (TENANT, text(decision.tenant.as_str())),
        (PIN, text(pin_text(&decision.pin))),
        (CONTENT, text(pack(content))),
        (TIMES, text(times_text(decision))),
    ];
    if implied_operation(&decision.tenant, &decision.key).as_ref() != Some(&decision.operation) {
        attributes.push((OP, text(decision.operation.as_str())));
    }
    if let Some(until) = decision.retained_until {
        attributes.push((TTL, seconds(ttl_at(until))));
    }
    attributes
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// What a read found.
#[must_use]
pub fn read(item: Option<&Item>) -> Read<DecisionItem> {
    match item.map(decode) {
        None => Read::Absent,
        Some(Ok(decision)) => Read::Found(Box::new(decision)),
        Some(Err(why)) => Read::Unreadable(why),
    }
}

/// The decision of an item.
///
/// # Errors
/// A newer version wrote it, or no version did.
pub fn decode(item: &Item) -> Decoded<DecisionItem> {
    let item = Reader::open(item)?;
    let tenant = item.parsed(TENANT, |tenant| Tenant::parse(tenant).ok())?;
    let content = item.parsed(CONTENT, unpack)?;
    let [key, subject, said @ ..] = content.as_slice() else {
        return Err(corrupt(CONTENT));
    };
    let key = IdempotencyKey::parse(key).map_err(|_| corrupt(CONTENT))?;
    let operation = item.optional(OP, |item, name| {
        item.parsed(name, |id| OperationId::parse(id).ok())
    })?;
    let (evaluated_at, expiry, retained_until) = item.parsed(TIMES, times)?;
    Ok(DecisionItem {
        id: item.parsed(ID, DecisionId::parse)?,
        operation: operation
            .or_else(|| implied_operation(&tenant, &key))
            .ok_or_else(|| corrupt(OP))?,
        tenant,
        key,
        subject: Subject::parse(subject).map_err(|_| corrupt(CONTENT))?,
        pin: item.parsed(PIN, pin)?,
        verdict: verdict(said).ok_or_else(|| corrupt(CONTENT))?,
        evaluated_at,
        expiry,
        retained_until,
    })
}

/// The id of this tenant's [`DECIDE`] operation under this key.
fn implied_operation(tenant: &Tenant, key: &IdempotencyKey) -> Option<OperationId> {
    let scope = Scope {
        tenant: tenant.clone(),
        operation: OperationName::parse(DECIDE).ok()?,
        key: key.clone(),
    };
    Some(scope.operation_id())
}

fn times_text(decision: &DecisionItem) -> String {
    let at = decision.evaluated_at.as_millis();
    let later = [decision.expiry.result, decision.expiry.key]
        .into_iter()
        .chain(decision.retained_until)
        .map(|instant| format!("/{}", instant.as_millis() - at));
    at.to_string() + &later.collect::<String>()
}

fn times(text: &str) -> Option<(Timestamp, Expiry, Option<Timestamp>)> {
    let mut spans = text.split('/').map(whole::<i64>);
    let at = spans.next()??;
    let later: Vec<Timestamp> = spans
        .map(|span| Timestamp::from_millis(at.checked_add(span?)?))
        .collect::<Option<_>>()?;
    let (result, key, kept) = match *later.as_slice() {
        [result, key] => (result, key, None),
        [result, key, kept] => (result, key, Some(kept)),
        _ => return None,
    };
    Some((Timestamp::from_millis(at)?, Expiry { result, key }, kept))
}
