//! The time of an invocation, and the lease that follows from it.

use std::time::{Duration, Instant};

use decide_once_protocol::record::{Hold, State};
use decide_once_service::{problem::Retry, settings::LEASE_FLOOR};
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    gate::Gate,
};

use crate::support::{B0, K1, Told, World, call, hours, seconds};

/// Enough for a call that is answered at once, too little for one that is not; short enough for a lease of the floor.
const SHORT: Duration = Duration::from_millis(900);

/// What a busy machine may add.
const TOLERANCE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a06_a_lease_exists_also_where_the_deadline_is_a_day_away() {
    let world = World::default();
    let gate = Gate::closed();
    let dying = world.worker().with_time(hours(24)).on(
        StoreCall::Reserve,
        1,
        Fault::ReplyHeld(gate.clone()),
    );
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    world.time.advance(seconds(10));
    world.worker().decide(&call(K1, B0)).await.in_progress();
    world.time.advance(seconds(21));
    world.worker().decide(&call(K1, B0)).await.created();
    world.decision();
}

#[tokio::test]
async fn a15_without_time_left_the_call_is_answered_before_any_work() {
    for left in [0, 1, 249] {
        let world = World::default();
        let late = world.worker().with_time(Duration::from_millis(left));
        let answer = late.decide(&call(K1, B0)).await.problem("unavailable");
        assert_eq!(answer.kind.retry(), Retry::SameKey);
        assert!(answer.retry_after.is_some());
        assert_eq!(late.store().calls(), []);
        assert!(world.store.operations().is_empty());
        world.worker().decide(&call(K1, B0)).await.created();
    }
}

#[tokio::test]
async fn a15_with_little_time_left_the_lease_has_its_floor() {
    let world = World::default();
    let gate = Gate::closed();
    let hurried =
        world
            .worker()
            .with_time(SHORT)
            .on(StoreCall::Reserve, 1, Fault::ReplyHeld(gate.clone()));
    let dead = hurried.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    let record = world.record();
    let State::Processing {
        hold: Hold::Leased(lease),
        ..
    } = record.state
    else {
        panic!("{record:?}");
    };
    assert_eq!(record.created.until(lease), LEASE_FLOOR);
}

#[tokio::test]
async fn a_call_to_the_store_that_hangs_is_given_up_in_time_to_say_so() {
    for hanging in [StoreCall::Reserve, StoreCall::Commit] {
        let world = World::default();
        let worker = world
            .worker()
            .with_time(SHORT)
            .on(hanging, 1, Fault::Held(Gate::closed()));
        let started = Instant::now();
        let answer = worker.decide(&call(K1, B0)).await;
        assert!(started.elapsed() < SHORT + TOLERANCE);
        let problem = answer.problem("unavailable");
        assert_eq!(problem.kind.retry(), Retry::SameKey);
        assert_eq!(
            worker.store().calls().last(),
            Some(&hanging),
            "with no time left nothing more is sent"
        );
        assert!(world.store.decisions().is_empty());

        world.time.advance(seconds(31));
        world.worker().decide(&call(K1, B0)).await.created();
        world.decision();
    }
}

#[tokio::test]
async fn a_commit_that_was_given_up_and_lands_is_what_the_retry_gets() {
    let world = World::default();
    let worker =
        world
            .worker()
            .with_time(SHORT)
            .on(StoreCall::Commit, 1, Fault::ReplyHeld(Gate::closed()));
    worker.decide(&call(K1, B0)).await.problem("unavailable");
    let committed = world.decision();
    let retry = world.worker().decide(&call(K1, B0)).await.replayed();
    assert_eq!(retry.into_bytes(), committed.render().bytes);
}

#[tokio::test]
async fn a_caller_waits_no_longer_than_its_invocation_lasts() {
    let world = World::default();
    let gate = Gate::closed();
    let owner = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let owner = owner.start(&call(K1, B0));
    gate.reached().await;
    let patient = world.worker().with_time(SHORT).waiting(seconds(20));
    let started = Instant::now();
    let outcome = patient.decide(&call(K1, B0)).await;
    assert!(started.elapsed() < SHORT + TOLERANCE);
    outcome.in_progress();
    gate.open();
    owner.await.unwrap().created();
}
