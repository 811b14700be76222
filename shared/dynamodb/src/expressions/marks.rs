//! Marking rows of the outbox. `shard` is a reserved word and travels as `#shard`.

use super::Changes;
use crate::items::TTL;
use crate::items::outbox::{
    DELIVERED_AT, QUARANTINE_SHARD, QUARANTINED, REASON, SHARD, UNDELIVERED, standing,
};
use crate::items::write::text;
use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::Mark;

/// The alias of [`SHARD`] in expressions.
pub const SHARD_ALIAS: &str = "#shard";

/// [`Mark::permits`] of delivered and quarantined: the row still carries the marker that was seen. False where there is no row.
pub const IF_UNDELIVERED: &str = "undelivered=:s";

/// [`Mark::permits`] of redriven: whatever the row is, but it is. No update ever creates one.
pub const IF_PRESENT: &str = "attribute_exists(event)";

/// The mark's condition.
pub(crate) const fn condition(mark: &Mark) -> &'static str {
    match mark {
        Mark::Delivered { .. } | Mark::Quarantined { .. } => IF_UNDELIVERED,
        Mark::Redriven { .. } => IF_PRESENT,
    }
}

/// What [`Mark::delivery`] has comes; what a row has that stands elsewhere goes, its end above all.
pub(crate) fn changes(event: &EventId, mark: &Mark) -> Changes {
    let set = standing(event, &mark.delivery())
        .into_iter()
        .map(|(name, value)| match name {
            SHARD => (SHARD_ALIAS, value),
            other => (other, value),
        });
    match mark {
        Mark::Delivered { seen, .. } | Mark::Quarantined { seen, .. } => {
            Changes::new(set, [UNDELIVERED, SHARD_ALIAS]).with(":s", text(seen.encode()))
        }
        Mark::Redriven { .. } => Changes::new(
            set,
            [QUARANTINED, QUARANTINE_SHARD, REASON, DELIVERED_AT, TTL],
        ),
    }
}
