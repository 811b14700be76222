//! The outbox's rows in memory.

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Delivery, Mark, Marker, OutboxRow, shard_of};
use decide_once_protocol::time::Timestamp;

use super::{Contents, MemoryStore, Slot, read};
use crate::ports::{Marked, Outbox, Read, StoreError};

impl Contents {
    /// Changes where a row stands, if the mark's own rule permits it.
    fn mark(&mut self, event: &EventId, mark: &Mark) -> Marked {
        match self.rows.get_mut(event) {
            Some(Slot::Item(row)) if mark.permits(Some(row)) => {
                row.delivery = mark.delivery();
                Marked::Done
            }
            Some(Slot::Item(_) | Slot::Unreadable(_)) | None => Marked::NotThere,
        }
    }
}

impl Outbox for MemoryStore {
    async fn read_row(&self, event: &EventId) -> Result<Read<OutboxRow>, StoreError> {
        Ok(read(self.lock().rows.get(event)))
    }

    async fn mark_delivered(
        &self,
        event: &EventId,
        seen: Marker,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        Ok(self.lock().mark(event, &Mark::Delivered { seen, at }))
    }

    async fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let reason = reason.to_owned();
        let mark = Mark::Quarantined {
            seen,
            since: at,
            reason,
        };
        Ok(self.lock().mark(event, &mark))
    }

    async fn redrive(&self, event: &EventId, fresh: Marker) -> Result<Marked, StoreError> {
        Ok(self.lock().mark(event, &Mark::Redriven { fresh }))
    }

    async fn undelivered(
        &self,
        shard: u8,
        after: Option<Marker>,
        before: Marker,
        limit: u32,
    ) -> Result<Vec<(EventId, Marker)>, StoreError> {
        let contents = self.lock();
        let rows = contents.rows.values().filter_map(Slot::item);
        // By the stored form, which is what DynamoDB's index sorts by.
        let mut found: Vec<_> = rows
            .filter(|row| shard_of(&row.event.id) == shard)
            .filter_map(|row| match row.delivery {
                Delivery::Undelivered(marker) => Some((marker.encode(), &row.event.id, marker)),
                Delivery::Delivered { .. } | Delivery::Quarantined { .. } => None,
            })
            .filter(|(encoded, ..)| {
                after.is_none_or(|after| *encoded > after.encode()) && *encoded < before.encode()
            })
            .collect();
        found.sort_unstable();
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(found
            .into_iter()
            .map(|(_, event, marker)| (event.clone(), marker))
            .collect())
    }

    async fn quarantined(
        &self,
        shard: u8,
        after: Option<&(EventId, Timestamp)>,
        limit: u32,
    ) -> Result<Vec<(EventId, Timestamp)>, StoreError> {
        let contents = self.lock();
        let rows = contents.rows.values().filter_map(Slot::item);
        let mut found: Vec<_> = rows
            .filter(|row| shard_of(&row.event.id) == shard)
            .filter_map(|row| match row.delivery {
                Delivery::Quarantined { since, .. } => Some((since, &row.event.id)),
                Delivery::Delivered { .. } | Delivery::Undelivered(_) => None,
            })
            .filter(|place| after.is_none_or(|(event, since)| *place > (*since, event)))
            .collect();
        found.sort_unstable();
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(found
            .into_iter()
            .map(|(since, event)| (event.clone(), since))
            .collect())
    }
}
