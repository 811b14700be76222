//! The two profiles beside each other, over HTTP: each situation is made once, and asked about under both.

use decide_once_tests::world::{B0, K1, K2};
use decide_once_tests::{Answer, Stack, eventually};
use serde_json::json;

const REFUND: &str = r#"{"policy":"refund-approval","subject":"s","facts":{"orderId":"A-1","line":1,"amount":1999,"paid":1999,
    "currency":"EUR","purchasedAt":"2026-11-20T10:00:00Z","reason":"damaged"}}"#;

/// Status and problem code of one situation under one profile.
type Cell = (u16, Option<&'static str>);

#[track_caller]
fn assert_cell(situation: &str, answer: &Answer, (status, code): Cell) {
    assert_eq!(answer.status.as_u16(), status, "{situation}: {answer:?}");
    let Some(code) = code else { return };
    let body = answer.json();
    assert_eq!(
        body["type"],
        format!("urn:decide-once:problem:{code}"),
        "{situation}"
    );
    assert_eq!(body["status"], status, "{situation}");
}

async fn check(profile: &str, table: [(&'static str, Cell); 6]) {
    let variable = format!("CONTRACT_PROFILE={profile}");
    let stack = Stack::start(&["--concurrency", "2", "--env", &variable]).await;
    let [first, replay, mismatch, taken, running, expired] = table;

    let created = stack.decide(K1, B0).send().await;
    assert_cell(first.0, &created, first.1);
    let replayed = stack.decide(K1, B0).send().await;
    assert_cell(replay.0, &replayed, replay.1);
    assert_eq!(replayed.body, created.body);
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    assert_eq!(replayed.header("idempotent-original-status"), Some("201"));
    let other = stack.decide(K1, &B0.replace("12500", "1")).send().await;
    assert_cell(mismatch.0, &other, mismatch.1);
    let _ = stack.decide("refund-1", REFUND).send().await.expect(201);
    let second = stack.decide("refund-2", REFUND).send().await;
    assert_cell(taken.0, &second, taken.1);

    // The owner's commit is held up.
    let hold = json!({ "call": "TransactWriteItems", "fault": "delay", "ms": 60_000, "times": 2 });
    stack.arm(&hold).await;
    let before = commits(&stack).await;
    let owner = stack.decide(K2, B0);
    let owner = tokio::spawn(async move { owner.send().await });
    eventually("the owner's commit", async || {
        (commits(&stack).await > before).then_some(())
    })
    .await;
    let busy = stack.decide(K2, B0).header("prefer", "wait=0").send().await;
    assert_cell(running.0, &busy, running.1);
    assert!(busy.header("retry-after").is_some());
    let location = busy.header("location").unwrap();
    assert!(location.starts_with("/v1/operations/"));
    assert_eq!(busy.json()["retry"], "same-key");
    let _ = owner.await.unwrap().expect(201);

    stack.advance(86_400).await;
    let late = stack.decide(K1, B0).send().await;
    assert_cell(expired.0, &late, expired.1);
}

async fn commits(stack: &Stack) -> u64 {
    let metrics = stack.metrics().await;
    let calls = &metrics["dynamodbByFunction"]["decide"]["TransactWriteItems"]["calls"];
    calls.as_u64().unwrap_or(0)
}

#[tokio::test]
async fn the_default_profile() {
    let table = [
        ("first completed", (201, None)),
        ("replay", (200, None)),
        ("same key, other request", (409, Some("key-reused"))),
        ("natural key taken", (409, Some("already-decided"))),
        ("being processed", (202, None)),
        ("result no longer kept", (409, Some("result-expired"))),
    ];
    check("default", table).await;
}

#[tokio::test]
async fn the_ietf_profile() {
    let table = [
        ("first completed", (201, None)),
        ("replay", (201, None)),
        ("same key, other request", (422, Some("key-reused"))),
        ("natural key taken", (422, Some("already-decided"))),
        ("being processed", (409, Some("in-progress"))),
        ("result no longer kept", (422, Some("result-expired"))),
    ];
    check("ietf", table).await;
}
