//! Numbers in a table of their own, for a consumer's effects to change.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem, Update};

const TABLE: &str = "balances";

fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn update(name: &str) -> aws_sdk_dynamodb::types::builders::UpdateBuilder {
    Update::builder()
        .table_name(TABLE)
        .key("id", AttributeValue::S(name.to_owned()))
}

fn effect(update: aws_sdk_dynamodb::types::builders::UpdateBuilder) -> Vec<TransactWriteItem> {
    let update = update.build().unwrap();
    vec![TransactWriteItem::builder().update(update).build()]
}

/// Relative.
pub(crate) fn add(name: &str, by: i64) -> Vec<TransactWriteItem> {
    effect(
        update(name)
            .update_expression("ADD amount :by")
            .expression_attribute_values(":by", number(by)),
    )
}

/// Absolute, if what was seen still stands.
pub(crate) fn set(name: &str, seen: Option<i64>, to: i64) -> Vec<TransactWriteItem> {
    let set = update(name)
        .update_expression("SET amount=:to")
        .expression_attribute_values(":to", number(to));
    effect(match seen {
        None => set.condition_expression("attribute_not_exists(amount)"),
        Some(seen) => set
            .condition_expression("amount=:seen")
            .expression_attribute_values(":seen", number(seen)),
    })
}

/// What stands there.
pub(crate) async fn read(client: &Client, name: &str) -> Option<i64> {
    let found = client
        .get_item()
        .table_name(TABLE)
        .key("id", AttributeValue::S(name.to_owned()))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    let amount = found.item?.remove("amount")?;
    Some(amount.as_n().unwrap().parse().unwrap())
}
