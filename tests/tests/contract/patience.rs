//! Callers that come while somebody else decides.

use std::time::Duration;

use decide_once_protocol::record::{Hold, State};
use decide_once_service::ports::Clock as _;
use decide_once_service::settings::LEASE_MARGIN;
use decide_once_tests::faulty::{Fault, StoreCall};
use decide_once_tests::gate::Gate;
use decide_once_tests::world::{B0, K1, Told as _, World, call, seconds};

/// One worker is busy for 25 seconds; 200 duplicates come as often as they are told to.
#[tokio::test]
async fn n12_those_who_come_when_they_are_told_to_read_little_and_never_write() {
    let world = World::default();
    let commit = Gate::closed();
    let owner = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(commit.clone()));
    let owner = owner.start(&call(K1, B0));
    commit.reached().await;
    let busy = world.record();

    let (mut waited, mut asked, mut longest) = (Duration::ZERO, 0, Duration::ZERO);
    while waited < seconds(25) {
        let mut next = Duration::ZERO;
        for _ in 0..200 {
            let duplicate = world.worker();
            next = duplicate.decide(&call(K1, B0)).await.in_progress();
            assert_eq!(
                duplicate.store().calls(),
                [StoreCall::Reserve],
                "refused: one call, no write"
            );
        }
        asked += 1;
        longest = longest.max(next);
        waited += next;
        world.time.advance(next);
    }
    assert!(
        asked <= 8,
        "{asked} rounds for 25 seconds: the pauses grow with the time that it takes"
    );
    assert!(longest >= seconds(8), "{longest:?}");
    assert_eq!(world.record(), busy, "nobody wrote");
    commit.open();
    let first = owner.await.unwrap().created();
    let duplicate = world.worker().decide(&call(K1, B0)).await;
    assert_eq!(duplicate.replayed(), first);
}

#[tokio::test]
async fn n12_polls_within_one_call_grow_apart() {
    let world = World::default();
    let commit = Gate::closed();
    let owner = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(commit.clone()));
    let owner = owner.start(&call(K1, B0));
    commit.reached().await;
    let patient = world.worker().waiting(Duration::from_millis(700));
    patient.decide(&call(K1, B0)).await.in_progress();
    let calls = patient.store().calls();
    assert_eq!(calls[0], StoreCall::Reserve);
    let polls = &calls[1..];
    assert!(polls.iter().all(|call| *call == StoreCall::ReadOperation));
    assert!((1..=6).contains(&polls.len()), "{polls:?}");
    commit.open();
    owner.await.unwrap().created();
}

#[tokio::test]
async fn n08_a_lease_holds_until_its_instant_and_lapses_at_it() {
    let world = World::default();
    let reserved = Gate::closed();
    let dying = world
        .worker()
        .on(StoreCall::Reserve, 1, Fault::ReplyHeld(reserved.clone()));
    let dead = dying.start(&call(K1, B0));
    reserved.reached().await;
    dead.abort();
    let record = world.record();
    let State::Processing {
        hold: Hold::Leased(lease),
        ..
    } = record.state
    else {
        panic!("{record:?}");
    };
    assert_eq!(record.created.until(lease), seconds(29) + LEASE_MARGIN);
    world.time.advance(seconds(30) - Duration::from_millis(1));
    assert!(world.time.now() < lease);
    world.worker().decide(&call(K1, B0)).await.in_progress();
    world.time.advance(Duration::from_millis(1));
    let taken_over = world.worker().decide(&call(K1, B0)).await;
    taken_over.created();
    assert_eq!(taken_over.attempt, Some(2));
    assert_eq!(world.decision().id, record.decision);
}
