//! A store in trouble.

use decide_once_tests::Stack;
use serde_json::{Value, json};

use crate::support::{
    B0, asked, created, fresh_key, in_progress, mismatch, owner_at_work, post, problem,
};

/// A first request while the store has these faults is decided once, and replayed.
async fn decided_despite(faults: &[Value]) {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    for fault in faults {
        stack.arm(fault).await;
    }
    let key = fresh_key();
    let first = created(post(&stack, &key, B0).send().await);
    first.replayed_by(post(&stack, &key, B0).send().await);
    let status = format!("/v1/operations/{}", first.operation);
    let status = stack.get(&status).token("tok-alpha").send().await;
    assert_eq!(status.json()["attempts"], 1);
    let armed = json!({ "call": "Scan", "fault": "throttle" });
    let pending = stack.post("/_local/faults").json(&armed).send().await;
    assert_eq!(pending.json()["pending"], 1, "every fault met its call");
}

#[tokio::test]
async fn d01_own_write_reported_as_a_failed_condition() {
    for call in ["PutItem", "TransactWriteItems"] {
        decided_despite(&[json!({ "call": call, "fault": "reply_lost" })]).await;
        decided_despite(&[json!({ "call": call, "fault": "unavailable_after" })]).await;
    }
}

#[tokio::test]
async fn d03_conflict_is_not_already_exists() {
    decided_despite(&[
        json!({ "call": "PutItem", "fault": "conflict" }),
        json!({ "call": "TransactWriteItems", "fault": "conflict", "times": 2 }),
    ])
    .await;
}

#[tokio::test]
async fn d05_transaction_in_progress() {
    decided_despite(&[
        json!({ "call": "TransactWriteItems", "fault": "request_lost" }),
        json!({ "call": "TransactWriteItems", "fault": "in_progress", "times": 2 }),
    ])
    .await;
}

#[tokio::test]
async fn d07_missing_or_short_reason_list() {
    for fault in ["reasons_missing", "reasons_short", "unknown_reason"] {
        decided_despite(&[json!({ "call": "TransactWriteItems", "fault": fault })]).await;
    }
}

#[tokio::test]
async fn d07_an_unknown_outcome_that_cannot_be_read_up_is_unavailable() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    stack
        .arm(&json!({ "call": "TransactWriteItems", "fault": "reasons_missing" }))
        .await;
    stack
        .arm(&json!({ "call": "GetItem", "fault": "throttle", "times": 3 }))
        .await;
    let key = fresh_key();
    let answer = post(&stack, &key, B0).send().await;
    problem(answer, 503, "unavailable", "same-key");
    in_progress(post(&stack, &key, B0).send().await);
    stack.advance(31).await;
    created(post(&stack, &key, B0).send().await);
}

#[tokio::test]
async fn d09_stale_read_after_a_failed_condition() {
    // Nothing is read: what came back with the refusal is enough, for a replay, a mismatch, and an operation in progress.
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    let owner = owner_at_work(&stack, &key).await;
    let running = post(&stack, &key, B0).header("prefer", "wait=0");
    in_progress(running.send().await);
    let first = created(owner.await.unwrap());
    first.replayed_by(post(&stack, &key, B0).send().await);
    mismatch(post(&stack, &key, B0.replace("12500", "1")).send().await);
    let asked = asked(&stack).await;
    assert_eq!(asked["PutItem"]["calls"], 4);
    // The owner looked once whether its commit had landed.
    let reads = asked["GetItem"]["calls"].as_u64().unwrap_or(0);
    assert!(reads <= 1, "{asked}");
}

#[tokio::test]
async fn d08_a_store_that_answers_nothing_is_unavailable_and_nothing_is_decided() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    for fault in ["unavailable", "overloaded", "request_lost", "throttle"] {
        stack
            .arm(&json!({ "call": "*", "fault": fault, "times": 1_000 }))
            .await;
        let answer = post(&stack, &key, B0).send().await;
        problem(answer, 503, "unavailable", "same-key");
        let _ = stack
            .request(http::Method::DELETE, "/_local/faults")
            .send()
            .await
            .expect(200);
    }
    created(post(&stack, &key, B0).send().await);
}

#[tokio::test]
async fn f04_a_throttled_commit_is_no_recorded_answer() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    for _ in 0..2 {
        // The SDK sends a throttled call three times.
        stack
            .arm(&json!({ "call": "TransactWriteItems", "fault": "throttle", "times": 3 }))
            .await;
        let answer = post(&stack, &key, B0).send().await;
        problem(answer, 503, "unavailable", "same-key");
    }
    let decided = created(post(&stack, &key, B0).send().await);
    let status = stack
        .get(&format!("/v1/operations/{}", decided.operation))
        .token("tok-alpha");
    assert_eq!(status.send().await.json()["attempts"], 3);
}
