//! Workers that meet.

use std::sync::Arc;

use decide_once_service::reply::Outcome;
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    gate::Gate,
};
use tokio::{sync::Barrier, task::JoinSet};

use crate::support::{B0, K1, K2, Told, Worker, World, call, seconds};

const CALLERS: usize = 50;

/// All callers at once; whoever becomes the owner is held before its commit.
fn crowd(world: &World, wait: u64, commit: &Gate) -> JoinSet<(Worker, Outcome)> {
    let barrier = Arc::new(Barrier::new(CALLERS));
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let worker = world.worker().waiting(seconds(wait)).on(
            StoreCall::Commit,
            1,
            Fault::Held(commit.clone()),
        );
        let barrier = Arc::clone(&barrier);
        callers.spawn(async move {
            barrier.wait().await;
            let outcome = worker.decide(&call(K1, B0)).await;
            (worker, outcome)
        });
    }
    callers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n01_of_many_identical_requests_one_decides_and_the_others_are_told_to_come_back() {
    let world = World::default();
    let commit = Gate::closed();
    let mut callers = crowd(&world, 0, &commit);
    for _ in 1..CALLERS {
        let (worker, outcome) = callers.join_next().await.unwrap().unwrap();
        outcome.in_progress();
        assert_eq!(worker.store().calls(), [StoreCall::Reserve]);
    }
    commit.open();
    let (_, owner) = callers.join_next().await.unwrap().unwrap();
    let first = owner.created();
    for _ in 0..3 {
        let later = world.worker().decide(&call(K1, B0)).await;
        assert_eq!(later.replayed(), first);
    }
    assert_eq!(world.decision().render().bytes, first.into_bytes());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n01_those_who_wait_get_the_decision_and_never_write() {
    let world = World::default();
    let commit = Gate::closed();
    let mut callers = crowd(&world, 20, &commit);
    commit.reached().await;
    commit.open();
    let mut created = Vec::new();
    let mut replayed = Vec::new();
    while let Some(joined) = callers.join_next().await {
        let (worker, outcome) = joined.unwrap();
        let calls = worker.store().calls();
        if calls.contains(&StoreCall::Commit) {
            created.push(outcome.created());
            continue;
        }
        replayed.push(outcome.replayed());
        assert_eq!(calls[0], StoreCall::Reserve);
        let polls = &calls[1..];
        assert!(polls.iter().all(|call| *call == StoreCall::ReadOperation));
    }
    assert_eq!(created.len(), 1);
    assert_eq!(replayed.len(), CALLERS - 1);
    assert!(replayed.iter().all(|body| *body == created[0]));
    world.decision();
}

#[tokio::test]
async fn n02_the_loser_of_the_race_answers_from_the_record_that_came_back() {
    for wait in [0, 20] {
        let world = World::default();
        let (reserves, commit) = (Gate::closed(), Gate::closed());
        let worker = || {
            world
                .worker()
                .waiting(seconds(wait))
                .on(StoreCall::Reserve, 1, Fault::Held(reserves.clone()))
                .on(StoreCall::Commit, 1, Fault::Held(commit.clone()))
        };
        let (one, other) = (worker(), worker());
        let calls = [one.start(&call(K1, B0)), other.start(&call(K1, B0))];
        reserves.reached().await;
        reserves.open();
        commit.reached().await;
        if wait > 0 {
            commit.open();
        }
        let (owner, loser) = match one.store().commits().len() {
            1 => (0, 1),
            _ => (1, 0),
        };
        let [one, other] = calls;
        let mut tasks = [Some(one), Some(other)];
        let loser = tasks[loser].take().unwrap().await.unwrap();
        commit.open();
        let first = tasks[owner].take().unwrap().await.unwrap().created();
        if wait > 0 {
            assert_eq!(loser.replayed(), first);
        } else {
            loser.in_progress();
            assert_eq!(loser.effort.round_trips, 1);
        }
        world.decision();
    }
}

#[tokio::test]
async fn a04_an_operation_within_another_on_the_same_worker_is_its_own() {
    let world = World::default();
    let gate = Gate::closed();
    let worker = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let outer = worker.start(&call(K1, B0));
    gate.reached().await;
    let other = B0.replace("12500", "300");
    let inner = worker.decide(&call(K2, &other)).await.created();
    gate.open();
    let outer = outer.await.unwrap().created();

    assert!(outer.contains(r#""limit":25000"#), "{outer}");
    assert!(inner.contains(r#""limit":600"#), "{inner}");
    let replay = |key, body: &str| {
        let (worker, asked) = (worker.clone(), call(key, body));
        async move { worker.decide(&asked).await.replayed() }
    };
    assert_eq!(replay(K1, B0).await, outer);
    assert_eq!(replay(K2, &other).await, inner);
    world.check();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a04_operations_in_parallel_on_one_worker_do_not_mix() {
    let world = World::default();
    let worker = world.worker();
    let tasks: Vec<_> = (1..=32)
        .map(|amount| {
            let body = B0.replace("12500", &amount.to_string());
            worker.start(&call(&format!("key-{amount}"), &body))
        })
        .collect();
    for (amount, task) in (1..=32).zip(tasks) {
        let body = task.await.unwrap().created();
        assert!(
            body.contains(&format!(r#""limit":{},"#, amount * 2)),
            "{body}"
        );
        assert!(body.contains(&format!(r#""idempotencyKey":"key-{amount}""#)));
    }
    assert_eq!(world.store.decisions().len(), 32);
    world.check();
}

#[tokio::test]
async fn a16_a_rejected_duplicate_never_touches_the_owners_record() {
    let world = World::default();
    let commit = Gate::closed();
    let owner = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(commit.clone()));
    let owner = owner.start(&call(K1, B0));
    commit.reached().await;
    let reserved = world.store.operations();

    let duplicate = world.worker();
    let mismatches = [
        B0.replace("12500", "1"),
        B0.replace("12500", "-1"), // not even valid facts
        B0.replace("12500", r#""text""#),
        B0.replace("credit-limit", "unknown-policy"),
        B0.replace(r#""subject""#, r#""version":77,"subject""#),
    ];
    for other in &mismatches {
        let refused = duplicate.decide(&call(K1, other)).await;
        refused.problem("key-reused");
    }
    duplicate.decide(&call(K1, B0)).await.in_progress();
    let hurried = world.worker().with_time(seconds(0));
    hurried.decide(&call(K1, B0)).await.problem("unavailable");
    let blind =
        world
            .worker()
            .waiting(seconds(5))
            .on(StoreCall::ReadOperation, 1, Fault::ReplyLost);
    blind.decide(&call(K1, B0)).await.problem("unavailable");

    assert_eq!(world.store.operations(), reserved);
    for worker in [&duplicate, &hurried, &blind] {
        let writes = worker
            .store()
            .calls()
            .into_iter()
            .filter(|call| matches!(call, StoreCall::Transition | StoreCall::Commit));
        assert_eq!(writes.count(), 0);
    }
    commit.open();
    owner.await.unwrap().created();
    world.decision();
}
