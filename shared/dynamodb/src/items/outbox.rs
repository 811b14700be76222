//! A row of the table `outbox`.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `event` | S | always | table key: the event's id |
//! | `v` | N | always | version of this layout |
//! | `pin` | S | always | the policy version that decided |
//! | `content` | S | always | packed: type, source, subject, time (ms), data |
//! | `trace` | S | its request had a trace | the trace; what cannot be read is none |
//! | `undelivered` | S | undelivered | the marker; sort key of the sparse index of what is to be sent |
//! | `shard` | S | undelivered | its partition key |
//! | `deliveredAt` | N | delivered | when the sink acknowledged it, ms |
//! | `ttlSec` | N | delivered | `deliveredAt` plus the retention, in seconds |
//! | `quarantined` | S | quarantined | since when, 15 digits of ms; sort key of the sparse index of poison rows |
//! | `quarantineShard` | S | quarantined | its partition key |
//! | `reason` | S | quarantined | why |

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Delivery, Event, Marker, OutboxRow, shard_of};
use decide_once_protocol::record::RECORD_VERSION;
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::Read;

use super::packed::{pack, pin, pin_text, unpack, whole};
use super::reader::{Reader, corrupt, trace};
use super::write::{instant, number, seconds, text};
use super::{Decoded, Item, TRACE, TTL, V};

/// S, the table key.
pub const EVENT: &str = "event";
/// S.
pub const PIN: &str = "pin";
/// S.
pub const CONTENT: &str = "content";
/// S. An index's sort key, and what a stream filter tests.
pub const UNDELIVERED: &str = "undelivered";
/// S. A reserved word.
pub const SHARD: &str = "shard";
/// N, ms.
pub const DELIVERED_AT: &str = "deliveredAt";
/// S.
pub const QUARANTINED: &str = "quarantined";
/// S.
pub const QUARANTINE_SHARD: &str = "quarantineShard";
/// S.
pub const REASON: &str = "reason";

/// The sparse index of undelivered rows: pk [`SHARD`], sk [`UNDELIVERED`], keys only.
pub const UNDELIVERED_INDEX: &str = "undelivered-index";

/// The sparse index of quarantined rows: pk [`QUARANTINE_SHARD`], sk [`QUARANTINED`], keys only.
pub const QUARANTINED_INDEX: &str = "quarantined-index";

/// Which attributes a row has by where it stands.
const OF_SOME: [&str; 6] = [
    UNDELIVERED,
    SHARD,
    DELIVERED_AT,
    QUARANTINED,
    QUARANTINE_SHARD,
    REASON,
];

/// The table key of an event.
#[must_use]
pub fn key(event: &EventId) -> (String, AttributeValue) {
    (EVENT.to_owned(), text(event.as_str()))
}

/// The item of a row.
#[must_use]
pub fn encode(row: &OutboxRow) -> Item {
    let Event {
        id,
        kind,
        source,
        subject,
        time,
        pin,
        data,
        trace,
    } = &row.event;
    let time = time.as_millis().to_string();
    let content = pack([kind.as_str(), source, subject, &time, data]);
    let fixed = [
        (EVENT, text(id.as_str())),
        (V, number(RECORD_VERSION)),
        (PIN, text(pin_text(pin))),
        (CONTENT, text(content)),
    ];
    fixed
        .into_iter()
        .chain(trace.map(|trace| (TRACE, text(trace.to_string()))))
        .chain(standing(id, &row.delivery))
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The attributes of where a row stands; a mark sets exactly these.
pub(crate) fn standing(
    event: &EventId,
    delivery: &Delivery,
) -> Vec<(&'static str, AttributeValue)> {
    let shard = || text(shard_of(event).to_string());
    let mut attributes = match delivery {
        Delivery::Undelivered(marker) => {
            vec![(UNDELIVERED, text(marker.encode())), (SHARD, shard())]
        }
        Delivery::Delivered { at } => vec![(DELIVERED_AT, instant(*at))],
        Delivery::Quarantined { since, reason } => vec![
            (QUARANTINED, text(as_fifteen_digits(*since))),
            (QUARANTINE_SHARD, shard()),
            (REASON, text(reason)),
        ],
    };
    attributes.extend(delivery.ttl().map(|ttl| (TTL, seconds(ttl))));
    attributes
}

/// What a read found.
#[must_use]
pub fn read(item: Option<&Item>) -> Read<OutboxRow> {
    match item.map(decode) {
        None => Read::Absent,
        Some(Ok(row)) => Read::Found(Box::new(row)),
        Some(Err(why)) => Read::Unreadable(why),
    }
}

/// The row of an item, also of a stream image.
///
/// # Errors
/// A newer version wrote it, or no version did.
pub fn decode(item: &Item) -> Decoded<OutboxRow> {
    let item = Reader::open(item)?;
    let content = item.parsed(CONTENT, unpack)?;
    let [kind, source, subject, time, data] = content.as_slice() else {
        return Err(corrupt(CONTENT));
    };
    let id = item.parsed(EVENT, EventId::parse)?;
    Ok(OutboxRow {
        delivery: delivery(item, &id)?,
        event: Event {
            id,
            kind: kind.clone(),
            source: source.clone(),
            subject: subject.clone(),
            time: whole(time)
                .and_then(Timestamp::from_millis)
                .ok_or_else(|| corrupt(CONTENT))?,
            pin: item.parsed(PIN, pin)?,
            data: data.clone(),
            trace: trace(item),
        },
    })
}

/// Event and marker of an item of the undelivered index.
///
/// # Errors
/// Its keys are not what any version writes.
pub fn decode_index_entry(item: &Item) -> Decoded<(EventId, Marker)> {
    let item = Reader::of_index(item);
    Ok((
        item.parsed(EVENT, EventId::parse)?,
        item.parsed(UNDELIVERED, Marker::decode)?,
    ))
}

/// Event and instant of an item of the quarantined index.
///
/// # Errors
/// Its keys are not what any version writes.
pub fn decode_quarantined_entry(item: &Item) -> Decoded<(EventId, Timestamp)> {
    let item = Reader::of_index(item);
    Ok((
        item.parsed(EVENT, EventId::parse)?,
        item.parsed(QUARANTINED, fifteen_digits)?,
    ))
}

/// The place in the quarantined index behind which a page begins.
pub(crate) fn quarantined_key(event: &EventId, since: Timestamp) -> Item {
    let (name, id) = key(event);
    Item::from([
        (name, id),
        (
            QUARANTINE_SHARD.to_owned(),
            text(shard_of(event).to_string()),
        ),
        (QUARANTINED.to_owned(), text(as_fifteen_digits(since))),
    ])
}

fn delivery(item: Reader<'_>, event: &EventId) -> Decoded<Delivery> {
    let (delivery, own): (_, &[&str]) = if item.has(UNDELIVERED) {
        let marker = item.parsed(UNDELIVERED, Marker::decode)?;
        (Delivery::Undelivered(marker), &[UNDELIVERED, SHARD])
    } else if item.has(DELIVERED_AT) {
        let at = item.instant(DELIVERED_AT)?;
        (Delivery::Delivered { at }, &[DELIVERED_AT])
    } else {
        let since = item.parsed(QUARANTINED, fifteen_digits)?;
        let reason = item.text(REASON)?.to_owned();
        let own = &[QUARANTINED, QUARANTINE_SHARD, REASON];
        (Delivery::Quarantined { since, reason }, own)
    };
    item.none_of(OF_SOME.into_iter().filter(|other| !own.contains(other)))?;
    // A row in another partition than its own would be swept twice, or never.
    for partition in [SHARD, QUARANTINE_SHARD]
        .into_iter()
        .filter(|name| own.contains(name))
    {
        item.parsed(partition, |shard| {
            (shard == shard_of(event).to_string()).then_some(())
        })?;
    }
    Ok(delivery)
}

fn fifteen_digits(text: &str) -> Option<Timestamp> {
    let since = Timestamp::from_millis(text.parse().ok()?)?;
    (as_fifteen_digits(since) == text).then_some(since)
}

fn as_fifteen_digits(since: Timestamp) -> String {
    format!("{:015}", since.as_millis())
}
