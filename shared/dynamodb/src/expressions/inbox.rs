//! A consumer's marks.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{Finish, Keep};
use decide_once_protocol::record::EXPIRY_MARGIN;
use decide_once_protocol::time::Timestamp;

use super::{Changes, Values};
use crate::items::mark::{CLAIM, LAPSES, encode, standing};
use crate::items::write::{instant, text};

/// [`Claim::permits`](decide_once_protocol::inbox::Claim::permits) and [`Keep::permits`]: absent, lapsed by the writer's clock, or ended by
/// it less the margin. Whichever of the two instants an item does not have makes its comparison false. Like
/// [`reserve`](super::reserve) it may replace what this code cannot read, once that has ended: a newer layout keeps the two names' meaning.
pub const IF_VACANT: &str = "attribute_not_exists(id) OR lapses<=:now OR keptUntil<=:end";

/// [`Finish::permits`] and [`Release::permits`](decide_once_protocol::inbox::Release::permits): this very owner's claim. False where there is
/// none: an update creates nothing.
pub const IF_OWN: &str = "claim=:own";

/// The values of [`IF_VACANT`].
pub(crate) fn vacant(now: Timestamp) -> Values {
    Values::from([
        (":now".to_owned(), instant(now)),
        (":end".to_owned(), instant(now.minus(EXPIRY_MARGIN))),
    ])
}

/// The values of [`IF_OWN`].
pub(crate) fn own(owner: OwnerToken) -> Values {
    Values::from([(":own".to_owned(), text(owner.encode()))])
}

/// From claimed to done.
pub(crate) fn finish(write: &Finish) -> Changes {
    Changes::new(standing(&write.mark().state), [CLAIM, LAPSES])
        .with(":own", text(write.owner.encode()))
}

/// The mark as an item of the effect's own transaction.
pub(crate) fn keep(write: &Keep, table: &str) -> Result<TransactWriteItem, BuildError> {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(encode(&write.mark())))
        .condition_expression(IF_VACANT)
        .set_expression_attribute_values(Some(vacant(write.now)))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().put(put).build())
}
