//! Workers that stall, are overtaken, and come back.

use decide_once_protocol::{
    record::{Hold, State},
    writes::NotApplied,
};
use decide_once_service::problem::Retry;
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    gate::Gate,
};

use crate::support::{B0, INVOCATION, K1, Told, World, call, says, seconds};

#[tokio::test]
async fn a01_a_late_commit_is_fenced_and_its_caller_gets_the_recorded_answer() {
    let world = World::default();
    let gate = Gate::closed();
    let stalled = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let a = stalled.start(&call(K1, B0));
    gate.reached().await;
    world.time.advance(seconds(31));
    let b = world.worker().decide(&call(K1, B0)).await;
    let recorded = world.store.operations();
    gate.open();

    let a = a.await.unwrap();
    assert_eq!(a.replayed(), b.created());
    assert_eq!(world.store.operations(), recorded, "A changed nothing");
    assert_eq!(
        world.decision().render().bytes,
        b.created().into_bytes(),
        "the decision is B's"
    );
}

#[tokio::test]
async fn a01_a_commit_that_nobody_waits_for_any_more_is_fenced_too() {
    let world = World::default();
    let gate = Gate::closed();
    let lost = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::ArrivesLate(gate.clone()))
        .on(StoreCall::ReadOperation, 1, Fault::RequestLost);
    let a = lost.decide(&call(K1, B0)).await;
    assert_eq!(a.problem("unavailable").kind.retry(), Retry::SameKey);

    world.time.advance(seconds(31));
    let b = world.worker().decide(&call(K1, B0)).await;
    gate.open();
    gate.done().await;
    assert_eq!(world.decision().render().bytes, b.created().into_bytes());
    let retry = world.worker().decide(&call(K1, B0)).await;
    assert_eq!(retry.replayed(), b.created());
}

#[tokio::test]
async fn a01_a_late_commit_that_comes_first_is_the_decision_and_the_successor_replays_it() {
    let world = World::default();
    let (late, successor) = (Gate::closed(), Gate::closed());
    let a = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(late.clone()));
    let a = a.start(&call(K1, B0));
    late.reached().await;
    world.time.advance(seconds(31));
    // B has seen the lapsed lease; its takeover is still on its way.
    let b = world
        .worker()
        .on(StoreCall::Transition, 1, Fault::Held(successor.clone()));
    let b = b.start(&call(K1, B0));
    successor.reached().await;
    late.open();
    let a = a.await.unwrap();
    successor.open();
    let b = b.await.unwrap();
    assert_eq!(b.replayed(), a.created());
    assert_eq!(world.record().fence.attempt, 1);
    world.decision();
}

#[tokio::test]
async fn a02_a_late_release_is_refused_and_a_third_call_replays() {
    let world = World::default();
    let gate = Gate::closed();
    // The store takes no commit of A, so that A gives up; and A is slow at that.
    let failing = world
        .worker()
        .on(StoreCall::Commit, 1, says(NotApplied::Unavailable))
        .on(StoreCall::Transition, 1, Fault::Held(gate.clone()));
    let a = failing.start(&call(K1, B0));
    gate.reached().await;
    world.time.advance(seconds(31));
    let b = world.worker().decide(&call(K1, B0)).await;
    let recorded = world.store.operations();
    gate.open();

    assert_eq!(a.await.unwrap().replayed(), b.created());
    assert_eq!(world.store.operations(), recorded, "the release is refused");
    let third = world.worker().decide(&call(K1, B0)).await;
    assert_eq!(third.replayed(), b.created());
    world.decision();
}

#[tokio::test]
async fn a02_a_worker_whose_time_ran_out_gives_up_and_learns_that_it_was_overtaken() {
    let world = World::default();
    let gate = Gate::closed();
    let late = world
        .worker()
        .on(StoreCall::Reserve, 1, Fault::ReplyHeld(gate.clone()));
    let a = late.start(&call(K1, B0));
    gate.reached().await;
    world.time.advance(seconds(31));
    let b = world.worker().decide(&call(K1, B0)).await;
    gate.open();

    assert_eq!(a.await.unwrap().replayed(), b.created());
    assert_eq!(
        late.store().calls(),
        [StoreCall::Reserve, StoreCall::Transition],
        "a release, and no commit: there was no time left for one"
    );
    world.decision();
}

#[tokio::test]
async fn a02_a_late_final_failure_is_refused_and_the_recorded_one_is_replayed() {
    // No rule of the policy knows the currency.
    let undecidable = B0.replace("USD", "XXX");
    let world = World::default();
    let gate = Gate::closed();
    let late = world
        .worker()
        .on(StoreCall::Transition, 1, Fault::Held(gate.clone()));
    let a = late.start(&call(K1, &undecidable));
    gate.reached().await;
    world.time.advance(seconds(31));
    let b = world.worker().decide(&call(K1, &undecidable)).await;
    let b = b.problem("decision-failed");
    let recorded = world.store.operations();
    gate.open();

    let a = a.await.unwrap().problem("decision-failed");
    assert_eq!((a.replayed, b.replayed), (Some(true), Some(false)));
    assert_eq!(a.to_json(), b.to_json());
    assert_eq!(world.store.operations(), recorded);
    assert!(world.store.decisions().is_empty());
    world.check();
}

#[tokio::test]
async fn n04_a_late_finisher_leaves_nothing_of_its_evaluation() {
    let world = World::default();
    let gate = Gate::closed();
    let stalled = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let a = stalled.start(&call(K1, B0));
    gate.reached().await;
    let chosen = world.record().decision;
    world.time.advance(seconds(31));
    let b = world.worker().decide(&call(K1, B0)).await;
    world.time.advance(seconds(9));
    gate.open();

    let a = a.await.unwrap();
    let decision = world.decision();
    assert_eq!(
        decision.id, chosen,
        "the name is kept since the first reservation"
    );
    assert_eq!(a.replayed(), b.created());
    assert!(
        b.created()
            .contains(r#""evaluatedAt":"2026-12-01T00:00:31Z""#)
    );
    assert_ne!(stalled.store().commits()[0].decision, decision);
    let events: Vec<_> = world
        .store
        .rows()
        .into_iter()
        .map(|row| row.event)
        .collect();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].time, decision.evaluated_at);
}

#[tokio::test]
async fn n07_a_dead_worker_holds_the_key_until_its_lease_ends_and_no_longer() {
    let world = World::default();
    let gate = Gate::closed();
    let dying = world
        .worker()
        .on(StoreCall::Reserve, 1, Fault::ReplyHeld(gate.clone()));
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    let reserved = world.record();
    let State::Processing {
        hold: Hold::Leased(lease),
        ..
    } = reserved.state
    else {
        panic!("{reserved:?}");
    };
    assert_eq!(reserved.created.until(lease), INVOCATION + seconds(1));

    world.time.advance(seconds(10));
    let early = world.worker().decide(&call(K1, B0)).await;
    assert!((seconds(1)..=seconds(20)).contains(&early.in_progress()));
    assert_eq!(world.record(), reserved, "who waits does not write");

    world.time.advance(seconds(20));
    let after = world.worker().decide(&call(K1, B0)).await;
    after.created();
    assert_eq!(after.attempt, Some(2));
    assert_eq!(world.decision().id, reserved.decision);
}

#[tokio::test]
async fn a10_a_contender_whose_clock_is_fast_evaluates_too_but_one_commits() {
    let world = World::default();
    let gate = Gate::closed();
    let right = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let a = right.start(&call(K1, B0));
    gate.reached().await;
    // By its clock the lease ended half a minute ago.
    let fast = world.worker_ahead(seconds(60)).decide(&call(K1, B0)).await;
    gate.open();

    assert_eq!(a.await.unwrap().replayed(), fast.created());
    assert_eq!(right.store().commits().len(), 1, "A evaluated, too");
    assert_eq!(world.record().fence.attempt, 2);
    world.decision();
}

#[tokio::test]
async fn a10_the_overtaken_worker_waits_for_the_fast_one_and_tells_its_answer() {
    let world = World::default();
    let (own, contenders) = (Gate::closed(), Gate::closed());
    let right =
        world
            .worker()
            .waiting(seconds(20))
            .on(StoreCall::Commit, 1, Fault::Held(own.clone()));
    let a = right.start(&call(K1, B0));
    own.reached().await;
    let fast = world
        .worker_ahead(seconds(60))
        .on(StoreCall::Commit, 1, Fault::Held(contenders.clone()))
        .start(&call(K1, B0));
    contenders.reached().await;
    // A's commit is refused by the other's reservation, which has no answer yet.
    own.open();
    own.done().await;
    contenders.open();

    let fast = fast.await.unwrap();
    assert_eq!(a.await.unwrap().replayed(), fast.created());
    world.decision();
}

#[tokio::test]
async fn a10_a_slow_clock_keeps_a_lapsed_lease_for_live_and_waits() {
    let world = World::default();
    let gate = Gate::closed();
    let dying =
        world
            .worker_ahead(seconds(60))
            .on(StoreCall::Reserve, 1, Fault::ReplyHeld(gate.clone()));
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    world.time.advance(seconds(31));
    world.worker().decide(&call(K1, B0)).await.in_progress();
    world.time.advance(seconds(60));
    world.worker().decide(&call(K1, B0)).await.created();
    world.decision();
}
