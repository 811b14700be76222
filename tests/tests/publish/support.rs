//! Rows that were committed, their changes as the stream shows them, a sink that is told what to answer.

use std::{
    collections::{HashMap, VecDeque},
    num::NonZeroUsize,
    sync::{Arc, Mutex},
    time::Duration,
};

use decide_once_protocol::{
    ids::EventId,
    outbox::{Delivery, Marker, OutboxRow},
    time::Timestamp,
    writes::{Answer, Commit},
};
use decide_once_service::{
    memory::MemoryStore,
    ports::{Clock, Marked, Outbox, Read, SendError, Sink, Store, StoreError},
    publish::{Change, Image, Pace, Publisher, Report},
};
use decide_once_tests::{
    conformance::place,
    fixtures::{CountingIds, ManualClock},
    gate::Gate,
    samples,
};
use futures_util::future::join_all;

/// How long an invocation of the publish function may take.
pub(crate) const INVOCATION: Duration = Duration::from_secs(60);

/// The longest that an event may take.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);

/// One attempt in an invocation, so that a test sees each.
pub(crate) const PACE: Pace = Pace {
    attempts: 1,
    ..Pace::within(LONGEST)
};

/// One outbox and one sink, and the time that everybody has.
#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    pub(crate) store: MemoryStore,
    pub(crate) sink: ScriptedSink,
    pub(crate) time: ManualClock,
    /// No two workers ever have one id.
    pub(crate) ids: CountingIds,
}

impl World {
    /// Commits that many events of one decision, and returns the stream's changes, numbered from 1.
    pub(crate) async fn committed(&self, events: u32) -> Vec<Change> {
        self.commit((0..events).map(samples::row).collect()).await
    }

    /// As [`committed`](Self::committed), of these rows.
    pub(crate) async fn commit(&self, rows: Vec<OutboxRow>) -> Vec<Change> {
        place(&self.store, &samples::record(samples::processing())).await;
        let changes = (1..)
            .zip(&rows)
            .map(|(number, row)| change(number, None, row))
            .collect();
        let commit = Commit {
            events: rows,
            ..samples::commit(Vec::new())
        };
        assert_eq!(self.store.commit(&commit).await, Answer::Applied);
        changes
    }

    pub(crate) async fn publish(&self, batch: &[Change]) -> Report {
        self.publish_to(self.store.clone(), batch).await
    }

    /// With another way to the rows.
    pub(crate) async fn publish_to(&self, outbox: impl Outbox, batch: &[Change]) -> Report {
        let deadline = self.time.now().plus(INVOCATION);
        let report = self.publisher(outbox, PACE).publish(batch, deadline).await;
        assert_eq!(report.total(), u32::try_from(batch.len()).unwrap());
        report
    }

    /// A process of the publish function.
    pub(crate) fn publisher<O: Outbox>(
        &self,
        outbox: O,
        pace: Pace,
    ) -> Publisher<O, ScriptedSink, ManualClock> {
        Publisher::new(outbox, self.sink.clone(), self.time.clone(), pace)
    }

    /// Where the rows stand, by their number in the decision.
    pub(crate) fn standing(&self) -> Vec<Delivery> {
        let mut rows = self.store.rows();
        rows.sort_by_key(|row| number_of(&row.event.id));
        rows.into_iter().map(|row| row.delivery).collect()
    }

    pub(crate) fn delivered(&self) -> Delivery {
        let at = self.time.now();
        Delivery::Delivered { at }
    }
}

/// A change of the stream that shows this row, and before it that one.
pub(crate) fn change(number: u32, before: Option<&OutboxRow>, after: &OutboxRow) -> Change {
    Change {
        sequence: number.to_string(),
        before: before.and_then(marker),
        after: Image::Row(Box::new(after.clone())),
    }
}

/// The events number 0 and on, of these subjects.
pub(crate) fn of_subjects<'a>(subjects: impl IntoIterator<Item = &'a str>) -> Vec<OutboxRow> {
    let mut rows = Vec::new();
    for (number, subject) in (0..).zip(subjects) {
        let mut row = samples::row(number);
        subject.clone_into(&mut row.event.subject);
        rows.push(row);
    }
    rows
}

/// The marker that a row carries.
pub(crate) fn marker(row: &OutboxRow) -> Option<Marker> {
    match row.delivery {
        Delivery::Undelivered(marker) => Some(marker),
        Delivery::Delivered { .. } | Delivery::Quarantined { .. } => None,
    }
}

/// From which change on the batch is to be handed in again.
pub(crate) fn stopped_at(report: &Report) -> Option<&str> {
    report
        .stopped
        .as_ref()
        .map(|(sequence, _)| sequence.as_str())
}

pub(crate) fn number_of(event: &EventId) -> u32 {
    event.as_str().rsplit('.').next().unwrap().parse().unwrap()
}

/// What the sink does with an event.
#[derive(Debug, Clone)]
pub(crate) enum Told {
    /// It takes it and says so.
    Take,
    /// It takes it, but nobody hears of it.
    TakeSilently,
    /// It does not take it now.
    Unavailable,
    /// It will never take it.
    Refuse,
    /// It takes it; the answer waits at the gate.
    TakeAt(Gate),
}

/// Takes everything, unless it was told otherwise for an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScriptedSink(Arc<Mutex<Script>>);

#[derive(Debug, Default)]
struct Script {
    down: bool,
    /// How long each event takes, by this clock.
    slow: Option<(ManualClock, Duration)>,
    told: HashMap<u32, VecDeque<Told>>,
    tried: Vec<u32>,
    taken: Vec<String>,
}

impl ScriptedSink {
    /// What to do with the event of this number, one time after the other; then it is taken.
    pub(crate) fn tell(&self, number: u32, told: impl IntoIterator<Item = Told>) {
        let mut script = self.0.lock().unwrap();
        script.told.entry(number).or_default().extend(told);
    }

    /// From now on each event takes so long.
    pub(crate) fn slow(&self, time: &ManualClock, each: Duration) {
        self.0.lock().unwrap().slow = Some((time.clone(), each));
    }

    /// From now on it takes nothing, or, if not, again what it is told to take.
    pub(crate) fn down(&self, down: bool) {
        self.0.lock().unwrap().down = down;
    }

    /// The numbers of the events that were sent, in order, whatever became of them.
    pub(crate) fn tried(&self) -> Vec<u32> {
        self.0.lock().unwrap().tried.clone()
    }

    /// The events that were taken, byte for byte, in order.
    pub(crate) fn taken(&self) -> Vec<String> {
        self.0.lock().unwrap().taken.clone()
    }
}

impl Sink for ScriptedSink {
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Result<(), SendError>> {
        join_all(rows.iter().map(|row| self.take(row))).await
    }
}

impl ScriptedSink {
    async fn take(&self, row: &OutboxRow) -> Result<(), SendError> {
        let number = number_of(&row.event.id);
        let told = {
            let mut script = self.0.lock().unwrap();
            script.tried.push(number);
            if let Some((time, each)) = &script.slow {
                time.advance(*each);
            }
            if script.down {
                return Err(SendError::Unavailable("no connection".to_owned()));
            }
            let told = script.told.get_mut(&number).and_then(VecDeque::pop_front);
            let told = told.unwrap_or(Told::Take);
            if matches!(told, Told::Take | Told::TakeSilently | Told::TakeAt(_)) {
                script.taken.push(row.event.to_cloud_event());
            }
            told
        };
        match told {
            Told::Take => Ok(()),
            Told::TakeAt(gate) => gate.pass(async { Ok(()) }).await,
            Told::TakeSilently => Err(SendError::Unavailable("no answer in time".to_owned())),
            Told::Unavailable => Err(SendError::Unavailable("it answered 503".to_owned())),
            Told::Refuse => Err(SendError::Poison("it answered 422".to_owned())),
        }
    }
}

/// A way to the rows on which marks fail.
#[derive(Debug, Clone)]
pub(crate) struct MarksFail {
    pub(crate) store: MemoryStore,
    /// Whether they are done all the same.
    pub(crate) applied: bool,
}

impl Outbox for MarksFail {
    async fn read_row(&self, event: &EventId) -> Result<Read<OutboxRow>, StoreError> {
        self.store.read_row(event).await
    }

    async fn mark_delivered(
        &self,
        event: &EventId,
        seen: Marker,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        if self.applied {
            self.store.mark_delivered(event, seen, at).await?;
        }
        Err(timed_out())
    }

    async fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        if self.applied {
            self.store.quarantine(event, seen, reason, at).await?;
        }
        Err(timed_out())
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
        self.store.undelivered(shard, after, before, limit).await
    }

    async fn quarantined(
        &self,
        shard: u8,
        after: Option<&(EventId, Timestamp)>,
        limit: u32,
    ) -> Result<Vec<(EventId, Timestamp)>, StoreError> {
        self.store.quarantined(shard, after, limit).await
    }
}

fn timed_out() -> StoreError {
    StoreError::Unavailable("timed out".to_owned())
}
