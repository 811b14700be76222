//! A sink that is away: for a moment, or for long.

use std::time::Duration;

use decide_once_protocol::outbox::{Delivery, Marker};
use decide_once_service::{
    ports::{Clock as _, Outbox as _},
    publish::{Pace, Stop},
};

use crate::support::{
    INVOCATION, LONGEST, PACE, Told, World, change, marker, number_of, of_subjects, stopped_at,
};

/// Three attempts, and pauses that a test can wait for.
const PATIENT: Pace = Pace {
    attempts: 3,
    first_pause: Duration::from_millis(1),
    ..PACE
};

#[tokio::test]
async fn an_event_is_sent_again_after_a_pause_in_the_same_invocation() {
    let world = World::default();
    let batch = world.committed(2).await;
    world.sink.tell(0, [Told::Unavailable, Told::Unavailable]);
    let publisher = world.publisher(world.store.clone(), PATIENT);
    let deadline = world.time.now().plus(INVOCATION);
    let report = publisher.publish(&batch, deadline).await;
    assert_eq!((report.delivered, stopped_at(&report)), (2, None));
    assert_eq!(world.sink.tried(), [0, 0, 0, 1]);
}

#[tokio::test]
async fn it_is_not_sent_again_with_too_little_time_left() {
    let world = World::default();
    let batch = world.committed(1).await;
    world.sink.tell(0, [Told::Unavailable]);
    let publisher = world.publisher(world.store.clone(), PATIENT);
    let report = publisher
        .publish(&batch, world.time.now().plus(LONGEST))
        .await;
    assert_eq!(stopped_at(&report), Some("1"));
    assert_eq!(world.sink.tried(), [0]);
}

/// A process that has seen its sink fail leaves it alone, asks it once a cool-down, and goes on once it answers.
#[tokio::test]
async fn a_sink_that_is_down_is_asked_once_a_cool_down() {
    let world = World::default();
    let names: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    let batch = world
        .commit(of_subjects(names.iter().map(String::as_str)))
        .await;
    let publisher = world.publisher(world.store.clone(), PACE);
    let publish = async || {
        let deadline = world.time.now().plus(INVOCATION);
        publisher.publish(&batch, deadline).await
    };
    world.sink.down(true);
    let report = publish().await;
    // What was under way already, and what was begun before the last of the failures was known.
    let mut asked = 16 + 5 - 1;
    assert_eq!(world.sink.tried().len(), asked);
    assert_eq!((report.failed, report.held), (20, 80));

    for second in 1..=11 {
        world.time.advance(Duration::from_secs(1));
        let report = publish().await;
        asked += usize::from(second % 5 == 0);
        assert_eq!(world.sink.tried().len(), asked, "second {second}");
        assert_eq!(stopped_at(&report), Some("1"));
        if second % 5 != 0 {
            assert_eq!(report.stopped, Some(("1".to_owned(), Stop::SinkDown)));
        }
    }

    world.sink.down(false);
    assert_eq!(publish().await.held, 100, "not yet");
    world.time.advance(PACE.cool_down);
    assert_eq!(publish().await.delivered, 100);
}

/// Half an hour without a broker costs two hundred rows nothing. The one that it refuses for good is set aside where
/// anybody sees it; later rows of its subject go on without it; one command brings it back.
#[tokio::test]
async fn o13_quarantined_head() {
    let world = World::default();
    let names: Vec<_> = (0..200)
        .map(|number| format!("subject-{}", number % 50))
        .collect();
    let batch = world
        .commit(of_subjects(names.iter().map(String::as_str)))
        .await;
    let before = world.store.rows();
    let publisher = world.publisher(world.store.clone(), PACE);
    let publish = async |batch| {
        let deadline = world.time.now().plus(INVOCATION);
        publisher.publish(batch, deadline).await
    };
    world.sink.down(true);
    for _minute in 0..30 {
        assert_eq!(stopped_at(&publish(&batch).await), Some("1"));
        world.time.advance(Duration::from_secs(60));
    }
    assert_eq!(world.store.rows(), before, "nothing of the rows is used up");

    world.sink.down(false);
    world.sink.tell(0, [Told::Refuse]);
    let report = publish(&batch).await;
    assert_eq!((report.delivered, report.quarantined), (199, 1));
    let poison = world
        .store
        .rows()
        .into_iter()
        .find(|row| number_of(&row.event.id) == 0);
    let poison = poison.unwrap();
    let Delivery::Quarantined { reason, .. } = &poison.delivery else {
        panic!("{poison:?}");
    };
    assert_eq!(reason, "it answered 422");
    assert_eq!(poison.delivery.ttl(), None);

    let fresh = Marker {
        since: world.time.now(),
        number: 0,
    };
    assert!(world.store.redrive(&poison.event.id, fresh).await.is_ok());
    let row = world
        .store
        .rows()
        .into_iter()
        .find(|row| marker(row) == Some(fresh));
    let redriven = change(201, Some(&poison), &row.unwrap());
    assert_eq!(publish(&[redriven]).await.delivered, 1);
    assert_eq!(world.sink.taken().len(), 200);
}
