//! Moving a record on from what was seen.

use super::Changes;
use crate::items::operation::{changing, left_behind, stands};
use decide_once_protocol::writes::Transition;

/// [`Transition::permits`]: the very state, owner and attempt that were seen. All three are one attribute, so that no
/// condition can forget one of them. False where there is no item: an update creates nothing.
pub const CONDITION: &str = "stands=:s";

/// Sets what the next state has and removes what only the seen one had.
pub(crate) fn changes(write: &Transition) -> Changes {
    Changes::new(
        changing(&write.next),
        left_behind(write.expected, &write.next),
    )
    .with(":s", stands(write.expected))
}
