//! A batch from its first change to where it ends.

use std::time::Duration;

use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::{
    ports::Clock as _,
    publish::{Report, Stop},
};
use decide_once_tests::{gate::Gate, samples};

use crate::support::{LONGEST, PACE, Told, World, marker, stopped_at};

#[tokio::test]
async fn every_event_of_a_batch_is_sent_once_in_order_and_marked() {
    let world = World::default();
    let batch = world.committed(3).await;
    let report = world.publish(&batch).await;
    assert_eq!(
        report,
        Report {
            delivered: 3,
            lags: vec![Duration::ZERO; 3],
            ..Report::default()
        }
    );
    assert_eq!(world.sink.tried(), [0, 1, 2]);
    let expected: Vec<_> = (0..3)
        .map(|number| samples::row(number).event.to_cloud_event())
        .collect();
    assert_eq!(world.sink.taken(), expected);
    assert_eq!(world.standing(), vec![world.delivered(); 3]);
}

/// The answer names the lowest failed one. Nothing behind it is sent in the same batch, so nothing is sent a second
/// time only because another event failed, and the order stays.
#[tokio::test]
async fn o03_partial_batch_answer() {
    let world = World::default();
    let batch = world.committed(10).await; // changes 1 to 10 are events 0 to 9
    world.sink.tell(3, [Told::Unavailable]);
    world.sink.tell(6, [Told::Unavailable]);

    let first = world.publish(&batch).await;
    assert_eq!((stopped_at(&first), first.delivered), (Some("4"), 3));
    // Lambda hands in everything from there on again.
    let second = world.publish(&batch[3..]).await;
    assert_eq!((stopped_at(&second), second.delivered), (Some("7"), 3));
    let third = world.publish(&batch[6..]).await;
    assert_eq!((stopped_at(&third), third.delivered), (None, 4));

    assert_eq!(
        world.sink.tried(),
        [0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9],
        "nothing before the failed one is sent again"
    );
    let taken: Vec<_> = (0..10)
        .map(|number| samples::row(number).event.to_cloud_event())
        .collect();
    assert_eq!(world.sink.taken(), taken, "each once, with its own id");
}

#[tokio::test]
async fn an_outage_costs_one_send_a_retry_and_nothing_of_the_rows() {
    let world = World::default();
    let batch = world.committed(5).await;
    let before = world.store.rows();
    world.sink.tell(0, vec![Told::Unavailable; 20]);
    for _ in 0..20 {
        assert_eq!(stopped_at(&world.publish(&batch).await), Some("1"));
    }
    assert_eq!(world.sink.tried(), [0; 20]);
    assert_eq!(world.store.rows(), before, "no attempts are counted");
    assert_eq!(world.publish(&batch).await.delivered, 5);
}

#[tokio::test]
async fn with_too_little_time_left_no_further_event_is_begun() {
    let world = World::default();
    let batch = world.committed(3).await;
    let gate = Gate::closed();
    world.sink.tell(1, [Told::TakeAt(gate.clone())]);
    let publishing = {
        let (world, batch) = (world.clone(), batch.clone());
        tokio::spawn(async move { world.publish(&batch).await })
    };
    gate.reached().await;
    world
        .time
        .advance(crate::support::INVOCATION - LONGEST + LONGEST / 100);
    gate.open();
    let report = publishing.await.unwrap();
    assert_eq!(report.delivered, 2);
    assert_eq!(report.stopped, Some(("3".to_owned(), Stop::OutOfTime)));
    assert_eq!(world.publish(&batch[2..]).await.delivered, 1);
}

/// Else a function whose timeout is too short would never publish anything.
#[tokio::test]
async fn the_first_event_is_begun_however_little_time_is_left() {
    let world = World::default();
    let batch = world.committed(2).await;
    let publisher = world.publisher(world.store.clone(), PACE);
    let report = publisher.publish(&batch, world.time.now()).await;
    assert_eq!((report.delivered, stopped_at(&report)), (1, Some("2")));
}

/// The stream is in the order of the commits, whatever the events' own times say: no watermark over times is involved.
#[tokio::test]
async fn o10_watermark_misses_late_commits() {
    let world = World::default();
    let (late, early) = (samples::row(0), samples::row(1));
    let early = OutboxRow {
        event: decide_once_protocol::outbox::Event {
            time: late.event.time.plus(Duration::from_secs(1)),
            ..early.event.clone()
        },
        ..early
    };
    // B is stamped a second later and commits at once; A, stamped first, commits after B has been published.
    let batch = world.commit(vec![late, early]).await;
    let (a, b) = (&batch[..1], &batch[1..]);
    assert_eq!(world.publish(b).await.delivered, 1);
    assert_eq!(world.publish(a).await.delivered, 1);
    assert_eq!(world.sink.tried(), [1, 0]);
    assert!(world.store.rows().iter().all(|row| marker(row).is_none()));
}
