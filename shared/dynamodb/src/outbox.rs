//! The outbox's rows.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Mark, Marker, OutboxRow};
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::{Marked, Outbox, Read, StoreError};

use crate::expressions::marks;
use crate::items::outbox::{
    QUARANTINED_INDEX, SHARD, UNDELIVERED_INDEX, decode_index_entry, decode_quarantined_entry, key,
    quarantined_key, read,
};
use crate::items::write::text;
use crate::outcome;
use crate::store::DynamoStore;

impl Outbox for DynamoStore {
    async fn read_row(&self, event: &EventId) -> Result<Read<OutboxRow>, StoreError> {
        let (name, id) = key(event);
        let found = self
            .client
            .get_item()
            .table_name(&self.tables.outbox)
            .key(name, id)
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| outcome::of_read(&error))?;
        Ok(read(found.item()))
    }

    async fn mark_delivered(
        &self,
        event: &EventId,
        seen: Marker,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        self.mark(event, &Mark::Delivered { seen, at }).await
    }

    async fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let reason = reason.to_owned();
        let since = at;
        let mark = Mark::Quarantined {
            seen,
            since,
            reason,
        };
        self.mark(event, &mark).await
    }

    async fn redrive(&self, event: &EventId, fresh: Marker) -> Result<Marked, StoreError> {
        self.mark(event, &Mark::Redriven { fresh }).await
    }

    async fn undelivered(
        &self,
        shard: u8,
        after: Option<Marker>,
        before: Marker,
        limit: u32,
    ) -> Result<Vec<(EventId, Marker)>, StoreError> {
        // DynamoDB refuses a BETWEEN whose bounds are the wrong way round.
        if after.is_some_and(|after| after.encode() >= before.encode()) {
            return Ok(Vec::new());
        }
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut start = None;
        // An index is read as it is; the caller reads strongly from the table before it sends.
        while found.len() < wanted {
            let query = self
                .client
                .query()
                .table_name(&self.tables.outbox)
                .index_name(UNDELIVERED_INDEX)
                .expression_attribute_names(marks::SHARD_ALIAS, SHARD)
                .expression_attribute_values(":shard", text(shard.to_string()))
                .expression_attribute_values(":before", text(before.encode()))
                .set_exclusive_start_key(start)
                // Both ends of BETWEEN belong to it, and neither to what is wanted.
                .limit(i32::try_from(limit.saturating_add(2)).unwrap_or(i32::MAX));
            let query = match after {
                Some(after) => query
                    .key_condition_expression(
                        "#shard=:shard AND undelivered BETWEEN :after AND :before",
                    )
                    .expression_attribute_values(":after", text(after.encode())),
                None => query.key_condition_expression("#shard=:shard AND undelivered<:before"),
            };
            let page = query
                .send()
                .await
                .map_err(|error| outcome::of_read(&error))?;
            for item in page.items() {
                match decode_index_entry(item) {
                    Ok((_, marker)) if marker == before || Some(marker) == after => {}
                    Ok(entry) => found.push(entry),
                    Err(why) => tracing::error!(?why, shard, "an index entry cannot be read"),
                }
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        found.truncate(wanted);
        Ok(found)
    }

    async fn quarantined(
        &self,
        shard: u8,
        after: Option<&(EventId, Timestamp)>,
        limit: u32,
    ) -> Result<Vec<(EventId, Timestamp)>, StoreError> {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut start = after.map(|(event, since)| quarantined_key(event, *since));
        while found.len() < wanted {
            let left = wanted - found.len();
            let page = self
                .client
                .query()
                .table_name(&self.tables.outbox)
                .index_name(QUARANTINED_INDEX)
                .key_condition_expression("quarantineShard=:shard")
                .expression_attribute_values(":shard", text(shard.to_string()))
                .set_exclusive_start_key(start)
                .limit(i32::try_from(left).unwrap_or(i32::MAX))
                .send()
                .await
                .map_err(|error| outcome::of_read(&error))?;
            for item in page.items() {
                match decode_quarantined_entry(item) {
                    Ok(entry) => found.push(entry),
                    Err(why) => tracing::error!(?why, shard, "an index entry cannot be read"),
                }
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

impl DynamoStore {
    async fn mark(&self, event: &EventId, mark: &Mark) -> Result<Marked, StoreError> {
        let changes = marks::changes(event, mark);
        let (name, id) = key(event);
        let sent = self
            .client
            .update_item()
            .table_name(&self.tables.outbox)
            .key(name, id)
            .update_expression(changes.expression)
            .condition_expression(marks::condition(mark))
            .expression_attribute_names(marks::SHARD_ALIAS, SHARD)
            .set_expression_attribute_values(Some(changes.values))
            .send()
            .await;
        match sent {
            Ok(_) => Ok(Marked::Done),
            Err(SdkError::ServiceError(refused))
                if matches!(
                    refused.err(),
                    UpdateItemError::ConditionalCheckFailedException(_)
                ) =>
            {
                Ok(Marked::NotThere)
            }
            Err(error) => Err(outcome::of_read(&error)),
        }
    }
}
