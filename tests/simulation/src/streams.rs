//! The tables' streams: in order within a shard, each shard at its own pace, handed in again until done or given up.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::chance::{Place, Who};
use crate::journal::What;
use crate::world::World;

/// How many shards a stream has.
pub(crate) const SHARDS: u8 = 2;

/// The most that is handed in at once.
const BATCH: usize = 8;

/// How often a batch is handed in before its mapping gives it up. Fewer than deployed, so that giving up happens.
const TRIES: u32 = 4;

/// A stream of a table.
#[derive(Debug)]
pub(crate) struct Stream<T>([Shard<T>; SHARDS as usize]);

#[derive(Debug)]
struct Shard<T> {
    records: Mutex<VecDeque<T>>,
    more: Notify,
}

/// Whoever is handed a stream's batches: returns how many of them, from the first on, are done.
pub(crate) trait Handler<T>: Send {
    /// An invocation. Nothing is known of one whose process died.
    fn handle(&mut self, place: Place, batch: &[T]) -> impl Future<Output = Option<usize>> + Send;
}

impl<T> Default for Stream<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Shard {
            records: Mutex::default(),
            more: Notify::new(),
        }))
    }
}

impl<T: Clone + Send> Stream<T> {
    /// A record is written, to the shard of its key.
    pub(crate) fn show(&self, key: u8, record: T) {
        let shard = &self.0[usize::from(key % SHARDS)];
        shard.records().push_back(record);
        shard.more.notify_one();
    }

    /// Nothing is left to be handed in.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|shard| shard.records().is_empty())
    }

    /// Hands in what a shard has, for ever.
    pub(crate) async fn feed(
        &self,
        shard: u8,
        who: Who,
        world: &Arc<World>,
        mut handler: impl Handler<T>,
    ) {
        let shard = &self.0[usize::from(shard)];
        let (mut turn, mut tries) = (0, 0);
        loop {
            let batch: Vec<_> = shard.records().iter().take(BATCH).cloned().collect();
            if batch.is_empty() {
                shard.more.notified().await;
                tokio::time::sleep(lag(world, Place::invocation(who, turn))).await;
                continue;
            }
            turn += 1;
            tries += 1;
            let place = Place::invocation(who, turn);
            world.note(who, What::Batch(batch.len()));
            let mut done = handler.handle(place, &batch).await.unwrap_or(0);
            if done > 0
                && world.goes_wrong(place, "the checkpoint is lost", world.plan.weather.network)
            {
                done = 0;
            }
            if done < batch.len() && tries >= TRIES && !world.is_calm() {
                world.note(who, What::GivesUp(batch.len() - done));
                done = batch.len();
            }
            shard.records().drain(..done);
            if done == batch.len() {
                tries = 0;
            } else {
                let pause = Duration::from_secs(1 << tries.min(5));
                tokio::time::sleep(pause).await;
            }
        }
    }
}

impl<T> Shard<T> {
    fn records(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Mostly a fraction of a second; at times a minute behind.
fn lag(world: &World, place: Place) -> Duration {
    let late = world.goes_wrong(place, "the stream is behind", world.plan.weather.network);
    let most = if late { 60_000 } else { 300 };
    Duration::from_millis(20 + world.draw(place, "lag").below(most))
}

impl World {
    /// One message more is on its way, or one less.
    pub(crate) fn messages_change(&self, more: bool) {
        if more {
            self.messages.fetch_add(1, Ordering::Relaxed);
        } else {
            self.messages.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
