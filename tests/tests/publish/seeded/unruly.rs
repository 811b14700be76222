//! A store and a sink that fail as a number says.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard},
};

use decide_once_protocol::{
    decision::DecisionItem,
    ids::{DecisionId, EventId},
    outbox::{Marker, OutboxRow},
    record::Due,
    scope::{OperationId, Tenant},
    time::Timestamp,
    writes::{Answer, Commit, Existing, Reserve, Transition},
};
use decide_once_service::{
    limits::Window,
    memory::MemoryStore,
    ports::{Marked, Mismatches, Outbox, Queue, Read, SendError, Sink, Store, StoreError},
};
use decide_once_tests::seed::Seed;

/// What fails next. Clones are of one mind.
#[derive(Debug, Clone)]
pub(super) struct Whims(Arc<Mutex<Mood>>);

#[derive(Debug)]
struct Mood {
    seed: Seed,
    calm: bool,
    outage: bool,
    /// Marks that were sent, were not heard of, and may still arrive.
    late: Vec<Late>,
}

#[derive(Debug)]
struct Late {
    event: EventId,
    seen: Marker,
    at: Timestamp,
    reason: Option<String>,
}

impl Whims {
    pub(super) fn of(number: u64) -> Self {
        Self(Arc::new(Mutex::new(Mood {
            seed: Seed::new(number ^ 0xF00D),
            calm: false,
            outage: false,
            late: Vec::new(),
        })))
    }

    pub(super) fn calm(&self) {
        let mut mood = self.mood();
        mood.calm = true;
        mood.outage = false;
    }

    pub(super) fn toggle_outage(&self) {
        let mut mood = self.mood();
        mood.outage = !mood.outage;
    }

    pub(super) async fn late_marks_arrive(&self, store: &MemoryStore) {
        let late = std::mem::take(&mut self.mood().late);
        for Late {
            event,
            seen,
            at,
            reason,
        } in late
        {
            let marked = match reason {
                None => store.mark_delivered(&event, seen, at).await,
                Some(reason) => store.quarantine(&event, seen, &reason, at).await,
            };
            marked.unwrap();
        }
    }

    /// Something between 0 and 99, or nothing when all is calm.
    fn roll(&self) -> Option<u64> {
        let mut mood = self.mood();
        (!mood.calm).then(|| mood.seed.below(100))
    }

    /// Work takes a while, in which its process may die.
    async fn takes_a_while(&self) {
        let turns = self.roll().unwrap_or(0) % 4;
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    }

    fn mood(&self) -> MutexGuard<'_, Mood> {
        self.0.lock().unwrap()
    }
}

/// Takes events, or not, or does not say so.
#[derive(Debug, Clone)]
pub(super) struct UnrulySink {
    whims: Whims,
    taken: Arc<Mutex<Vec<(EventId, String)>>>,
}

impl UnrulySink {
    pub(super) fn new(whims: Whims) -> Self {
        Self {
            whims,
            taken: Arc::default(),
        }
    }

    /// What it has taken, in order.
    pub(super) fn taken(&self) -> Vec<(EventId, String)> {
        self.taken.lock().unwrap().clone()
    }

    fn take(&self, row: &OutboxRow) {
        let event = (row.event.id.clone(), row.event.to_cloud_event());
        self.taken.lock().unwrap().push(event);
    }
}

impl Sink for UnrulySink {
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(3)
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Result<(), SendError>> {
        self.whims.takes_a_while().await;
        if self.whims.mood().outage {
            let down = |_: &&OutboxRow| Err(SendError::Unavailable("down".to_owned()));
            return rows.iter().map(down).collect();
        }
        let mut verdicts = Vec::new();
        for row in rows {
            verdicts.push(match self.whims.roll() {
                // It has it, and nobody hears of it.
                Some(0..6) => {
                    self.take(row);
                    Err(SendError::Unavailable("no answer in time".to_owned()))
                }
                Some(6..14) => Err(SendError::Unavailable("throttled".to_owned())),
                Some(14..16) => Err(SendError::Poison("refused".to_owned())),
                Some(_) | None => {
                    self.take(row);
                    Ok(())
                }
            });
            self.whims.takes_a_while().await;
        }
        verdicts
    }
}

/// The store, on the far side of a bad line.
#[derive(Debug, Clone)]
pub(super) struct Unruly {
    store: MemoryStore,
    whims: Whims,
}

impl Unruly {
    pub(super) const fn new(store: MemoryStore, whims: Whims) -> Self {
        Self { store, whims }
    }

    async fn read<T>(
        &self,
        read: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.whims.takes_a_while().await;
        match self.whims.roll() {
            Some(0..2) => Err(throttled()),
            Some(_) | None => read.await,
        }
    }

    async fn mark(
        &self,
        mark: impl Future<Output = Result<Marked, StoreError>>,
        late: Late,
    ) -> Result<Marked, StoreError> {
        self.whims.takes_a_while().await;
        match self.whims.roll() {
            Some(0..4) => Err(throttled()),
            Some(4..8) => {
                mark.await?;
                Err(throttled())
            }
            Some(8..12) => {
                self.whims.mood().late.push(late);
                Err(throttled())
            }
            Some(_) | None => mark.await,
        }
    }
}

fn throttled() -> StoreError {
    StoreError::Unavailable("a bad line".to_owned())
}

impl Outbox for Unruly {
    async fn read_row(&self, event: &EventId) -> Result<Read<OutboxRow>, StoreError> {
        self.read(self.store.read_row(event)).await
    }

    async fn mark_delivered(
        &self,
        event: &EventId,
        seen: Marker,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let late = Late {
            event: event.clone(),
            seen,
            at,
            reason: None,
        };
        self.mark(self.store.mark_delivered(event, seen, at), late)
            .await
    }

    async fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let late = Late {
            event: event.clone(),
            seen,
            at,
            reason: Some(reason.to_owned()),
        };
        self.mark(self.store.quarantine(event, seen, reason, at), late)
            .await
    }

    async fn redrive(&self, event: &EventId, fresh: Marker) -> Result<Marked, StoreError> {
        self.store.redrive(event, fresh).await
    }

    async fn undelivered(
        &self,
        shard: u8,
        after: Option<Marker>,
        before: Marker,
        limit: u32,
    ) -> Result<Vec<(EventId, Marker)>, StoreError> {
        self.read(self.store.undelivered(shard, after, before, limit))
            .await
    }

    async fn quarantined(
        &self,
        shard: u8,
        after: Option<&(EventId, Timestamp)>,
        limit: u32,
    ) -> Result<Vec<(EventId, Timestamp)>, StoreError> {
        self.read(self.store.quarantined(shard, after, limit)).await
    }
}

impl Queue for Unruly {
    async fn due(
        &self,
        lane: u8,
        after: Option<&(OperationId, Due)>,
        by: Timestamp,
        limit: u32,
    ) -> Result<Vec<(OperationId, Due)>, StoreError> {
        self.read(self.store.due(lane, after, by, limit)).await
    }
}

/// Operations are another test's matter.
impl Store for Unruly {
    async fn reserve(&self, write: &Reserve) -> Answer {
        self.store.reserve(write).await
    }

    async fn transition(&self, write: &Transition) -> Answer {
        self.store.transition(write).await
    }

    async fn commit(&self, write: &Commit) -> Answer {
        self.store.commit(write).await
    }

    async fn read_operation(&self, id: &OperationId) -> Result<Existing, StoreError> {
        self.store.read_operation(id).await
    }

    async fn read_decision(&self, id: &DecisionId) -> Result<Read<DecisionItem>, StoreError> {
        self.store.read_decision(id).await
    }
}

impl Mismatches for Unruly {
    async fn add_mismatches(
        &self,
        tenant: &Tenant,
        window: Window,
        count: u32,
    ) -> Result<u32, StoreError> {
        self.store.add_mismatches(tenant, window, count).await
    }
}
