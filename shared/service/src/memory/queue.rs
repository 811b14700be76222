//! The queue in memory: a look at the records themselves.

use decide_once_protocol::record::Due;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;

use super::{MemoryStore, Slot};
use crate::ports::{Queue, StoreError};

impl Queue for MemoryStore {
    async fn due(
        &self,
        lane: u8,
        after: Option<&(OperationId, Due)>,
        by: Timestamp,
        limit: u32,
    ) -> Result<Vec<(OperationId, Due)>, StoreError> {
        let contents = self.lock();
        let mut due: Vec<_> = contents
            .operations
            .values()
            .filter_map(Slot::item)
            .filter_map(|record| Some((record.operation.clone(), record.due()?)))
            .filter(|(_, due)| due.lane == lane && due.at <= by)
            .collect();
        due.sort_by(|one, other| place(one).cmp(&place(other)));
        due.retain(|entry| after.is_none_or(|after| place(entry) > place(after)));
        due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(due)
    }
}

/// Where an entry stands in its lane.
const fn place(entry: &(OperationId, Due)) -> (Timestamp, &OperationId) {
    let (id, due) = entry;
    (due.at, id)
}
