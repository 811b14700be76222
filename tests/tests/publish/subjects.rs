//! Subjects beside each other, and each one's events in single file.

use std::time::Duration;

use decide_once_protocol::outbox::{Delivery, Marker};
use decide_once_service::{
    ports::{Clock as _, Outbox as _, SendError},
    publish::{Due, Fate, Pace, Report, Stop},
};
use decide_once_tests::{eventually, gate::Gate};

use crate::support::{
    INVOCATION, MarksFail, PACE, Told, World, change, marker, number_of, of_subjects, stopped_at,
};

/// A thousand subjects, one of which takes its time: nobody else waits for it, and its own events arrive in order.
#[tokio::test]
async fn o16_one_slow_subject_among_a_thousand() {
    let world = World::default();
    let names: Vec<_> = (0..1_000)
        .map(|number| format!("subject-{number}"))
        .collect();
    // The slow one is the first, and has two more events at the end.
    let subjects = names.iter().chain([&names[0], &names[0]]);
    let batch = world
        .commit(of_subjects(subjects.map(String::as_str)))
        .await;
    let gate = Gate::closed();
    world.sink.tell(0, [Told::TakeAt(gate.clone())]);
    let publishing = {
        let (world, batch) = (world.clone(), batch.clone());
        tokio::spawn(async move { world.publish(&batch).await })
    };
    gate.reached().await;
    eventually("all others", async || {
        let rows = world.store.rows();
        (rows.iter().filter(|row| marker(row).is_some()).count() == 3).then_some(())
    })
    .await;
    let undelivered = world
        .store
        .rows()
        .into_iter()
        .filter(|row| marker(row).is_some());
    assert!(
        undelivered
            .into_iter()
            .all(|row| row.event.subject == names[0])
    );

    gate.open();
    let report = publishing.await.unwrap();
    assert_eq!((report.delivered, stopped_at(&report)), (1_002, None));
    let slow = |number: &u32| [0, 1_000, 1_001].contains(number);
    let tried = world.sink.tried();
    assert_eq!(
        tried.into_iter().filter(slow).collect::<Vec<_>>(),
        [0, 1_000, 1_001]
    );
}

#[tokio::test]
async fn an_event_that_fails_holds_back_its_own_subject_only() {
    let world = World::default();
    let batch = world.commit(of_subjects(["a", "a", "b", "a", "b"])).await;
    world.sink.tell(1, [Told::Unavailable]);
    let report = world.publish(&batch).await;
    let why = SendError::Unavailable("it answered 503".to_owned());
    assert_eq!(
        report,
        Report {
            delivered: 3,
            failed: 1,
            held: 1,
            lags: vec![Duration::ZERO; 3],
            stopped: Some(("2".to_owned(), Stop::Sink(why))),
            ..Report::default()
        }
    );
    assert!(
        !world.sink.tried().contains(&3),
        "behind the one that failed"
    );
}

/// The same subject of two tenants is two subjects.
#[tokio::test]
async fn a_tenant_does_not_hold_back_another_ones_subject_of_the_same_name() {
    let world = World::default();
    let mut rows = of_subjects(["a", "a"]);
    rows[1].event.source = "urn:decide-once:t-beta".to_owned();
    let batch = world.commit(rows).await;
    world.sink.tell(0, [Told::Unavailable]);
    assert_eq!(world.publish(&batch).await.delivered, 1);
}

#[tokio::test]
async fn not_more_requests_are_under_way_at_once_than_are_set() {
    let world = World::default();
    let batch = world.commit(of_subjects(["a", "b", "c", "d"])).await;
    let gate = Gate::closed();
    for number in 0..4 {
        world.sink.tell(number, [Told::TakeAt(gate.clone())]);
    }
    let pace = Pace {
        concurrency: 2.try_into().unwrap(),
        ..PACE
    };
    let publisher = world.publisher(world.store.clone(), pace);
    let deadline = world.time.now().plus(INVOCATION);
    let publishing = tokio::spawn(async move { publisher.publish(&batch, deadline).await });
    gate.reached().await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.sink.tried(), [0, 1]);
    gate.open();
    assert_eq!(publishing.await.unwrap().delivered, 4);
}

/// Else every event behind one that fails would be sent again with each of its retries.
#[tokio::test]
async fn what_was_done_behind_a_failure_is_not_sent_again_by_the_same_process() {
    let world = World::default();
    let batch = world.commit(of_subjects(["a", "b", "c"])).await;
    world.sink.tell(1, [Told::Unavailable]);
    let publisher = world.publisher(world.store.clone(), PACE);
    let deadline = world.time.now().plus(INVOCATION);
    let first = publisher.publish(&batch, deadline).await;
    assert_eq!((first.delivered, stopped_at(&first)), (2, Some("2")));
    let second = publisher.publish(&batch[1..], deadline).await;
    assert_eq!(
        (second.delivered, second.repeated, stopped_at(&second)),
        (1, 1, None)
    );
    assert_eq!(world.sink.tried(), [0, 1, 2, 1]);

    // Redriven, it is another matter: it has another marker.
    let before = world
        .store
        .rows()
        .into_iter()
        .find(|row| number_of(&row.event.id) == 2);
    let before = before.unwrap();
    let fresh = Marker {
        since: world.time.now(),
        number: 77,
    };
    let redriven = world.store.redrive(&before.event.id, fresh).await;
    assert!(redriven.is_ok());
    let row = world
        .store
        .rows()
        .into_iter()
        .find(|row| marker(row) == Some(fresh));
    let again = publisher
        .publish(&[change(4, Some(&before), &row.unwrap())], deadline)
        .await;
    assert_eq!((again.delivered, again.repeated), (1, 0));
}

/// What is sent while the store takes no marks is sent again, so nothing more is.
#[tokio::test]
async fn a_store_that_takes_no_marks_ends_the_batch() {
    let world = World::default();
    let names: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    let batch = world
        .commit(of_subjects(names.iter().map(String::as_str)))
        .await;
    let (store, applied) = (world.store.clone(), false);
    let report = world.publish_to(MarksFail { store, applied }, &batch).await;
    let at_once = u32::try_from(PACE.concurrency.get()).unwrap();
    assert_eq!((report.failed, report.held), (at_once, 100 - at_once));
    assert_eq!(world.publish(&batch).await.delivered, 100);
}

/// For the sweeper: the same path without a stream.
#[tokio::test]
async fn rows_are_delivered_without_a_stream_and_each_has_its_own_outcome() {
    let world = World::default();
    world.commit(of_subjects(["a", "a", "b", "c"])).await;
    world.sink.tell(0, [Told::Unavailable]);
    world.sink.tell(3, [Told::Refuse]);
    let mut rows = world.store.rows();
    rows.sort_by_key(|row| number_of(&row.event.id));
    let due = rows.iter().map(|row| Due {
        row,
        seen: marker(row).unwrap(),
    });
    let publisher = world.publisher(world.store.clone(), PACE);
    let deadline = world.time.now().plus(INVOCATION);
    let outcomes = publisher.deliver(&due.collect::<Vec<_>>(), deadline).await;
    let why = SendError::Unavailable("it answered 503".to_owned());
    let expected = [
        Err(Stop::Sink(why)),
        Err(Stop::Behind),
        Ok(Fate::Delivered {
            lag: Duration::ZERO,
        }),
        Ok(Fate::Quarantined),
    ];
    assert_eq!(outcomes, expected);
    assert!(matches!(world.standing()[3], Delivery::Quarantined { .. }));
}
