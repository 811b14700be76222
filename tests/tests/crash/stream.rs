//! The stream between the outbox and the publisher.

use std::collections::BTreeSet;

use decide_once_protocol::outbox::Delivery;
use decide_once_tests::{Answer, Stack, eventually};
use serde_json::{Value, json};

use crate::support::{
    Tables, announced, exactly_one, fresh_key, held, hold_at, ids, kill_at, let_go, post, posted,
    settled,
};

/// Ten rows in one batch; the fourth one's mark fails.
#[tokio::test]
async fn o03_partial_batch_answer() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    // While the publisher stands still the rows behind gather to one batch.
    hold_at(&stack, "after_send").await;
    let mut sent = announced(&post(&stack, &fresh_key()).send().await.expect(201));
    held(&stack, "after_send").await;
    for _ in 0..10 {
        sent.extend(announced(
            &post(&stack, &fresh_key()).send().await.expect(201),
        ));
    }
    // One call is three attempts of the SDK; before it come the mark of the one that stands still, and three more.
    stack
        .arm(&json!({
            "function": "publish", "call": "UpdateItem", "fault": "unavailable", "skip": 4, "times": 3
        }))
        .await;
    let_go(&stack).await;
    let events = ids(&settled(&stack).await);

    // Events 1 to 3 once; 4 again with its own id; 5 to 10 once, behind it.
    let mut expected = sent.clone();
    expected.insert(5, sent[4].clone());
    assert_eq!(events, expected);
    let state = publishing(&stack).await;
    assert_eq!(state["failedInvocations"], 1);
    assert_eq!(state["delivered"], 11);
}

/// Neither a mark nor a removal, by TTL or by hand, makes an event.
#[tokio::test]
async fn o07_ttl_removes_in_the_stream() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = Tables::of(&stack).await;
    let first = post(&stack, &fresh_key()).send().await.expect(201);
    let second = post(&stack, &fresh_key()).send().await.expect(201);
    let both = [announced(&first), announced(&second)].concat();
    assert_eq!(ids(&settled(&stack).await), both);
    let invoked = publishing(&stack).await["invocations"].clone();

    let rows = tables.outbox().await;
    tables.delete_row(&rows[0].row).await;
    // Two marks and a removal have passed by before the stream is too old to have them.
    let passed_by = async |changes: u64| {
        eventually("the changes to pass by", async || {
            (publishing(&stack).await["filtered"] == changes).then_some(())
        })
        .await;
    };
    passed_by(3).await;
    stack.advance(8 * 86_400).await;
    assert!(tables.outbox().await.is_empty(), "TTL has taken the other");
    passed_by(4).await;
    assert_eq!(publishing(&stack).await["invocations"], invoked);
    assert_eq!(ids(&stack.events().await), both);
}

/// A is evaluated first and commits last: it is published when it commits, whatever its time says.
#[tokio::test]
async fn o10_watermark_misses_late_commits() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    hold_at(&stack, "before_commit").await;
    let a = posted(&stack, &fresh_key());
    held(&stack, "before_commit").await;
    stack.advance(4).await;
    let b = post(&stack, &fresh_key()).send().await.expect(201);
    assert_eq!(ids(&settled(&stack).await), announced(&b));
    let_go(&stack).await;
    let a = a.await.unwrap().expect(201);
    let events = settled(&stack).await;
    assert_eq!(ids(&events), [announced(&b), announced(&a)].concat());
    assert!(events[1]["time"].as_str().unwrap() < events[0]["time"].as_str().unwrap());
}

/// Five days without a sink, with TTL at work: nothing of the outbox ends before it is delivered.
#[tokio::test]
async fn t05_ttl_attribute_on_an_unpublished_outbox_row() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = Tables::of(&stack).await;
    stack.sink("down").await;
    let mut expected = Vec::new();
    for _ in 0..3 {
        let created: Answer = post(&stack, &fresh_key()).send().await.expect(201);
        expected.extend(announced(&created));
    }
    for _day in 1..=5 {
        stack.advance(86_400).await; // deletes what has expired
        let rows = tables.outbox().await;
        assert_eq!(rows.len(), 3);
        let undelivered = |delivery: &Delivery| matches!(delivery, Delivery::Undelivered(_));
        assert!(
            rows.iter()
                .all(|row| undelivered(&row.row.delivery) && !row.ends)
        );
    }
    assert_eq!(stack.events().await.len(), 0);

    // The stream has forgotten them after a day; the table has not.
    stack.streams_forget().await;
    stack.sink("up").await;
    let swept = stack.sweep().await;
    assert_eq!(swept["delivered"], 3, "{swept}");
    assert_eq!(ids(&settled(&stack).await), expected, "each once");
    assert!(tables.outbox().await.iter().all(|row| row.ends));
    stack.advance(8 * 86_400).await;
    assert!(tables.outbox().await.is_empty());
}

/// Nothing reads the stream for 25 hours: a sweep has published everything, and what the stream still shows afterwards makes no
/// second effect.
#[tokio::test]
async fn o08_consumer_away_for_longer_than_retention() {
    let stack = Stack::start(&["--concurrency", "4"]).await;
    stack.sink("down").await;
    let mut expected = BTreeSet::new();
    for _ in 0..40 {
        let created = post(&stack, &fresh_key()).send().await.expect(201);
        expected.extend(announced(&created));
    }
    stack.streams_forget().await;
    stack.sink("up").await;
    let swept = stack.sweep().await;
    assert!(swept["oldestUndeliveredSeconds"].as_u64().unwrap() >= 25 * 3_600);
    let events = ids(&settled(&stack).await);
    assert_eq!(events.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(events.len(), expected.len(), "each once");
    let again = stack.sweep().await;
    assert_eq!(
        (&again["delivered"], &again["oldestUndeliveredSeconds"]),
        (&json!(0), &json!(null))
    );
}

/// The sweeper dies between its send and its mark: the next one sends again, with the same id.
#[tokio::test]
async fn a_sweeper_that_dies_is_followed_by_another() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    stack.sink("down").await;
    let created = post(&stack, &fresh_key()).send().await.expect(201);
    stack.streams_forget().await;
    stack.sink("up").await;
    kill_at(&stack, "after_send").await;
    let died = stack.post("/_local/schedules/sweep").send().await;
    assert_eq!(died.status, 502, "{died:?}");
    let swept = stack.sweep().await;
    assert_eq!(swept["delivered"], 1, "{swept}");
    let events = ids(&settled(&stack).await);
    assert_eq!(events, [announced(&created), announced(&created)].concat());
}

/// The sink is away while decisions are made: nobody who decides notices.
#[tokio::test]
async fn an_outage_of_the_sink_is_no_outage_of_deciding() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    stack.sink("down").await;
    let created = post(&stack, &fresh_key()).send().await.expect(201);
    eventually("a batch that fails", async || {
        (publishing(&stack).await["failedInvocations"]
            .as_u64()
            .unwrap()
            > 0)
        .then_some(())
    })
    .await;
    stack.sink("up").await;
    assert_eq!(exactly_one(&stack, &created).await.len(), 1);
}

/// The mapping's state.
async fn publishing(stack: &Stack) -> Value {
    stack.metrics().await["streams"]["publish"].clone()
}
