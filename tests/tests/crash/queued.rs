//! Operations that nobody waits for, while the workers that decide them die.

use decide_once_tests::{Answer, Request, Stack, eventually};
use serde_json::{Value, json};

use crate::support::{
    LEASE_LAPSES, exactly_one, fresh_key, held, hold_at, kill_at, let_go, operation, panic_at,
    post, retried,
};

/// `POST /v1/decisions` of a caller that does not wait.
fn post_later(stack: &Stack, key: &str) -> Request {
    post(stack, key).header("prefer", "respond-async")
}

/// Queued, with all that belongs to it.
async fn queued(stack: &Stack, key: &str) -> Answer {
    let queued = post_later(stack, key).send().await.expect(202);
    assert_eq!(queued.header("preference-applied"), Some("respond-async"));
    queued
}

/// A sweep finds what a dead worker has left, once its lease has lapsed and a little more; unless the stream, which hands in again
/// what nobody answered for, comes to it at that very moment. A worker whose time is moved on in the middle of its attempt gives it up, and a
/// later sweep has it.
async fn swept_after_its_lease(stack: &Stack, accepted: &Answer) {
    eventually("a sweep after which it is decided", async || {
        stack.advance(LEASE_LAPSES + 10).await;
        let _ = stack.sweep().await;
        (operation(stack, accepted).await["state"] == "SUCCEEDED").then_some(())
    })
    .await;
}

/// A worker that died holds up nobody: its operation waits for the end of its lease, those behind it do not.
#[tokio::test]
async fn a_worker_that_died_does_not_hold_up_what_is_queued_behind_it() {
    let stack = Stack::start(&[]).await;
    kill_at(&stack, "before_commit").await;
    let held_up = queued(&stack, &fresh_key()).await;
    eventually("the worker's death", async || {
        let processes = stack.processes().await;
        let evaluate = processes.iter().find(|it| it.function == "evaluate");
        evaluate.filter(|it| it.restarts > 0).map(|_| ())
    })
    .await;
    for _ in 0..8 {
        let accepted = queued(&stack, &fresh_key()).await;
        let _ = in_state(&stack, &accepted, "SUCCEEDED").await;
    }
    assert_eq!(operation(&stack, &held_up).await["state"], "PROCESSING");
    swept_after_its_lease(&stack, &held_up).await;
}

/// The operation, once it is in this state.
async fn in_state(stack: &Stack, answer: &Answer, state: &str) -> Value {
    eventually(state, async || {
        let status = operation(stack, answer).await;
        (status["state"] == state).then_some(status)
    })
    .await
}

#[tokio::test]
async fn a_queued_request_is_decided_by_the_stream() {
    let stack = Stack::start(&[]).await;
    let key = fresh_key();
    let accepted = queued(&stack, &key).await;
    assert_eq!(accepted.json()["attempts"], 0);
    let asked = stack.metrics().await["dynamodbByFunction"]["decide"].clone();
    let calls: Vec<_> = asked
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        (calls, &asked["PutItem"]["calls"]),
        (vec!["PutItem"], &json!(1))
    );
    let status = in_state(&stack, &accepted, "SUCCEEDED").await;
    assert_eq!(status["attempts"], 1);
    let location = status["decision"].as_str().unwrap().to_owned();
    let decision = stack.get(&location).send().await.expect(200);
    let replay = post(&stack, &key).send().await.expect(200);
    assert_eq!(replay.body, decision.body);
    assert_eq!(replay.header("idempotent-replayed"), Some("true"));
    assert_eq!(exactly_one(&stack, &replay).await.len(), 1);
}

/// At each point, by a kill: it is decided once. After the reservation its dead owner is waited for, for as long as its lease is; then the
/// sweeper has it.
#[tokio::test]
async fn a_worker_of_the_queue_that_dies_is_followed_by_another() {
    for point in ["after_reserve", "before_commit", "after_commit"] {
        let stack = Stack::start(&[]).await;
        let key = fresh_key();
        kill_at(&stack, point).await;
        let accepted = queued(&stack, &key).await;
        eventually("the worker's death", async || {
            let processes = stack.processes().await;
            let evaluate = processes.iter().find(|it| it.function == "evaluate");
            evaluate.filter(|it| it.restarts > 0).map(|_| ())
        })
        .await;
        if point != "after_commit" {
            let status = operation(&stack, &accepted).await;
            assert_eq!(status["state"], "PROCESSING");
            assert!(!status["advice"].as_str().unwrap().contains("POST again"));
            swept_after_its_lease(&stack, &accepted).await;
        }
        let _ = in_state(&stack, &accepted, "SUCCEEDED").await;
        let replay = post(&stack, &key).send().await.expect(200);
        assert_eq!(exactly_one(&stack, &replay).await.len(), 1, "{point}");
    }
}

#[tokio::test]
async fn a_worker_of_the_queue_that_panics_is_followed_by_another() {
    let stack = Stack::start(&[]).await;
    let key = fresh_key();
    panic_at(&stack, "before_commit").await;
    let accepted = queued(&stack, &key).await;
    eventually("the first attempt", async || {
        (operation(&stack, &accepted).await["attempts"] == 1).then_some(())
    })
    .await;
    swept_after_its_lease(&stack, &accepted).await;
    exactly_one(&stack, &retried(&stack, &key).await).await;
}

/// The caller comes while the queue's worker stands still before its commit, past its lease: it takes over, and the worker is fenced.
#[tokio::test]
async fn a_post_overtakes_a_worker_of_the_queue_that_stalls() {
    let stack = Stack::start(&[]).await;
    let key = fresh_key();
    hold_at(&stack, "before_commit").await;
    let accepted = queued(&stack, &key).await;
    held(&stack, "before_commit").await;
    assert_eq!(operation(&stack, &accepted).await["attempts"], 1);
    let _ = post(&stack, &key).send().await.expect(202);
    stack.advance(LEASE_LAPSES).await;
    let created = post(&stack, &key).send().await.expect(201);
    let_go(&stack).await;
    let status = in_state(&stack, &accepted, "SUCCEEDED").await;
    assert_eq!(status["attempts"], 2);
    exactly_one(&stack, &created).await;
}

/// What was answered 202 is decided after everything has died: the table has the request, and the stream its place.
#[tokio::test]
async fn queued_requests_survive_the_end_of_every_process() {
    let data = tempfile::tempdir().unwrap();
    let args = ["--data", data.path().to_str().unwrap()];
    let mut stack = Stack::start(&args).await;
    // The queue stands still, so that none is decided before the end.
    stack
        .arm(&json!({ "function": "evaluate", "call": "GetItem", "fault": "throttle", "times": 10_000 }))
        .await;
    let keys: Vec<_> = (0..10).map(|_| fresh_key()).collect();
    for key in &keys {
        let _ = queued(&stack, key).await;
    }
    stack.crash();
    drop(stack);

    let stack = Stack::start(&args).await;
    for key in &keys {
        let answer = eventually("a decision", async || {
            let answer = post(&stack, key).send().await;
            (answer.status == 200).then_some(answer)
        })
        .await;
        assert_eq!(answer.header("idempotent-replayed"), Some("true"));
    }
}

/// The stream has given the operation up: a sweep decides it, without its caller.
#[tokio::test]
async fn a_queued_request_that_the_stream_missed_is_decided_by_a_sweep() {
    let stack = Stack::start(&[]).await;
    let key = fresh_key();
    stack
        .arm(&json!({ "function": "evaluate", "call": "GetItem", "fault": "throttle", "times": 10_000 }))
        .await;
    let accepted = queued(&stack, &key).await;
    // Past the stream's day.
    stack.advance(25 * 3_600).await;
    let swept = stack.sweep().await;
    assert_eq!(swept["operations"]["succeeded"], 1, "{swept}");
    let status = in_state(&stack, &accepted, "SUCCEEDED").await;
    assert_eq!(status["attempts"], 1);
    exactly_one(&stack, &retried(&stack, &key).await).await;
}
