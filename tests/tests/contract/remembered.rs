//! An instance that remembers answers: what it says without asking the store, and when it asks after all.

use decide_once_policy::PolicySet;
use decide_once_protocol::answer::INLINE_LIMIT;
use decide_once_service::problem::Retry;
use decide_once_service::reply::Outcome;
use decide_once_service::settings::MISMATCH_BUDGET;
use decide_once_tests::faulty::StoreCall;
use decide_once_tests::world::{B0, K1, K2, Told as _, World, call, hours, millis};
use decide_once_tests::{Stack, eventually, fixtures};
use serde_json::Value;

/// Tells its memo, and has nothing to say of what is odd.
const ECHO: &str = r#"
policy: echo
version: 1
input:
  type: object
  required: [memo]
  properties: { memo: { type: string, maxLength: 9000 }, odd: { type: boolean, default: false } }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: even, when: "!facts.odd", then: { memo: "${facts.memo}" } }
"#;

fn echo() -> PolicySet {
    fixtures::policies(&[("echo", 1, ECHO)], "echo: 1")
}

fn echoed(key: &str, facts: &str) -> decide_once_service::Call {
    let body = format!(r#"{{"policy":"echo","subject":"s","facts":{facts}}}"#);
    call(key, &body)
}

/// It was remembered: nothing was asked.
#[track_caller]
fn recalled(told: &Outcome) {
    assert!(told.recalled && told.effort.round_trips == 0, "{told:?}");
}

/// The store said it.
#[track_caller]
fn asked(told: &Outcome, round_trips: u32) {
    assert!(!told.recalled, "{told:?}");
    assert_eq!(told.effort.round_trips, round_trips, "{told:?}");
}

#[tokio::test]
async fn a_replay_of_what_was_decided_here_asks_nothing() {
    let world = World::default();
    let worker = world.worker_that_remembers(10);
    let first = worker.decide(&call(K1, B0)).await;
    asked(&first, 2);
    for body in [B0, &B0.replace("12500", "1.25e4")] {
        let replay = worker.decide(&call(K1, body)).await;
        recalled(&replay);
        assert_eq!(replay.replayed(), first.created());
        assert_eq!(replay.attempt, Some(1));
    }
    assert_eq!(
        worker.store().calls(),
        [StoreCall::Reserve, StoreCall::Commit]
    );
}

#[tokio::test]
async fn the_second_replay_of_what_was_decided_elsewhere_asks_nothing() {
    let world = World::default();
    let first = world.worker().decide(&call(K1, B0)).await.created();
    let worker = world.worker_that_remembers(10);
    let replay = worker.decide(&call(K1, B0)).await;
    asked(&replay, 1);
    assert_eq!(replay.replayed(), first);
    let replay = worker.decide(&call(K1, B0)).await;
    recalled(&replay);
    assert_eq!(replay.replayed(), first);
}

#[tokio::test]
async fn nothing_is_remembered_unless_an_operator_says_so() {
    let world = World::default();
    for worker in [world.worker(), world.worker_that_remembers(0)] {
        worker.decide(&call(K1, B0)).await;
        for _ in 0..2 {
            asked(&worker.decide(&call(K1, B0)).await, 1);
        }
    }
}

#[tokio::test]
async fn another_request_is_refused_from_memory_and_counted_as_ever() {
    let world = World::default();
    let worker = world.worker_that_remembers(10);
    let first = worker.decide(&call(K1, B0)).await.created();
    let other = call(K1, &B0.replace("12500", "1"));
    let mut reports = 0;
    for _ in 0..MISMATCH_BUDGET {
        let refused = worker.decide(&other).await;
        assert!(refused.recalled);
        let problem = refused.problem("key-reused");
        assert_eq!(problem.pointers, ["/facts/amount"]);
        assert_eq!(problem.kind.retry(), Retry::Never);
        reports += refused.effort.round_trips;
    }
    assert_eq!(reports, MISMATCH_BUDGET / 10, "only to count");
    let refused = worker.decide(&other).await;
    refused.problem("too-many-mismatches");
    recalled(&refused);
    let replay = worker.decide(&call(K1, B0)).await;
    recalled(&replay);
    assert_eq!(replay.replayed(), first);
}

#[tokio::test]
async fn from_the_instant_of_its_expiry_on_a_result_is_the_stores_to_tell() {
    let world = World::default();
    let worker = world.worker_that_remembers(10);
    let first = worker.decide(&call(K1, B0)).await.created();
    world.time.advance(hours(24) - millis(1));
    let last = worker.decide(&call(K1, B0)).await;
    recalled(&last);
    assert_eq!(last.replayed(), first);
    world.time.advance(millis(1));
    let expired = worker.decide(&call(K1, B0)).await;
    asked(&expired, 1);
    expired.problem("result-expired");
    let other = worker.decide(&call(K1, &B0.replace("12500", "1"))).await;
    asked(&other, 1);
    other.problem("key-reused");
    // Another life of the key is another memory.
    world.time.advance(hours(49));
    let second = worker.decide(&call(K1, B0)).await;
    asked(&second, 2);
    assert_ne!(second.created(), first);
    let replay = worker.decide(&call(K1, B0)).await;
    recalled(&replay);
    assert_eq!(replay.replayed(), second.created());
}

#[tokio::test]
async fn another_tenant_under_the_same_key_is_another_operation() {
    let world = World::default();
    let worker = world.worker_that_remembers(10);
    let first = worker.decide(&call(K1, B0)).await.created();
    let beta = fixtures::call("t-beta", K1, B0);
    let others = worker.decide(&beta).await;
    asked(&others, 2);
    assert_ne!(others.created(), first);
    let replay = worker.decide(&beta).await;
    recalled(&replay);
    assert_eq!(replay.replayed(), others.created());
}

#[tokio::test]
async fn a_final_failure_is_remembered_and_what_is_not_final_is_not() {
    let world = World::default();
    let worker = world.worker_under_that_remembers(echo(), 10);
    let odd = echoed(K1, r#"{"memo":"m","odd":true}"#);
    let first = worker.decide(&odd).await.problem("decision-failed");
    let again = worker.decide(&odd).await;
    recalled(&again);
    let again = again.problem("decision-failed");
    assert_eq!(again.to_json(), first.to_json());
    assert_eq!(again.replayed, Some(true));

    let throttled =
        decide_once_tests::world::says(decide_once_protocol::writes::NotApplied::Unavailable);
    let even = echoed(K2, r#"{"memo":"m"}"#);
    let worker = worker.on(StoreCall::Commit, 1, throttled);
    worker.decide(&even).await.problem("unavailable");
    let taken_over = worker.decide(&even).await;
    asked(&taken_over, 3);
    taken_over.created();
}

#[tokio::test]
async fn an_answer_that_is_kept_by_reference_is_not_remembered() {
    let world = World::default();
    let worker = world.worker_under_that_remembers(echo(), 10);
    let memo = "m".repeat(INLINE_LIMIT);
    let large = echoed(K1, &format!(r#"{{"memo":"{memo}"}}"#));
    let first = worker.decide(&large).await.created();
    for _ in 0..2 {
        let replay = worker.decide(&large).await;
        asked(&replay, 2);
        assert_eq!(replay.replayed(), first);
    }
}

#[tokio::test]
async fn what_only_the_pinned_version_could_tell_is_asked_where_it_is_not_packaged() {
    let world = World::default();
    world
        .worker_under(echo())
        .decide(&echoed(K1, r#"{"memo":"m"}"#))
        .await;
    let none = fixtures::policies(&[], "{}");
    let worker = world.worker_under_that_remembers(none, 10);
    let same = worker.decide(&echoed(K1, r#"{"memo":"m"}"#)).await;
    same.replayed();
    recalled(&worker.decide(&echoed(K1, r#"{"memo":"m"}"#)).await);
    let spelled_otherwise = worker
        .decide(&echoed(K1, r#"{"memo":"m","odd":false}"#))
        .await;
    asked(&spelled_otherwise, 1);
    spelled_otherwise.problem("unavailable");
}

#[tokio::test]
async fn an_instance_remembers_no_more_than_it_was_told_to() {
    for most in [1, 2, 8] {
        let world = World::default();
        let worker = world.worker_that_remembers(most);
        let keys: Vec<_> = (0..50).map(|number| format!("order-{number}")).collect();
        for key in &keys {
            worker.decide(&call(key, B0)).await.created();
        }
        // From the newest on: a replay that asks is remembered in place of another one.
        let mut kept = 0;
        for key in keys.iter().rev() {
            let replay = worker.decide(&call(key, B0)).await;
            replay.replayed();
            kept += u32::from(replay.recalled);
        }
        assert!((1..=most).contains(&kept), "{kept} of {most}");
    }
}

/// The calls that the last request made to the store.
async fn last_calls(stack: &Stack) -> Value {
    stack.metrics().await["lastRequest"]["calls"]["byOperation"].clone()
}

#[tokio::test]
async fn over_http_a_remembered_replay_reaches_no_store_and_is_authorised_anew() {
    let args = [
        "--concurrency",
        "1",
        "--auth",
        "required",
        "--env",
        "ANSWER_CACHE_ENTRIES=100",
    ];
    let stack = Stack::start(&args).await;
    let post = |token: &str| stack.decide(K1, B0).token(token).send();
    let first = post("tok-alpha").await.expect(201);
    let replay = post("tok-alpha").await.expect(200);
    assert_eq!(last_calls(&stack).await, serde_json::json!({}));
    assert_eq!(replay.body, first.body);
    for same in ["location", "content-type", "content-digest"] {
        assert_eq!(replay.header(same), first.header(same), "{same}");
    }
    assert_eq!(replay.header("idempotent-replayed"), Some("true"));
    let _ = post("tok-alpha-read").await.expect(403);
    let _ = post("stolen").await.expect(401);
    assert_ne!(post("tok-beta").await.expect(201).body, first.body);
    eventually("its line", async || {
        let output = stack.output();
        output
            .contains(r#""outcome":"replay-cached""#)
            .then_some(())
    })
    .await;
}
