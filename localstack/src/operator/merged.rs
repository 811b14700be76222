//! An index in several partitions, read as one: oldest first, a page of each at a time.

use std::collections::VecDeque;
use std::future::Future;

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Marker, SHARDS};
use decide_once_protocol::record::{Due, LANES};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::{Outbox, Queue, StoreError};

/// Keys in a page. They are small, and a page of DynamoDB holds a megabyte.
pub(super) const PAGE: u32 = 500;

/// Pages of one kind of entry.
pub(super) trait Pages {
    /// An entry.
    type Entry: Clone;

    /// How many partitions there are.
    const PARTITIONS: u8;

    /// The next entries of a partition, oldest first. None left is the end of it.
    fn page(
        &self,
        partition: u8,
        after: Option<&Self::Entry>,
    ) -> impl Future<Output = Result<Vec<Self::Entry>, StoreError>>;

    /// Since when.
    fn since(entry: &Self::Entry) -> Timestamp;
}

/// The merged reader.
pub(super) struct Merged<P: Pages> {
    pages: P,
    partitions: Vec<Partition<P::Entry>>,
}

struct Partition<E> {
    number: u8,
    read: VecDeque<E>,
    last: Option<E>,
    ended: bool,
}

impl<P: Pages> Merged<P> {
    pub(super) fn new(pages: P) -> Self {
        let partitions = (0..P::PARTITIONS).map(|number| Partition {
            number,
            read: VecDeque::new(),
            last: None,
            ended: false,
        });
        Self {
            pages,
            partitions: partitions.collect(),
        }
    }

    /// The oldest entry that is left.
    pub(super) async fn next(&mut self) -> Result<Option<P::Entry>, StoreError> {
        for partition in &mut self.partitions {
            if partition.read.is_empty() && !partition.ended {
                let after = partition.last.as_ref();
                partition.read = self.pages.page(partition.number, after).await?.into();
                partition.last = partition.read.back().cloned();
                partition.ended = partition.read.is_empty();
            }
        }
        let heads = self.partitions.iter_mut();
        let oldest = heads
            .filter(|partition| !partition.read.is_empty())
            .min_by_key(|partition| partition.read.front().map(P::since));
        Ok(oldest.and_then(|partition| partition.read.pop_front()))
    }
}

/// Undelivered rows that became so before an instant.
pub(super) struct Undelivered<'a, S> {
    pub(super) store: &'a S,
    pub(super) before: Marker,
}

impl<S: Outbox> Pages for Undelivered<'_, S> {
    type Entry = (EventId, Marker);

    const PARTITIONS: u8 = SHARDS;

    /// The port goes on behind a *marker*, and rows may share one: those of a marker that a full page ends with are left to the next.
    async fn page(
        &self,
        shard: u8,
        after: Option<&Self::Entry>,
    ) -> Result<Vec<Self::Entry>, StoreError> {
        let after = after.map(|(_, marker)| *marker);
        let mut limit = PAGE;
        loop {
            let page = self.store.undelivered(shard, after, self.before, limit);
            let mut page = page.await?;
            let is_full = u32::try_from(page.len()).unwrap_or(u32::MAX) >= limit;
            let Some((_, last)) = page.last().cloned().filter(|_| is_full) else {
                return Ok(page);
            };
            page.retain(|(_, marker)| *marker != last);
            if !page.is_empty() {
                return Ok(page);
            }
            limit = limit.saturating_mul(2);
        }
    }

    fn since((_, marker): &Self::Entry) -> Timestamp {
        marker.since
    }
}

/// Quarantined rows.
pub(super) struct Quarantined<'a, S> {
    pub(super) store: &'a S,
}

impl<S: Outbox> Pages for Quarantined<'_, S> {
    type Entry = (EventId, Timestamp);

    const PARTITIONS: u8 = SHARDS;

    async fn page(
        &self,
        shard: u8,
        after: Option<&Self::Entry>,
    ) -> Result<Vec<Self::Entry>, StoreError> {
        self.store.quarantined(shard, after, PAGE).await
    }

    fn since((_, since): &Self::Entry) -> Timestamp {
        *since
    }
}

/// Operations that are due by an instant.
pub(super) struct Stale<'a, S> {
    pub(super) store: &'a S,
    pub(super) by: Timestamp,
}

impl<S: Queue> Pages for Stale<'_, S> {
    type Entry = (OperationId, Due);

    const PARTITIONS: u8 = LANES;

    async fn page(
        &self,
        lane: u8,
        after: Option<&Self::Entry>,
    ) -> Result<Vec<Self::Entry>, StoreError> {
        self.store.due(lane, after, self.by, PAGE).await
    }

    fn since((_, due): &Self::Entry) -> Timestamp {
        due.at
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::collections::BTreeSet;
    use std::time::Duration;

    use decide_once_protocol::ids::DecisionId;
    use decide_once_protocol::outbox::Event;
    use decide_once_protocol::writes::{Answer, Commit};
    use decide_once_service::{memory::MemoryStore, ports::Store as _};
    use decide_once_tests::{conformance, samples};

    use super::*;

    /// One commit gives all its rows one instant, and a marker's number is no more than the row's index.
    #[tokio::test]
    async fn rows_of_one_marker_over_many_pages_are_told_once_each_oldest_first() {
        let store = MemoryStore::new();
        let count = PAGE * u32::from(SHARDS) * 2;
        let first = samples::row(0).event.time;
        let events = (0..count).map(|index| {
            let id = DecisionId::from_random([7; 16]).event(index);
            // A third of them is later than the others, in no order.
            let time = first.plus(Duration::from_secs(u64::from(index % 3 / 2)));
            let event = Event {
                id,
                time,
                ..samples::row(0).event
            };
            event.into_row(0)
        });
        conformance::place(&store, &samples::record(samples::processing())).await;
        let commit = Commit {
            events: events.collect(),
            ..samples::commit(Vec::new())
        };
        assert_eq!(store.commit(&commit).await, Answer::Applied);

        let before = Marker {
            since: first.plus(Duration::from_secs(60)),
            number: 0,
        };
        let mut rows = Merged::new(Undelivered {
            store: &store,
            before,
        });
        let (mut told, mut instants) = (BTreeSet::new(), Vec::new());
        while let Some((event, marker)) = rows.next().await.unwrap() {
            assert!(told.insert(event), "told twice");
            instants.push(marker.since);
        }
        assert_eq!(told.len(), usize::try_from(count).unwrap());
        assert!(instants.is_sorted());
    }
}
