//! Queued operations that the stream has missed: a sweep takes them up by their state.

use std::time::Duration;

use decide_once_protocol::{
    record::StateName,
    writes::{Answer, NotApplied},
};
use decide_once_service::{
    ports::Clock as _,
    resume::{NotYet, Resumed},
    settings::QUEUE_PATIENCE,
    sweep::MARGIN,
};
use decide_once_tests::{
    faulty::{Fault, Faulty, StoreCall},
    gate::Gate,
};

use crate::support::{INVOCATION, World};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_queued_operation_that_the_stream_missed_is_decided() {
    let world = World::default();
    let record = world.queue("k-1").await;
    world.time.advance(QUEUE_PATIENCE - SECOND);
    let early = world.sweep().await;
    assert_eq!(early.oldest_due, Some(QUEUE_PATIENCE - SECOND));
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
    let dying = world.decider_over(store);
    let (id, deadline) = (record.operation.clone(), world.time.now().plus(INVOCATION));
    let dead = tokio::spawn(async move { dying.resume(&id, deadline).await });
    gate.reached().await;
    dead.abort();
    world
        .time
        .advance(Duration::from_secs(30) + QUEUE_PATIENCE - SECOND);
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
    let throttled = world.decider_over(store);
    let deadline = world.time.now().plus(INVOCATION);
    assert_eq!(
        throttled.resume(&record.operation, deadline).await,
        Resumed::NotYet(NotYet::GivenUp)
    );
    world.time.advance(QUEUE_PATIENCE + SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 0);
    world.time.advance(SECOND);
    assert_eq!(world.sweep().await.operations.succeeded, 1);
}
