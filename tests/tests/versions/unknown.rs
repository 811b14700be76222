//! A later release of the same layout adds an attribute: an older one that moves the item on leaves it there, at every step.

use decide_once_tests::{Stack, Tables, binary, eventually, stack::run};
use serde_json::{Value, json};

use crate::support::{
    LEASE_LAPSES, SOON, arm, credit, has, heal, held, key, let_go, only, queued, refunded, stands,
};

const LATER: &str = "later";

/// Adds what this release does not know.
async fn add(tables: &Tables, table: &str, key: &str) {
    let value = json!({ "M": { "a": { "N": "1" } } });
    tables.set(table, key, LATER, value).await;
}

#[track_caller]
fn keeps(item: &Value) {
    assert_eq!(item[LATER], json!({ "M": { "a": { "N": "1" } } }), "{item}");
}

#[tokio::test]
async fn an_operation_keeps_it_over_a_release_a_takeover_and_the_commit() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    let body = credit("acct-42");
    arm(&stack, "after_reserve", "kill").await;
    let _ = stack.decide("K1", &body).send().await.expect(502);
    let operation = key(&tables, "operations").await;
    add(&tables, "operations", &operation).await;
    stack.advance(LEASE_LAPSES).await;

    // The SDK sends a throttled call three times: the attempt is given up.
    let throttle = json!({ "call": "TransactWriteItems", "fault": "throttle", "times": 3 });
    stack.arm(&throttle).await;
    let _ = stack.decide("K1", &body).send().await.expect(503);
    keeps(&stands(&tables, &operation, "FAILED_RETRYABLE/2").await);

    let decided = stack.decide("K1", &body).send().await.expect(201);
    keeps(&stands(&tables, &operation, "SUCCEEDED/3").await);
    let replay = stack.decide("K1", &body).send().await.expect(200);
    assert_eq!(replay.body, decided.body);
    keeps(&tables.item("operations", &operation).await);

    // The next life of the key is another operation: it begins with what this release knows.
    stack.advance(73 * 3_600).await;
    let _ = stack.decide("K1", &body).send().await.expect(201);
    assert_eq!(
        tables.item("operations", &operation).await[LATER],
        Value::Null
    );
}

#[tokio::test]
async fn a_queued_operation_keeps_it_while_its_request_goes() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    queued(&stack, "K1", &credit("acct-42")).await;
    let operation = key(&tables, "operations").await;
    add(&tables, "operations", &operation).await;
    heal(&stack).await;
    let decided = stands(&tables, &operation, "SUCCEEDED/1").await;
    keeps(&decided);
    for gone in ["carried", "lane", "due"] {
        assert_eq!(decided[gone], Value::Null, "{decided}");
    }
}

#[tokio::test]
async fn a_final_failure_and_a_decision_keep_it() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    let body = credit("acct-42").replace("USD", "XXX");
    queued(&stack, "K1", &body).await;
    let operation = key(&tables, "operations").await;
    add(&tables, "operations", &operation).await;
    heal(&stack).await;
    keeps(&stands(&tables, &operation, "FAILED_FINAL/1").await);
    let _ = stack.decide("K1", &body).send().await.expect(422);

    let decided = stack.decide("K2", &credit("acct-42")).send().await;
    let decided = decided.expect(201);
    let id = key(&tables, "decisions").await;
    add(&tables, "decisions", &id).await;
    let shown = stack.get(decided.header("location").unwrap()).send().await;
    assert_eq!(shown.expect(200).body, decided.body);
}

#[tokio::test]
async fn an_event_keeps_it_over_quarantine_redrive_and_delivery() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    stack.sink("down").await;
    let _ = stack
        .decide("K1", &credit("acct-42"))
        .send()
        .await
        .expect(201);
    let event = key(&tables, "outbox").await;
    add(&tables, "outbox", &event).await;
    stack.sink("poison").await;
    keeps(&has(&tables, "outbox", &event, "quarantined").await);

    stack.sink("up").await;
    let redrive = run(
        &binary::decide_once(),
        &["outbox", "redrive", &event, "--stack", stack.url()],
    );
    assert!(redrive.status.success(), "{redrive:?}");
    keeps(&has(&tables, "outbox", &event, "deliveredAt").await);
    let events = stack.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0][LATER], Value::Null, "it is no part of the event");
}

#[tokio::test]
async fn a_mark_keeps_it_from_claimed_to_done_and_a_balance_over_every_sum() {
    let stack = Stack::start(&SOON).await;
    let tables = stack.tables().await;
    arm(&stack, "after_effect", "hold").await;
    let review = refunded("e.1").replace("refund.approved", "refund.review-requested");
    stack.put("consume", review).await;
    held(&stack, "after_effect").await;
    let mark = key(&tables, "inbox").await;
    assert!(only(&tables, "inbox").await["claim"].is_object());
    add(&tables, "inbox", &mark).await;
    let_go(&stack).await;
    keeps(&has(&tables, "inbox", &mark, "keptUntil").await);

    stack.put("consume", refunded("e.2")).await;
    stack.drained("consume").await;
    let balance = key(&tables, "balances").await;
    add(&tables, "balances", &balance).await;
    stack.put("consume", refunded("e.3")).await;
    eventually("both refunds", async || {
        let item = tables.item("balances", &balance).await;
        (item["sum:refunded:EUR"]["N"] == "1000").then_some(())
    })
    .await;
    keeps(&tables.item("balances", &balance).await);
}
