//! Sweeping: what the streams have missed, by state and never by watermark, on one screen.
//!
//! ```text
//! each lane of the queue's index   ─► due operations ─► resume (§ resume)     1 query a page + resume's calls
//! each shard of the outbox's index ─► old rows ─► strong read ─► undelivered ─► deliver (§ publish)
//!                                                                             1 query a page + 1 read a row + deliver's calls
//! ```
//!
//! One page of each partition in turn, until there is no more, the time is up, or the sink is taken for down. What is not done stays in
//! its index, and has its next turn when all others have had theirs. A sweep goes on where the one before it in this process stopped, so that what cannot be helped here (a row of a newer version, a
//! subject whose sink is slow) does not keep it from the rest; a new process begins with the oldest. It runs one at a time; two at once cost
//! duplicates, with the same ids, and nothing else.
//!
//! An empty sweep costs two queries for each lane and each shard: 16 read units.

mod laps;
mod swept;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use decide_once_protocol::outbox::{Delivery, Marker, OutboxRow, SHARDS};
use decide_once_protocol::record::{Due as DueOperation, LANES};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use futures_util::future::try_join_all;

pub use swept::{Rows, Swept};

use crate::decide::Decider;
use crate::ports::{Clock, Ids, Mismatches, Outbox, Queue, Read, Sink, Store, StoreError};
use crate::publish::{Due, Publisher};
use crate::resume::Task;
use crate::settings::QUEUE_PATIENCE;
use laps::Laps;

/// How old a row is before a sweep takes it up: the stream has it within a second, and tries again for a while. An operation is
/// taken up [`QUEUE_PATIENCE`] after it was due: its stream tries once.
pub const MARGIN: Duration = Duration::from_secs(60);

/// Entries of one lane or shard that are taken up in one turn.
const PAGE: u32 = 16;

/// A sweeper over the decide path and the publish path. Made once for a process: it knows where it stopped.
#[derive(Debug)]
pub struct Sweeper<S, K, C, I> {
    decider: Decider<S, C, I>,
    publisher: Publisher<S, K, C>,
    margin: Duration,
    lanes: Mutex<Laps<(OperationId, DueOperation)>>,
    shards: Mutex<Laps<Marker>>,
}

impl<S, K, C, I> Sweeper<S, K, C, I>
where
    S: Store + Mismatches + Queue + Outbox,
    K: Sink,
    C: Clock,
    I: Ids,
{
    /// A sweeper that begins with the oldest and leaves to the streams what is younger than `margin`.
    pub fn new(decider: Decider<S, C, I>, publisher: Publisher<S, K, C>, margin: Duration) -> Self {
        Self {
            decider,
            publisher,
            margin,
            lanes: Mutex::new(Laps::of(LANES)),
            shards: Mutex::new(Laps::of(SHARDS)),
        }
    }

    /// The worker's clock.
    pub fn now(&self) -> Timestamp {
        self.publisher.clock.now()
    }

    /// Takes up what is old enough, until `deadline` at the latest.
    ///
    /// # Errors
    /// An index or a row cannot be read. What was done until then is done.
    pub async fn sweep(&self, deadline: Timestamp) -> Result<Swept, StoreError> {
        let mut swept = Swept {
            oldest_undelivered: self.oldest_row().await?,
            oldest_due: self.oldest_operation().await?,
            ..Swept::default()
        };
        lock(&self.lanes).begin();
        lock(&self.shards).begin();
        while self.now() < deadline && !swept.rows.sink_down && !swept.rows.out_of_time {
            self.operations(deadline, &mut swept).await?;
            self.rows(deadline, &mut swept).await?;
            swept.complete = lock(&self.lanes).is_done() && lock(&self.shards).is_done();
            if swept.complete {
                break;
            }
        }
        Ok(swept)
    }

    /// Goes on with a page of each lane.
    async fn operations(&self, deadline: Timestamp, swept: &mut Swept) -> Result<(), StoreError> {
        let by = self.now().minus(self.margin.min(QUEUE_PATIENCE));
        let open = lock(&self.lanes).open();
        let pages = open.iter().map(async |(lane, after)| {
            let page = self.decider.store.due(*lane, after.as_ref(), by, PAGE);
            Ok::<_, StoreError>((*lane, page.await?))
        });
        let mut tasks = Vec::new();
        for (lane, page) in try_join_all(pages).await? {
            lock(&self.lanes).read(lane, page.len(), PAGE, page.last());
            tasks.extend(
                page.into_iter()
                    .map(|(operation, _)| Task::swept(operation)),
            );
        }
        let fates = self.decider.resume_all(&tasks, deadline).await;
        swept.operations.add(fates);
        Ok(())
    }

    /// Delivers a page of each shard.
    async fn rows(&self, deadline: Timestamp, swept: &mut Swept) -> Result<(), StoreError> {
        let before = until(self.now().minus(self.margin));
        let open = lock(&self.shards).open();
        let pages = open.iter().map(async |(shard, after)| {
            let page = self
                .publisher
                .outbox
                .undelivered(*shard, *after, before, PAGE);
            Ok::<_, StoreError>((*shard, page.await?))
        });
        let mut listed = Vec::new();
        for (shard, page) in try_join_all(pages).await? {
            let last = page.last().map(|(_, marker)| marker);
            lock(&self.shards).read(shard, page.len(), PAGE, last);
            listed.extend(page);
        }
        // The index follows the table with a delay: what is sent is the row as it stands.
        let reads = listed
            .iter()
            .map(|(event, _)| self.publisher.outbox.read_row(event));
        let mut due: Vec<(OutboxRow, Marker)> = Vec::new();
        for read in try_join_all(reads).await? {
            match read {
                Read::Found(row) => match row.delivery {
                    Delivery::Undelivered(seen) => due.push((*row, seen)),
                    Delivery::Delivered { .. } | Delivery::Quarantined { .. } => {
                        swept.rows.done_meanwhile += 1;
                    }
                },
                Read::Absent => swept.rows.done_meanwhile += 1,
                Read::Unreadable(why) => {
                    tracing::error!(
                        alarm = "row-unreadable",
                        ?why,
                        "a row of the outbox cannot be read; it is left"
                    );
                    swept.rows.unreadable += 1;
                }
            }
        }
        // Of a subject's rows the earlier one comes first, from whichever shard it is.
        due.sort_by_key(|(_, seen)| *seen);
        let due: Vec<_> = due
            .iter()
            .map(|(row, seen)| Due { row, seen: *seen })
            .collect();
        let outcomes = self.publisher.deliver(&due, deadline).await;
        for (due, outcome) in due.iter().zip(outcomes) {
            swept.rows.count(&outcome);
            swept.rows.traces.extend(due.row.event.trace);
        }
        Ok(())
    }

    /// How long the oldest undelivered row waits, whatever the margin.
    async fn oldest_row(&self) -> Result<Option<Duration>, StoreError> {
        let now = self.now();
        let shards = (0..SHARDS).map(|shard| {
            self.publisher
                .outbox
                .undelivered(shard, None, until(now), 1)
        });
        let oldest = try_join_all(shards).await?.into_iter().flatten();
        Ok(oldest.map(|(_, seen)| seen.since.until(now)).max())
    }

    /// How long the operation waits that is due longest.
    async fn oldest_operation(&self) -> Result<Option<Duration>, StoreError> {
        let now = self.now();
        let lanes = (0..LANES).map(|lane| self.decider.store.due(lane, None, now, 1));
        let oldest = try_join_all(lanes).await?.into_iter().flatten();
        Ok(oldest.map(|(_, due)| due.at.until(now)).max())
    }
}

/// Behind the markers of this instant: a commit has at most 100 items.
const fn until(since: Timestamp) -> Marker {
    let number = 999;
    Marker { since, number }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
