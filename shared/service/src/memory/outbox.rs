//! The outbox's rows in memory.

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Delivery, Marker, OutboxRow, shard_of};
use decide_once_protocol::time::Timestamp;

use super::{Contents, MemoryStore, Slot, read};
use crate::ports::{Marked, Outbox, Read, StoreError};

impl Contents {
    /// Where an existing row stands becomes `to`, if `permits` says so of where it stands now.
    fn mark(
        &mut self,
        event: &EventId,
        to: Delivery,
        permits: impl FnOnce(&Delivery) -> bool,
    ) -> Marked {
        match self.rows.get_mut(event) {
            Some(Slot::Item(row)) if permits(&row.delivery) => {
                row.delivery = to;
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
        let unchanged = |now: &Delivery| *now == Delivery::Undelivered(seen);
        Ok(self
            .lock()
            .mark(event, Delivery::Delivered { at }, unchanged))
    }

    async fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let to = Delivery::Quarantined {
            since: at,
            reason: reason.to_owned(),
        };
        let unchanged = |now: &Delivery| *now == Delivery::Undelivered(seen);
        Ok(self.lock().mark(event, to, unchanged))
    }

    async fn redrive(&self, event: &EventId, fresh: Marker) -> Result<Marked, StoreError> {
        Ok(self
            .lock()
            .mark(event, Delivery::Undelivered(fresh), |_| true))
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
}
