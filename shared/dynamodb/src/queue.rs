//! The queue's index.

use decide_once_protocol::record::Due;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::{Queue, StoreError};

use crate::items::operation::{QUEUE_INDEX, index_entry, index_key};
use crate::items::write::{instant, text};
use crate::outcome;
use crate::store::DynamoStore;

impl Queue for DynamoStore {
    async fn due(
        &self,
        lane: u8,
        after: Option<&(OperationId, Due)>,
        by: Timestamp,
        limit: u32,
    ) -> Result<Vec<(OperationId, Due)>, StoreError> {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut start = after.map(|(id, due)| index_key(id, *due));
        // An index is read as it is; whoever goes on with an operation reads strongly from the table first.
        while found.len() < wanted {
            let left = wanted - found.len();
            let page = self
                .client
                .query()
                .table_name(&self.tables.operations)
                .index_name(QUEUE_INDEX)
                .key_condition_expression("lane=:lane AND due<=:by")
                .expression_attribute_values(":lane", text(lane.to_string()))
                .expression_attribute_values(":by", instant(by))
                .set_exclusive_start_key(start)
                .limit(i32::try_from(left).unwrap_or(i32::MAX))
                .send()
                .await
                .map_err(|error| outcome::of_read(&error))?;
            for item in page.items() {
                match index_entry(item) {
                    Ok(entry) => found.push(entry),
                    Err(why) => tracing::error!(?why, lane, "an index entry cannot be read"),
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
