//! The one transaction: operation, decision, events, claims.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use decide_once_protocol::decision::NaturalClaim;
use decide_once_protocol::writes::{Commit, Transition};

use super::{Values, transition};
use crate::items::{self, Item, write::instant};
use crate::tables::TableNames;

/// A decision's id was chosen at the reservation: if it exists, it was committed under this or another record.
pub const DECISION: &str = "attribute_not_exists(id)";

/// An event's id is its decision's and an index.
pub const EVENT: &str = "attribute_not_exists(event)";

/// [`Commit::permits_claim`]: absent, or expired by the writer's clock less the margin.
pub const CLAIM: &str = "attribute_not_exists(id) OR keyExpiry<=:n";

/// The items in the order by which cancellation reasons are read: operation, decision, events, claims.
pub(crate) fn items(
    write: &Commit,
    tables: &TableNames,
) -> Result<Vec<TransactWriteItem>, BuildError> {
    let mut items = vec![
        operation(&write.operation, tables)?,
        put(
            &tables.decisions,
            items::decision::encode(&write.decision),
            DECISION,
        )?,
    ];
    for row in &write.events {
        items.push(put(&tables.outbox, items::outbox::encode(row), EVENT)?);
    }
    for claim in &write.claims {
        items.push(self::claim(claim, write, tables)?);
    }
    Ok(items)
}

fn operation(write: &Transition, tables: &TableNames) -> Result<TransactWriteItem, BuildError> {
    let changes = transition::changes(write);
    let (name, id) = items::operation::key(&write.next.operation);
    let update = Update::builder()
        .table_name(&tables.operations)
        .key(name, id)
        .update_expression(changes.expression)
        .condition_expression(transition::CONDITION)
        .set_expression_attribute_values(Some(changes.values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

/// What stands in the way of a decision or an event is never looked at (it cannot be there), so it is not asked for.
fn put(table: &str, item: Item, condition: &str) -> Result<TransactWriteItem, BuildError> {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .condition_expression(condition)
        .build()?;
    Ok(TransactWriteItem::builder().put(put).build())
}

fn claim(
    claim: &NaturalClaim,
    write: &Commit,
    tables: &TableNames,
) -> Result<TransactWriteItem, BuildError> {
    let put = Put::builder()
        .table_name(&tables.decisions)
        .set_item(Some(items::claim::encode(claim)))
        .condition_expression(CLAIM)
        .set_expression_attribute_values(Some(Values::from([(
            ":n".to_owned(),
            instant(write.vacant_before),
        )])))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().put(put).build())
}
