//! Reserving a key.

use super::Values;
use crate::items::write::instant;
use decide_once_protocol::writes::Reserve;

/// [`Reserve::permits`]: absent, or its life ended by the writer's clock less the margin. Freeing and reserving are one
/// write, whether TTL has deleted the item or not.
///
/// The one write that may replace an item which this code cannot read: a newer version's record is freed by it too, once its
/// `keyExpiry` and the margin have passed, as TTL would. A layout that means anything else by that must use another name.
pub const CONDITION: &str = "attribute_not_exists(op) OR keyExpiry<=:n";

/// The values of [`CONDITION`].
pub(crate) fn values(write: &Reserve) -> Values {
    Values::from([(":n".to_owned(), instant(write.vacant_before))])
}
