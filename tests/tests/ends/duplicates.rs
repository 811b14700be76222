//! Duplicates: in one batch, in a slow one, after days, through other transports.

use decide_once_tests::{Stack, eventually};
use serde_json::json;

use crate::support::{SOON, arm, credit, fed, held, let_go, refund, refunded};

/// The same event twice in one batch, and another: each once, and every copy is deleted.
#[tokio::test]
async fn k04_duplicate_inside_one_batch() {
    let stack = Stack::start(&[]).await;
    arm(&stack, "before_effect", "hold").await;
    stack.put("consume", refund("e.0", "other", 1)).await;
    held(&stack, "before_effect").await;
    for body in [
        refund("e.1", "acct-42", 500),
        refund("e.1", "acct-42", 500),
        refund("e.2", "acct-42", 20),
    ] {
        stack.put("consume", body).await;
    }
    let_go(&stack).await;
    stack.drained("consume").await;
    assert_eq!(refunded(&stack, "acct-42").await, Some(520));
    let metrics = stack.metrics().await;
    assert_eq!(
        metrics["fed"]["consume"],
        json!({ "invocations": 2, "failedInvocations": 0, "done": 4, "failed": 0 })
    );
    assert_eq!(metrics["queues"]["consume"]["received"], 4);
}

/// A batch that takes longer than its messages are hidden: they come again while it is still at work, and are known.
#[tokio::test]
async fn k04_slow_batch() {
    let stack = Stack::start(&SOON).await;
    arm(&stack, "after_effect", "hold").await;
    stack.put("consume", refund("e.0", "acct-42", 500)).await;
    held(&stack, "after_effect").await;
    eventually("a message that is visible again", async || {
        (stack.queue("consume").await["visible"] == 1).then_some(())
    })
    .await;
    let_go(&stack).await;
    stack.drained("consume").await;
    assert_eq!(refunded(&stack, "acct-42").await, Some(500));
}

/// Thirteen days later a copy is still a duplicate; after thirty its mark is gone, and nobody can tell: it is refused, not applied.
#[tokio::test]
async fn k03_dedup_memory_shorter_than_the_redrive() {
    const DAY: u64 = 86_400;
    let args = [&SOON[..], &["--queue-receives", "1"]].concat();
    let stack = Stack::start(&args).await;
    let _ = stack
        .decide("k03", &credit("acct-42", 12_500))
        .send()
        .await
        .expect(201);
    eventually("the effect", async || {
        stack.balances().await.get("acct-42").map(|_| ())
    })
    .await;
    stack.drained("consume").await;
    let event = stack.events().await.remove(0).to_string();
    stack.advance(13 * DAY).await;
    stack.put("consume", event.clone()).await;
    stack.drained("consume").await;
    assert!(stack.messages("consume-dead").await.is_empty());
    stack.advance(17 * DAY).await;
    stack.put("consume", event).await;
    eventually("a dead letter", async || {
        (stack.messages("consume-dead").await.len() == 1).then_some(())
    })
    .await;
    let balance = &stack.balances().await["acct-42"];
    assert_eq!(balance["sums"], json!({ "decided": 1 }));
    assert!(stack.output().contains("older than marks are kept"));
}

/// With longer marks it is covered; with marks that are shorter than the longest redrive the function does not start.
#[tokio::test]
async fn k03_the_retention_is_the_operators_and_never_too_short() {
    const DAY: u64 = 86_400;
    let stack = Stack::start(&["--env", "MARK_RETENTION_HOURS=1440"]).await;
    let _ = stack
        .decide("k03", &credit("acct-42", 12_500))
        .send()
        .await
        .expect(201);
    eventually("the effect", async || {
        (fed(&stack, "consume", "done").await == 1).then_some(())
    })
    .await;
    let event = stack.events().await.remove(0).to_string();
    stack.advance(30 * DAY).await;
    stack.put("consume", event).await;
    eventually("the duplicate", async || {
        (fed(&stack, "consume", "done").await == 2).then_some(())
    })
    .await;
    assert_eq!(stack.balances().await["acct-42"]["sums"]["decided"], 1);

    let refused = decide_once_tests::stack::run(
        &decide_once_tests::binary::decide_once(),
        &["--port", "0", "--env", "MARK_RETENTION_HOURS=24"],
    );
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success());
    assert!(
        said.contains("MARK_RETENTION_HOURS is less than LONGEST_REDRIVE_HOURS"),
        "{said}"
    );
}

/// What the dead-letter queue has is handed in again, and has its effect then.
#[tokio::test]
async fn a_dead_letter_is_redriven_once_what_it_lacked_is_there() {
    let args = [&SOON[..], &["--queue-receives", "1"]].concat();
    let stack = Stack::start(&args).await;
    stack
        .arm(&json!({ "function": "consume", "call": "TransactWriteItems", "fault": "throttle", "times": 10_000 }))
        .await;
    stack.put("consume", refund("e.0", "acct-42", 500)).await;
    eventually("a dead letter", async || {
        (stack.messages("consume-dead").await.len() == 1).then_some(())
    })
    .await;
    let heal = stack.request(http::Method::DELETE, "/_local/faults");
    let _ = heal.send().await.expect(200);
    for _ in 0..2 {
        let _ = stack
            .post("/_local/queues/consume/redrive")
            .send()
            .await
            .expect(200);
        stack.drained("consume").await;
        assert_eq!(refunded(&stack, "acct-42").await, Some(500));
        assert!(stack.messages("consume-dead").await.is_empty());
    }
}

/// The publisher's own SDK sends to the queue; and an event is the same through a topic or a bus.
#[tokio::test]
async fn an_event_is_known_whatever_transport_brings_it() {
    let stack = Stack::start(&["--env", "SINK=sqs"]).await;
    let _ = stack
        .decide("sqs", &credit("acct-42", 12_500))
        .send()
        .await
        .expect(201);
    eventually("the effect", async || {
        stack.balances().await.get("acct-42").map(|_| ())
    })
    .await;
    assert!(stack.events().await.is_empty(), "not by HTTP");
    let event = refund("e.9", "acct-42", 500);
    let topic = json!({ "Type": "Notification", "TopicArn": "arn", "Message": event }).to_string();
    let bus = format!(r#"{{"id":"b","source":"s","detail-type":"t","detail":{event}}}"#);
    for body in [event, topic, bus] {
        stack.put("consume", body).await;
    }
    stack.drained("consume").await;
    assert_eq!(refunded(&stack, "acct-42").await, Some(500));
}

/// What was accepted before the end of everything is handled after it.
#[tokio::test]
async fn messages_outlive_a_stack_with_a_directory() {
    let data = tempfile::tempdir().unwrap();
    let args = ["--data", data.path().to_str().unwrap()];
    let mut stack = Stack::start(&args).await;
    arm(&stack, "before_effect", "hold").await;
    for number in 0..3 {
        stack
            .put("consume", refund(&format!("e.{number}"), "acct-42", 100))
            .await;
    }
    held(&stack, "before_effect").await;
    stack.crash();
    drop(stack);
    let stack = Stack::start(&args).await;
    stack.drained("consume").await;
    assert_eq!(refunded(&stack, "acct-42").await, Some(300));
}
