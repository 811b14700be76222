//! What the streams have missed: rows and operations that a sweep takes up by their state.

use std::time::Duration;

use decide_once_protocol::{
    ids::EventId,
    outbox::{Delivery, Marker, OutboxRow, SHARDS},
    record::{Record, StateName},
    scope::OperationId,
    time::Timestamp,
    writes::{Answer, NotApplied, Unreadable},
};
use decide_once_service::{
    Answers, Call, Decider, Respond,
    limits::Limits,
    memory::{Foreign, MemoryStore},
    ports::{Clock as _, Outbox as _},
    resume::{NotYet, Resumed},
    settings::Settings,
    sweep::{MARGIN, Rows, Sweeper, Swept},
};
use decide_once_tests::{
    faulty::{Fault, Faulty, StoreCall},
    fixtures::{self, CountingIds, ManualClock},
    gate::Gate,
    world::{B0, shipped},
};

use crate::support::{INVOCATION, PACE, ScriptedSink, Told, World, number_of, of_subjects};

type Sweeps = Sweeper<MemoryStore, ScriptedSink, ManualClock, CountingIds>;

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

impl World {
    /// A process of the sweep function.
    fn sweeper(&self) -> Sweeps {
        let publisher = self.publisher(self.store.clone(), PACE);
        Sweeper::new(self.decider(), publisher, MARGIN)
    }

    /// A process that decides.
    fn decider(&self) -> Decider<MemoryStore, ManualClock, CountingIds> {
        Decider {
            store: self.store.clone(),
            clock: self.time.clone(),
            ids: self.ids.clone(),
            policies: shipped(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::default(),
        }
    }

    async fn sweep(&self) -> Swept {
        sweep(&self.sweeper(), &self.time).await
    }

    /// Queues a request.
    async fn queue(&self, key: &str) -> Record {
        let call = Call {
            respond: Respond::Later,
            ..fixtures::call("t-alpha", key, B0)
        };
        let budget = decide_once_service::Budget {
            deadline: self.time.now().plus(INVOCATION),
            wait: Duration::ZERO,
        };
        let told = self.decider().decide(&call, budget).await;
        self.record(&told.operation)
    }

    fn record(&self, id: &OperationId) -> Record {
        let mut records = self.store.operations().into_iter();
        records.find(|record| record.operation == *id).unwrap()
    }
}

async fn sweep(sweeper: &Sweeps, time: &ManualClock) -> Swept {
    sweeper.sweep(time.now().plus(INVOCATION)).await.unwrap()
}

/// Rows of one decision each, so that they lie in several shards, committed one second after the other.
async fn scattered(world: &World, rows: u32) -> Vec<EventId> {
    let call = |number| fixtures::call("t-alpha", &format!("row-{number}"), B0);
    let decider = world.decider();
    for number in 0..rows {
        let budget = decide_once_service::Budget {
            deadline: world.time.now().plus(INVOCATION),
            wait: Duration::ZERO,
        };
        decider.decide(&call(number), budget).await;
        world.time.advance(Duration::from_millis(1));
    }
    world
        .store
        .rows()
        .into_iter()
        .map(|row| row.event.id)
        .collect()
}

#[tokio::test]
async fn a_row_that_the_stream_missed_is_delivered_once_it_is_old_enough() {
    let world = World::default();
    let rows = scattered(&world, 1).await;
    // It was committed a millisecond ago.
    world.time.advance(MARGIN - Duration::from_millis(2));
    let early = world.sweep().await;
    let nearly = MARGIN - Duration::from_millis(1);
    assert_eq!(early.oldest_undelivered, Some(nearly));
    assert!(early.complete);
    assert_eq!(early.rows, Rows::default(), "it is the stream's as yet");
    world.time.advance(Duration::from_millis(1));
    let swept = world.sweep().await;
    assert_eq!(swept.rows.delivered, 1);
    assert!(swept.complete);
    assert_eq!(world.standing(), [world.delivered()]);
    assert!(world.sink.taken()[0].contains(rows[0].as_str()));
    let nothing = world.sweep().await;
    assert_eq!(
        (nothing.oldest_undelivered, nothing.rows),
        (None, Rows::default())
    );
}

/// A day and an hour without a stream: the sweeper has published them all, and what the stream then still shows is a duplicate.
#[tokio::test]
async fn o08_consumer_away_for_longer_than_retention() {
    let world = World::default();
    let rows = scattered(&world, 500).await;
    world.time.advance(DAY + Duration::from_secs(3_600));
    let swept = world.sweep().await;
    assert_eq!((swept.rows.delivered, swept.complete), (500, true));
    assert!(
        swept.oldest_undelivered.unwrap() > DAY,
        "what an alarm watches"
    );
    assert_eq!(world.sink.taken().len(), rows.len());
    assert_eq!(world.sweep().await.rows, Rows::default());
    assert_eq!(world.sink.taken().len(), rows.len());
}

/// The stream's publisher stands between its send and its mark while two sweepers go by: three sends of one id and one content; the
/// first mark stands, the others change nothing.
#[tokio::test]
async fn o11_stream_and_sweeper_at_once_two_sweepers_two_versions() {
    let world = World::default();
    let batch = world.committed(1).await;
    world.time.advance(2 * MARGIN);
    let gates = [Gate::closed(), Gate::closed()];
    world.sink.tell(0, gates.clone().map(Told::TakeAt));
    let streaming = {
        let world = world.clone();
        tokio::spawn(async move { world.publish(&batch).await })
    };
    gates[0].reached().await;
    let first = {
        let world = world.clone();
        tokio::spawn(async move { world.sweep().await })
    };
    gates[1].reached().await;
    let second = world.sweep().await;
    assert_eq!(second.rows.delivered, 1);
    let delivered = world.standing();
    world.time.advance(SECOND);
    for gate in gates {
        gate.open();
    }
    assert_eq!(first.await.unwrap().rows.overtaken, 1);
    assert_eq!(streaming.await.unwrap().overtaken, 1);
    assert_eq!(world.standing(), delivered, "no row flips back");
    let taken = world.sink.taken();
    assert_eq!(taken.len(), 3);
    assert!(taken.iter().all(|event| *event == taken[0]));
}

/// The index is behind the table: what is listed is read before it is sent.
#[tokio::test]
async fn a_row_that_was_done_meanwhile_is_not_sent() {
    let world = World::default();
    let batch = world.committed(3).await;
    world.time.advance(2 * MARGIN);
    let late = {
        // The page is read; the first row stands at the sink while the stream's publisher does them all.
        let gate = Gate::closed();
        world.sink.tell(0, [Told::TakeAt(gate.clone())]);
        let sweeping = {
            let world = world.clone();
            tokio::spawn(async move { world.sweep().await })
        };
        gate.reached().await;
        let _ = world.publish(&batch).await;
        gate.open();
        sweeping.await.unwrap()
    };
    // All are of one subject: the two behind were read before, and their marks change nothing.
    assert_eq!(late.rows.delivered, 0);
    assert_eq!(late.rows.overtaken, 3);
    assert_eq!(world.sweep().await.rows, Rows::default());
}

/// Half an hour of outage burns nothing; the poison row is set aside with its reason, and its subject goes on.
#[tokio::test]
async fn o13_quarantined_head() {
    let world = World::default();
    let subjects: Vec<_> = (0..90)
        .map(|number| format!("subject-{}", number % 9))
        .collect();
    world
        .commit(of_subjects(subjects.iter().map(String::as_str)))
        .await;
    world.time.advance(2 * MARGIN);
    world.sink.down(true);
    let sweeper = world.sweeper();
    for _ in 0..30 {
        let swept = sweep(&sweeper, &world.time).await;
        assert_eq!(swept.rows.delivered, 0);
        assert!(swept.rows.left > 0);
        world.time.advance(Duration::from_secs(60));
    }
    assert!(
        world.sink.tried().len() < 200,
        "it is left alone: {}",
        world.sink.tried().len()
    );
    world.sink.down(false);
    world.sink.tell(0, [Told::Refuse]);
    let mut rows = Rows::default();
    for _ in 0..3 {
        let swept = sweep(&sweeper, &world.time).await.rows;
        rows.delivered += swept.delivered;
        rows.quarantined += swept.quarantined;
        world.time.advance(Duration::from_secs(60));
    }
    assert_eq!((rows.delivered, rows.quarantined), (89, 1));
    let standing = world.standing();
    let Delivery::Quarantined { reason, .. } = &standing[0] else {
        panic!("{:?}", standing[0]);
    };
    assert!(reason.contains("422"), "{reason}");

    // One command away: redriven it is delivered, with its own id.
    let event = world.store.rows()[0].event.id.clone();
    let fresh = Marker {
        since: world.time.now(),
        number: 0,
    };
    world.store.redrive(&event, fresh).await.unwrap();
    world.time.advance(MARGIN + SECOND);
    assert_eq!(world.sweep().await.rows.delivered, 1);
}

/// With the sink down for five days nothing has a TTL, and everything is delivered after it returns.
#[tokio::test]
async fn rows_outlive_a_sink_that_is_down_for_five_days() {
    let world = World::default();
    world.sink.down(true);
    let mut rows = Vec::new();
    for _day in 0..5 {
        rows = scattered(&world, 20).await;
        world.time.advance(DAY);
        assert_eq!(world.sweep().await.rows.delivered, 0);
        assert_eq!(world.store.rows().len(), rows.len());
        let _ = world.store.expire(world.time.now());
        assert_eq!(world.store.rows().len(), rows.len(), "none had a TTL");
    }
    world.sink.down(false);
    world.time.advance(DAY);
    let swept = world.sweep().await;
    assert_eq!(usize::try_from(swept.rows.delivered).unwrap(), rows.len());
}

#[tokio::test]
async fn a_row_that_cannot_be_read_does_not_keep_a_sweep_from_the_rest() {
    let world = World::default();
    let rows = scattered(&world, 100).await;
    world.time.advance(MARGIN + SECOND);
    // In memory what cannot be read is in no index; in DynamoDB it is, and is counted.
    let newer = Unreadable::Newer { version: 9 };
    world.store.plant(Foreign::Row(rows[0].clone(), newer));
    let swept = world.sweep().await;
    assert_eq!((swept.rows.delivered, swept.complete), (99, true));
}

/// Time runs out in the middle: the next sweep of the process goes on, and what was left is not forgotten.
#[tokio::test]
async fn a_sweep_goes_on_where_the_last_one_stopped() {
    let world = World::default();
    let _ = scattered(&world, 600).await;
    world.time.advance(MARGIN + SECOND);
    let sweeper = world.sweeper();
    let mut delivered = 0;
    let mut sweeps = 0;
    loop {
        // Each send takes a second of the invocation's minute.
        let swept = sweeper
            .sweep(world.time.now().plus(INVOCATION))
            .await
            .unwrap();
        delivered += swept.rows.delivered;
        sweeps += 1;
        if swept.complete {
            break;
        }
        assert!(sweeps < 60);
    }
    assert_eq!(delivered, 600);
    assert_eq!(world.sink.taken().len(), 600, "none twice");
}

/// A subject whose sink fails stays behind; the others of all shards are delivered in the same sweep.
#[tokio::test]
async fn o16_a_slow_subject_holds_up_nobody_else() {
    let world = World::default();
    let subjects: Vec<_> = (0..60)
        .map(|number| format!("subject-{}", number % 6))
        .collect();
    world
        .commit(of_subjects(subjects.iter().map(String::as_str)))
        .await;
    world.time.advance(2 * MARGIN);
    world.sink.tell(0, vec![Told::Unavailable; 3]);
    let swept = world.sweep().await;
    assert_eq!((swept.rows.delivered, swept.rows.left), (50, 10));
    assert!(swept.complete, "they stay in the index for the next one");
    // In order within each subject.
    let tried = world.sink.tried();
    for subject in 1..6 {
        let of_it: Vec<_> = tried
            .iter()
            .filter(|number| *number % 6 == subject)
            .collect();
        assert!(of_it.is_sorted(), "{of_it:?}");
    }
}

#[tokio::test]
async fn a_queued_operation_that_the_stream_missed_is_decided() {
    let world = World::default();
    let record = world.queue("k-1").await;
    world.time.advance(MARGIN - SECOND);
    let early = world.sweep().await;
    assert_eq!(early.oldest_due, Some(MARGIN - SECOND));
    assert_eq!(early.operations.succeeded, 0);
    world.time.advance(SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 1);
    assert_eq!(
        world.record(&record.operation).state.name(),
        StateName::Succeeded
    );
    // Its event is the next thing that nobody has sent.
    world.time.advance(MARGIN);
    let swept = world.sweep().await;
    assert_eq!((swept.rows.delivered, swept.oldest_due), (1, None));
}

/// Its owner died: it is due when its lease lapses, and taken up a margin later.
#[tokio::test]
async fn a_queued_operation_whose_worker_died_is_decided_after_its_lease() {
    let world = World::default();
    let record = world.queue("k-1").await;
    let gate = Gate::closed();
    let store = Faulty::new(world.store.clone());
    store.on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let dying = Decider {
        store,
        clock: world.time.clone(),
        ids: world.ids.clone(),
        policies: shipped(),
        settings: Settings::default(),
        limits: Limits::default(),
        answers: Answers::default(),
    };
    let (id, deadline) = (record.operation.clone(), world.time.now().plus(INVOCATION));
    let dead = tokio::spawn(async move { dying.resume(&id, deadline).await });
    gate.reached().await;
    dead.abort();
    world
        .time
        .advance(Duration::from_secs(30) + MARGIN - SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 0);
    world.time.advance(SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 1);
    assert_eq!(world.record(&record.operation).fence.attempt, 2);
}

/// Given up: the next attempt comes after a pause that doubles.
#[tokio::test]
async fn a_queued_operation_that_was_given_up_is_tried_again_after_its_pause() {
    let world = World::default();
    let record = world.queue("k-1").await;
    let store = Faulty::new(world.store.clone());
    let unavailable = Fault::Says(Answer::NotApplied(NotApplied::Unavailable));
    store.on(StoreCall::Commit, 1, unavailable);
    let throttled = Decider {
        store,
        clock: world.time.clone(),
        ids: world.ids.clone(),
        policies: shipped(),
        settings: Settings::default(),
        limits: Limits::default(),
        answers: Answers::default(),
    };
    let deadline = world.time.now().plus(INVOCATION);
    assert_eq!(
        throttled.resume(&record.operation, deadline).await,
        Resumed::NotYet(NotYet::GivenUp)
    );
    world.time.advance(MARGIN + SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 0);
    world.time.advance(SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 1);
}

/// Thirty days of decisions, most of them waited for, some queued, each event delivered but one: whatever has an end is gone after it, and
/// what waits for an operator stays.
#[tokio::test]
async fn o14_tables_that_never_shrink() {
    const A_DAY: u32 = 20;
    let world = World::default();
    let (sweeper, decider) = (world.sweeper(), world.decider());
    let mut number = 0;
    let (mut records, mut rows) = (0, 0);
    for day in 0..30_u32 {
        for _ in 0..A_DAY {
            number += 1;
            let call = Call {
                respond: if number % 4 == 0 {
                    Respond::Later
                } else {
                    Respond::Now
                },
                ..fixtures::call("t-alpha", &format!("day-{number}"), B0)
            };
            let budget = decide_once_service::Budget {
                deadline: world.time.now().plus(INVOCATION),
                wait: Duration::ZERO,
            };
            decider.decide(&call, budget).await;
        }
        if day == 3 {
            world.sink.tell(0, [Told::Refuse]);
        }
        // Twice: the events of what was queued are the second one's.
        for _ in 0..2 {
            world.time.advance(MARGIN + SECOND);
            assert!(sweep(&sweeper, &world.time).await.complete);
        }
        world.time.advance(DAY - 2 * (MARGIN + SECOND));
        let _ = world.store.expire(world.time.now());
        records = records.max(world.store.operations().len());
        rows = rows.max(world.store.rows().len());
    }
    let a_day = usize::try_from(A_DAY).unwrap();
    assert!(
        records <= 4 * a_day,
        "keys are kept for three days: {records}"
    );
    assert!(
        rows <= 8 * a_day + 1,
        "delivered rows are kept for a week: {rows}"
    );
    world.time.advance(30 * DAY);
    let _ = world.store.expire(world.time.now());
    assert_eq!(world.store.operations(), []);
    let left: Vec<OutboxRow> = world.store.rows();
    assert_eq!(left.len(), 1, "what is quarantined is never dropped");
    assert!(matches!(left[0].delivery, Delivery::Quarantined { .. }));
}

/// Every shard has rows, or the tests above say less than they seem to.
#[tokio::test]
async fn the_tests_rows_lie_in_every_shard() {
    let world = World::default();
    let rows = scattered(&world, 100).await;
    let before = Marker {
        since: Timestamp::EPOCH.plus(Duration::MAX),
        number: 0,
    };
    for shard in 0..SHARDS {
        let listed = world.store.undelivered(shard, None, before, 100).await;
        assert!(!listed.unwrap().is_empty(), "shard {shard}");
    }
    assert_eq!(number_of(&rows[0]), 0);
}
