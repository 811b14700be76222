//! The outbox: events that commit with their decision, and the rules by which they leave.
//!
//! A row that its sink has not acknowledged carries a marker (`undelivered`) and a shard: the sparse index of what is still
//! to be sent. It has no TTL. Marks are conditional, so that no path can create a row or flip one back:
//!
//! * **delivered**: condition `undelivered = :seen`; the marker and shard go, `deliveredAt` and the TTL come;
//! * **quarantined**: the same condition; the marker and shard go, the reason comes (an index of its own);
//! * **redriven**: condition `attribute_exists(event)`; a fresh marker and shard come, the rest goes.

use std::fmt;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::hash;
use crate::ids::EventId;
use crate::json::{self, Value};
use crate::record::PolicyPin;
use crate::time::{Timestamp, TtlSeconds};
use crate::trace::TraceParent;
use crate::writes::ttl_at;

/// Over how many partitions the indexes of undelivered and quarantined rows are spread, so that none is hot.
pub const SHARDS: u8 = 8;

/// How long a delivered row stays for people to look at, before TTL takes it.
pub const DELIVERED_RETENTION: Duration = Duration::from_secs(7 * 86_400);

/// The media type of [`Event::to_cloud_event`].
pub const MEDIA_TYPE: &str = "application/cloudevents+json; charset=utf-8";

/// The CloudEvents extension attribute of the trace.
pub(crate) const TRACE: &str = "traceparent";

/// An event to be delivered, as it was fixed at commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The CloudEvents id, derived from the decision's id and the event's index.
    pub id: EventId,
    /// The CloudEvents type.
    pub kind: String,
    /// The CloudEvents source; it names the tenant.
    pub source: String,
    /// The CloudEvents subject.
    pub subject: String,
    /// The commit instant.
    pub time: Timestamp,
    /// The policy version that decided.
    pub pin: PolicyPin,
    /// The CloudEvents data: a JSON value as text.
    pub data: String,
    /// Where it came from: the CloudEvents extension `traceparent`
    /// (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/extensions/distributed-tracing.md>).
    pub trace: Option<TraceParent>,
}

/// That a row is undelivered: a fresh value (an instant and a number) whenever it becomes so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marker {
    /// Since when.
    pub since: Timestamp,
    /// Tells markers of one instant apart.
    pub number: u32,
}

/// Where a row stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// To be sent.
    Undelivered(Marker),
    /// The sink acknowledged it.
    Delivered {
        /// When.
        at: Timestamp,
    },
    /// The sink will never take it as it is.
    Quarantined {
        /// Since when.
        since: Timestamp,
        /// Why; never the event's content.
        reason: String,
    },
}

impl Delivery {
    /// When TTL may take the row. Never before its sink has it: what is undelivered or quarantined has no TTL.
    #[must_use]
    pub fn ttl(&self) -> Option<TtlSeconds> {
        match self {
            Self::Delivered { at } => Some(ttl_at(at.plus(DELIVERED_RETENTION))),
            Self::Undelivered(_) | Self::Quarantined { .. } => None,
        }
    }
}

/// A conditional change to where a row stands. One `UpdateItem`; where the condition is false nothing changes, and nothing is
/// ever created.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The sink acknowledged the row that carried `seen`.
    Delivered {
        /// The marker that was sent under.
        seen: Marker,
        /// When.
        at: Timestamp,
    },
    /// The sink refuses the row that carried `seen`, and always will.
    Quarantined {
        /// The marker that was sent under.
        seen: Marker,
        /// Since when.
        since: Timestamp,
        /// Why; never the event's content.
        reason: String,
    },
    /// An operator wants it sent again.
    Redriven {
        /// A marker that the row never had.
        fresh: Marker,
    },
}

impl Mark {
    /// The condition: the very marker that was seen, or, for a redrive, any row at all.
    #[must_use]
    pub fn permits(&self, row: Option<&OutboxRow>) -> bool {
        match (self, row.map(|row| &row.delivery)) {
            (Self::Redriven { .. }, Some(_)) => true,
            (
                Self::Delivered { seen, .. } | Self::Quarantined { seen, .. },
                Some(Delivery::Undelivered(marker)),
            ) => seen == marker,
            (Self::Delivered { .. } | Self::Quarantined { .. }, Some(_)) | (_, None) => false,
        }
    }

    /// Where the row stands afterwards.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Delivered { at, .. } => Delivery::Delivered { at: *at },
            Self::Quarantined { since, reason, .. } => Delivery::Quarantined {
                since: *since,
                reason: reason.clone(),
            },
            Self::Redriven { fresh } => Delivery::Undelivered(*fresh),
        }
    }
}

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutboxRow {
    /// The event.
    pub event: Event,
    /// Where it stands.
    pub delivery: Delivery,
}

impl Event {
    /// The row that commits with the decision.
    #[must_use]
    pub fn into_row(self, index: u32) -> OutboxRow {
        let delivery = Delivery::Undelivered(Marker {
            since: self.time,
            number: index,
        });
        OutboxRow {
            event: self,
            delivery,
        }
    }

    /// The event as a structured-mode CloudEvent 1.0
    /// (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>). The same bytes on every path.
    #[must_use]
    pub fn to_cloud_event(&self) -> String {
        let text = |value: &str| Value::from(value);
        let mut head = json::object([
            ("specversion", text("1.0")),
            ("id", text(self.id.as_str())),
            ("source", text(&self.source)),
            ("type", text(&self.kind)),
            ("subject", text(&self.subject)),
            ("time", text(&self.time.to_rfc3339())),
            ("datacontenttype", text("application/json")),
            ("decisionid", text(self.id.decision().as_str())),
            ("policyid", text(self.pin.id.as_str())),
            ("policyversion", text(&self.pin.version.to_string())),
            ("policydigest", text(&hash::hex(&self.pin.digest))),
        ]);
        if let Some(trace) = &self.trace {
            head.insert(TRACE, text(&trace.to_string()));
        }
        let head = head.to_json();
        format!(r#"{},"data":{}}}"#, head.trim_end_matches('}'), self.data)
    }

    /// The partition of the sparse indexes that this event's row is in.
    #[must_use]
    pub fn shard(&self) -> u8 {
        shard_of(&self.id)
    }
}

/// The partition of the sparse indexes that an event's row is in.
#[must_use]
pub fn shard_of(event: &EventId) -> u8 {
    Sha256::digest(event.as_str().as_bytes())[0] % SHARDS
}

/// Whether a stream image asks for delivery: the marker is in the new image, and absent or different in the old one. Marks,
/// removals, no-op writes and attempt counts do not, so a publisher never feeds itself.
#[must_use]
pub fn is_newly_undelivered(old: Option<Marker>, new: Option<Marker>) -> bool {
    new.is_some() && old != new
}

impl Marker {
    /// The stored form; it sorts by time.
    #[must_use]
    pub fn encode(&self) -> String {
        self.to_string()
    }

    /// Reads the stored form; `None` if it is not one.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let (since, number) = text.split_once('.')?;
        let marker = Self {
            since: Timestamp::from_millis(since.parse().ok()?)?,
            number: number.parse().ok()?,
        };
        (marker.encode() == text).then_some(marker)
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:015}.{:03}", self.since.as_millis(), self.number)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn marker(ms: i64, number: u32) -> Marker {
        Marker {
            since: Timestamp::from_millis(ms).unwrap(),
            number,
        }
    }

    #[test]
    fn only_a_new_marker_asks_for_delivery() {
        let (first, redriven) = (marker(1, 0), marker(2, 7));
        assert!(is_newly_undelivered(None, Some(first)), "committed");
        assert!(
            is_newly_undelivered(Some(first), Some(redriven)),
            "redriven while undelivered"
        );
        assert!(
            !is_newly_undelivered(Some(first), Some(first)),
            "no-op write"
        );
        assert!(
            !is_newly_undelivered(Some(first), None),
            "marked or removed"
        );
        assert!(
            !is_newly_undelivered(None, None),
            "a change to a delivered row"
        );
    }

    #[test]
    fn a_marker_has_one_spelling_and_sorts_by_time() {
        let m = marker(1_796_083_200_000, 3);
        assert_eq!(m.encode(), "001796083200000.003");
        assert_eq!(Marker::decode(&m.encode()), Some(m));
        assert_eq!(Marker::decode("1796083200000.003"), None);
        assert!(marker(999, 0).encode() < marker(1_000, 0).encode());
        assert!(marker(1, 9).encode() < marker(1, 10).encode());
    }
}
