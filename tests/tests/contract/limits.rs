//! What keeps one tenant, or all callers together, from wearing the service out.

use decide_once_service::limits::{REPORT_EVERY, Rate, WINDOW};
use decide_once_service::problem::Retry;
use decide_once_service::settings::{MISMATCH_BUDGET, Settings};
use decide_once_tests::faulty::{Fault, StoreCall};
use decide_once_tests::world::{B0, K1, K2, Told as _, World, call, seconds};
use decide_once_tests::{Stack, fixtures};

fn changed(amount: u32) -> String {
    B0.replace("12500", &amount.to_string())
}

#[tokio::test]
async fn a13_a_hundred_mismatches_are_counted_and_then_there_is_a_429() {
    let world = World::default();
    let worker = world.worker();
    let first = worker.decide(&call(K1, B0)).await.created();
    for amount in 1..=MISMATCH_BUDGET {
        let refused = worker.decide(&call(K1, &changed(amount))).await;
        assert_eq!(refused.problem("key-reused").pointers, ["/facts/amount"]);
        let told = amount % REPORT_EVERY == 0;
        assert_eq!(
            refused.effort.round_trips,
            if told { 2 } else { 1 },
            "{amount}"
        );
    }
    for _ in 0..3 {
        let refused = worker.decide(&call(K1, &changed(1))).await;
        assert_eq!(refused.effort.round_trips, 1, "the instance remembers");
        let problem = refused.problem("too-many-mismatches");
        assert_eq!(problem.kind.retry(), Retry::Never);
        assert_eq!(problem.retry_after, None);
    }
    // What is no mismatch never sees it; nor does another tenant.
    assert_eq!(worker.decide(&call(K1, B0)).await.replayed(), first);
    worker.decide(&call(K2, B0)).await.created();
    worker
        .decide(&fixtures::call("t-beta", K1, B0))
        .await
        .created();
    let other = worker
        .decide(&fixtures::call("t-beta", K1, &changed(1)))
        .await;
    other.problem("key-reused");

    world.time.advance(WINDOW);
    let next = worker.decide(&call(K1, &changed(1))).await;
    next.problem("key-reused");
    assert_eq!(world.store.decisions().len(), 3);
}

#[tokio::test]
async fn a13_instances_count_together() {
    let world = World::default();
    let workers = [world.worker(), world.worker()];
    workers[0].decide(&call(K1, B0)).await.created();
    let mut refused = 0;
    loop {
        let worker = &workers[refused % 2];
        let told = worker.decide(&call(K1, &changed(7))).await;
        let decide_once_service::reply::Reply::Problem(problem) = told.reply else {
            panic!("{told:?}");
        };
        if problem.kind.code() == "too-many-mismatches" {
            break;
        }
        refused += 1;
    }
    let budget = usize::try_from(MISMATCH_BUDGET).unwrap();
    let late = usize::try_from(REPORT_EVERY - 1).unwrap();
    assert!((budget..=budget + late).contains(&refused), "{refused}");
}

#[tokio::test]
async fn a13_a_store_that_does_not_count_makes_nobody_wait_or_fail() {
    let world = World::default();
    let worker = world.worker();
    worker.decide(&call(K1, B0)).await.created();
    worker
        .store()
        .always(StoreCall::CountMismatches, Fault::RequestLost);
    for amount in 1..=MISMATCH_BUDGET {
        let refused = worker.decide(&call(K1, &changed(amount))).await;
        refused.problem("key-reused");
    }
    let refused = worker.decide(&call(K1, &changed(1))).await;
    refused.problem("too-many-mismatches");
}

#[tokio::test]
async fn a_budget_of_zero_is_none() {
    let world = World::default();
    let worker = world.worker_with_settings(Settings {
        mismatch_budget: 0,
        ..Settings::default()
    });
    worker.decide(&call(K1, B0)).await.created();
    for amount in 1..=MISMATCH_BUDGET + 5 {
        let refused = worker.decide(&call(K1, &changed(amount))).await;
        refused.problem("key-reused");
    }
    assert!(!worker.store().calls().contains(&StoreCall::CountMismatches));
}

#[tokio::test]
async fn an_instance_that_takes_no_more_says_so_before_it_asks_the_store() {
    let world = World::default();
    let worker = world.worker_with_settings(Settings {
        rate: Some(Rate {
            per_second: 1,
            burst: 2,
        }),
        ..Settings::default()
    });
    worker.decide(&call(K1, B0)).await.created();
    worker.decide(&call(K1, B0)).await.replayed();
    let before = worker.store().calls();
    let refused = worker.decide(&call(K2, B0)).await.problem("unavailable");
    assert_eq!(refused.kind.retry(), Retry::SameKey);
    assert!(refused.retry_after.is_some());
    assert_eq!(worker.store().calls(), before);
    world.time.advance(seconds(1));
    worker.decide(&call(K2, B0)).await.created();
}

#[tokio::test]
async fn a13_over_http_the_429_is_a_problem_without_retry_after() {
    let args = ["--concurrency", "1", "--env", "MISMATCH_BUDGET=20"];
    let stack = Stack::start(&args).await;
    let _ = stack.decide(K1, B0).send().await.expect(201);
    // A window of the clock may end meanwhile; then it begins again.
    for amount in 1..=60 {
        let answer = stack.decide(K1, &changed(amount)).send().await;
        if answer.status.as_u16() == 429 {
            assert!(amount > 20);
            assert_eq!(
                answer.json()["type"],
                "urn:decide-once:problem:too-many-mismatches"
            );
            assert_eq!(answer.json()["retry"], "never");
            assert_eq!(answer.header("retry-after"), None);
            let _ = stack.decide(K1, B0).send().await.expect(200);
            return;
        }
        let _ = answer.expect(409);
    }
    panic!("no 429 in 60 mismatches");
}
