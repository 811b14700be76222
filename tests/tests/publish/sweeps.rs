//! Rows that the stream has missed: a sweep takes them up by their state.

use std::time::Duration;

use decide_once_protocol::{
    ids::EventId,
    outbox::{Delivery, Marker, OutboxRow, SHARDS},
    time::Timestamp,
    writes::Unreadable,
};
use decide_once_service::{
    Call, Respond,
    memory::Foreign,
    ports::{Clock as _, Outbox as _},
    sweep::{MARGIN, Rows},
};
use decide_once_tests::{fixtures, gate::Gate, world::B0};

use crate::support::{Told, World, number_of, of_subjects};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

/// Rows of one decision each, so that they lie in several shards, committed one second after the other.
async fn scattered(world: &World, rows: u32) -> Vec<EventId> {
    let call = |number| fixtures::call("t-alpha", &format!("row-{number}"), B0);
    let decider = world.decider();
    for number in 0..rows {
        decider.decide(&call(number), world.budget()).await;
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
    assert_eq!((swept.rows.delivered, swept.recovered()), (1, 1));
    assert_eq!(swept.rows.lags, [MARGIN]);
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
        let swept = world.sweep_by(&sweeper).await;
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
        let swept = world.sweep_by(&sweeper).await.rows;
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

/// Time runs out again and again: each sweep begins behind what the one before it had looked at, so that rows at the far end have their turn
/// before the first ones have a second one. None is forgotten, none sent twice.
#[tokio::test]
async fn a_sweep_goes_on_where_the_last_one_stopped() {
    let world = World::default();
    let rows = scattered(&world, 600).await;
    world.time.advance(2 * MARGIN);
    // An invocation's minute is enough for fifty.
    world.sink.slow(&world.time, SECOND);
    let sweeper = world.sweeper();
    let mut delivered = Vec::new();
    let mut complete = 0;
    while delivered.iter().sum::<u32>() < 600 {
        let swept = world.sweep_by(&sweeper).await;
        assert!((1..=51).contains(&swept.rows.delivered), "{swept:?}");
        delivered.push(swept.rows.delivered);
        complete += u32::from(swept.complete);
    }
    assert_eq!(
        (delivered.len(), complete >= 1),
        (12, true),
        "{delivered:?}"
    );
    let taken = world.sink.taken();
    assert_eq!(taken.len(), rows.len(), "none twice");
    // In the first lap of five sweeps the youngest rows have had a turn, though hundreds of older ones are not done.
    let first_lap = &taken[..5 * 51];
    let is_sent = |id: &EventId| first_lap.iter().any(|event| event.contains(id.as_str()));
    assert!(rows[rows.len() - 100..].iter().any(is_sent));
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
            decider.decide(&call, world.budget()).await;
        }
        if day == 3 {
            world.sink.tell(0, [Told::Refuse]);
        }
        // Twice: the events of what was queued are the second one's.
        for _ in 0..2 {
            world.time.advance(MARGIN + SECOND);
            assert!(world.sweep_by(&sweeper).await.complete);
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
