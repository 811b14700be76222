//! Marking rows of the outbox. `shard` is a reserved word and travels as `#shard`.

use super::Changes;
use crate::items::TTL;
use crate::items::outbox::{
    DELIVERED_AT, QUARANTINE_SHARD, QUARANTINED, REASON, SHARD, UNDELIVERED, standing,
};
use crate::items::write::text;
use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Delivery, Marker};

/// The alias of [`SHARD`] in expressions.
pub const SHARD_ALIAS: &str = "#shard";

/// Delivered and quarantined: the row still carries the marker that was seen. False where there is no row.
pub const IF_UNDELIVERED: &str = "undelivered=:s";

/// Redriven: whatever the row is, but it is. No update ever creates one.
pub const IF_PRESENT: &str = "attribute_exists(event)";

/// Marker and shard go; what `to` has comes.
pub(crate) fn settle(event: &EventId, seen: Marker, to: &Delivery) -> Changes {
    Changes::new(standing(event, to), [UNDELIVERED, SHARD_ALIAS]).with(":s", text(seen.encode()))
}

/// A fresh marker and the shard come; everything else that a row may stand at goes, its end above all.
pub(crate) fn redrive(event: &EventId, fresh: Marker) -> Changes {
    let set = standing(event, &Delivery::Undelivered(fresh));
    let set = set.into_iter().map(|(name, value)| match name {
        SHARD => (SHARD_ALIAS, value),
        other => (other, value),
    });
    Changes::new(
        set,
        [QUARANTINED, QUARANTINE_SHARD, REASON, DELIVERED_AT, TTL],
    )
}
