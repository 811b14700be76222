//! Between the send and the mark: crashes, unknown outcomes, others who were faster.

use std::time::Duration;

use decide_once_protocol::outbox::{Delivery, Marker};
use decide_once_service::{
    ports::{Clock as _, Marked, Outbox as _, SendError},
    publish::{Due, Fate, Report, Stop},
};
use decide_once_tests::{gate::Gate, samples};

use crate::support::{
    INVOCATION, LONGEST, MarksFail, PACE, Told, World, change, marker, stopped_at,
};

/// The publisher's half: the second send has the same id and the same bytes.
#[tokio::test]
async fn o01_sent_then_crashed_before_marking() {
    let world = World::default();
    let batch = world.committed(1).await;
    let gate = Gate::closed();
    world.sink.tell(0, [Told::TakeAt(gate.clone())]);
    let dies = {
        let (world, batch) = (world.clone(), batch.clone());
        tokio::spawn(async move { world.publish(&batch).await })
    };
    gate.reached().await;
    dies.abort();
    assert!(dies.await.unwrap_err().is_cancelled());
    assert!(matches!(world.standing()[..], [Delivery::Undelivered(_)]));

    assert_eq!(world.publish(&batch).await.delivered, 1);
    let taken = world.sink.taken();
    assert_eq!(taken.len(), 2);
    assert_eq!(taken[0], taken[1]);
    assert_eq!(world.standing(), [world.delivered()]);
}

/// A row is marked only after a positive answer, and nothing is ever deleted.
#[tokio::test]
async fn o12_row_removed_or_marked_before_it_was_really_sent() {
    let world = World::default();
    let batch = world.committed(1).await;
    let undelivered = world.standing();

    // The sink has it, but its answer is lost: unknown is not sent.
    world.sink.tell(0, [Told::TakeSilently]);
    let report = world.publish(&batch).await;
    let why = SendError::Unavailable("no answer in time".to_owned());
    assert_eq!(report.stopped, Some(("1".to_owned(), Stop::Sink(why))));
    assert_eq!(world.standing(), undelivered);

    // The mark does not get through.
    let (store, applied) = (world.store.clone(), false);
    let report = world.publish_to(MarksFail { store, applied }, &batch).await;
    assert_eq!((report.delivered, stopped_at(&report)), (0, Some("1")));
    assert_eq!(world.standing(), undelivered);

    // It does, but nobody can tell.
    let (store, applied) = (world.store.clone(), true);
    let report = world.publish_to(MarksFail { store, applied }, &batch).await;
    assert_eq!((report.delivered, stopped_at(&report)), (0, Some("1")));
    assert_eq!(world.standing(), [world.delivered()]);

    // Handed in again it is sent again, and the mark finds that there is nothing left to mark.
    let report = world.publish(&batch).await;
    assert_eq!((report.overtaken, stopped_at(&report)), (1, None));
    let taken = world.sink.taken();
    assert_eq!(taken, vec![taken[0].clone(); 4], "one id, one content");
    assert_eq!(world.store.rows().len(), 1);
}

#[tokio::test]
async fn a_poison_event_is_quarantined_and_does_not_hold_up_the_others() {
    let world = World::default();
    let batch = world.committed(3).await;
    world.sink.tell(1, [Told::Refuse]);
    let report = world.publish(&batch).await;
    assert_eq!(
        report,
        Report {
            delivered: 2,
            quarantined: 1,
            lags: vec![Duration::ZERO; 2],
            ..Report::default()
        }
    );
    let quarantined = Delivery::Quarantined {
        since: world.time.now(),
        reason: "it answered 422".to_owned(),
    };
    assert_eq!(
        world.standing(),
        [world.delivered(), quarantined.clone(), world.delivered()]
    );
    assert_eq!(quarantined.ttl(), None, "it is never dropped");
}

#[tokio::test]
async fn a_poison_event_whose_mark_fails_is_handed_in_again() {
    let world = World::default();
    let batch = world.committed(2).await;
    world.sink.tell(0, [Told::Refuse]);
    let (store, applied) = (world.store.clone(), false);
    let report = world.publish_to(MarksFail { store, applied }, &batch).await;
    assert_eq!((report.quarantined, stopped_at(&report)), (0, Some("1")));
}

/// A mark counts for the marker that was sent under, not for whatever the row carries by then.
#[tokio::test]
async fn a_row_that_is_redriven_between_send_and_mark_stays_undelivered() {
    let world = World::default();
    let batch = world.committed(1).await;
    let row = samples::row(0);
    let fresh = Marker {
        since: world.time.now(),
        number: 77,
    };
    let gate = Gate::closed();
    world.sink.tell(0, [Told::TakeAt(gate.clone())]);
    let publishing = {
        let (world, batch) = (world.clone(), batch.clone());
        tokio::spawn(async move { world.publish(&batch).await })
    };
    gate.reached().await;
    let redriven = world.store.redrive(&row.event.id, fresh).await;
    assert_eq!(redriven, Ok(Marked::Done));
    gate.open();
    let report = publishing.await.unwrap();
    assert_eq!((report.overtaken, stopped_at(&report)), (1, None));
    assert_eq!(world.standing(), [Delivery::Undelivered(fresh)]);

    // Its own change comes down the stream.
    let after = &world.store.rows()[0];
    assert_eq!(marker(after), Some(fresh));
    let report = world.publish(&[change(2, Some(&row), after)]).await;
    assert_eq!(report.delivered, 1);
    assert_eq!(world.standing(), [world.delivered()]);
}

/// The stream and a sweeper deliver the same row: the consumer has it twice, with one id and the same bytes, and the row
/// stays as the first of them marked it.
#[tokio::test]
async fn o11_stream_and_sweeper_at_once() {
    let world = World::default();
    let batch = world.committed(1).await;
    let gate = Gate::closed();
    world.sink.tell(0, [Told::TakeAt(gate.clone())]);
    let stream = {
        let (world, batch) = (world.clone(), batch.clone());
        tokio::spawn(async move { world.publish(&batch).await })
    };
    gate.reached().await;
    // It reads the row strongly, by its state, and finds it undelivered.
    let row = &world.store.rows()[0];
    let seen = marker(row).unwrap();
    let sweeper = world.publisher(world.store.clone(), PACE);
    let deadline = world.time.now().plus(INVOCATION);
    let swept = sweeper.deliver(&[Due { row, seen }], deadline).await;
    assert!(
        matches!(swept[..], [Ok(Fate::Delivered { .. })]),
        "{swept:?}"
    );
    let delivered = world.standing();
    world.time.advance(LONGEST);
    gate.open();
    assert_eq!(stream.await.unwrap().overtaken, 1);
    assert_eq!(world.standing(), delivered);
    let taken = world.sink.taken();
    assert_eq!(taken, vec![taken[0].clone(); 2]);
}
