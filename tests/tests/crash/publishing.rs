//! Publishers that die or are cut off between the sink and the mark.

use decide_once_protocol::outbox::Delivery;
use decide_once_tests::{Stack, eventually};
use serde_json::json;

use crate::support::{
    Tables, announced, exactly_one, fresh_key, held, hold_at, ids, kill_at, let_go, post, retried,
    settled,
};

/// The publisher's half: the second send has the same id and the same bytes.
#[tokio::test]
async fn o01_sent_then_crashed_before_marking() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    kill_at(&stack, "after_send").await;
    let created = post(&stack, &fresh_key()).send().await.expect(201);
    assert_eq!(exactly_one(&stack, &created).await.len(), 2);
    let bytes = stack.get("/_local/events").send().await.body;
    let text = str::from_utf8(&bytes).unwrap();
    let (first, second) = text[1..text.len() - 1].split_once(",\n").unwrap();
    assert_eq!(first, second);
}

/// The mark is there already; the second one finds nothing to mark.
#[tokio::test]
async fn a_publisher_that_dies_after_its_mark_delivers_again_and_changes_nothing() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    hold_at(&stack, "after_mark").await;
    let created = post(&stack, &fresh_key()).send().await.expect(201);
    held(&stack, "after_mark").await;
    let tables = Tables::of(&stack).await;
    let marked = tables.outbox().await.remove(0);
    assert!(marked.ends);
    let publisher = stack.processes().await;
    let publisher = publisher.iter().find(|p| p.function == "publish").unwrap();
    decide_once_tests::signal::send("KILL", publisher.pid);
    let_go(&stack).await;
    eventually("the second delivery", async || {
        (stack.events().await.len() == 2).then_some(())
    })
    .await;
    exactly_one(&stack, &created).await;
    assert_eq!(tables.outbox().await.remove(0).row, marked.row);
}

/// Marked only after a positive answer; what is unknown is not sent; nothing is deleted.
#[tokio::test]
async fn o12_row_removed_or_marked_before_it_was_really_sent() {
    // The sink takes its time, and the publisher does not wait for so long.
    let stack = Stack::start(&["--concurrency", "1", "--env", "SINK_TIMEOUT_MS=100"]).await;
    let tables = Tables::of(&stack).await;
    stack.sink("slow").await;
    let created = post(&stack, &fresh_key()).send().await.expect(201);
    failed_batches(&stack, 2).await;
    let row = tables.outbox().await.remove(0);
    assert!(
        matches!(row.row.delivery, Delivery::Undelivered(_)),
        "{row:?}"
    );
    assert!(!row.ends);

    // It dies on the way, again and again.
    stack.sink("up").await;
    kill_at(&stack, "after_send").await;
    let events = exactly_one(&stack, &created).await;
    assert!(
        events.len() >= 2,
        "the send before the crash, and the one that was marked"
    );
    let row = tables.outbox().await.remove(0);
    assert!(
        matches!(row.row.delivery, Delivery::Delivered { .. }),
        "{row:?}"
    );
    assert!(row.ends);
}

/// The store, not the sink, is away between the send and the mark.
#[tokio::test]
async fn an_event_whose_mark_fails_is_sent_again_with_the_same_id() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    // Three attempts of one call of the SDK.
    stack
        .arm(&json!({ "function": "publish", "call": "UpdateItem", "fault": "unavailable", "times": 3 }))
        .await;
    let created = post(&stack, &fresh_key()).send().await.expect(201);
    assert_eq!(exactly_one(&stack, &created).await.len(), 2);
}

/// A sink that refuses an event for good does not hold up the next one.
#[tokio::test]
async fn a_poison_event_is_quarantined_and_never_dropped() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = Tables::of(&stack).await;
    stack.sink("poison").await;
    let _ = post(&stack, &fresh_key()).send().await.expect(201);
    eventually("the quarantine", async || {
        let row = &tables.outbox().await[0];
        matches!(row.row.delivery, Delivery::Quarantined { .. }).then_some(())
    })
    .await;
    stack.sink("up").await;
    let next = post(&stack, &fresh_key()).send().await.expect(201);
    assert_eq!(ids(&settled(&stack).await), announced(&next));
    stack.advance(30 * 86_400).await;
    let rows = tables.outbox().await;
    let [poison] = &rows[..] else {
        panic!("the delivered row has ended, the other has not: {rows:?}");
    };
    assert!(!poison.ends);
    let Delivery::Quarantined { reason, .. } = &poison.row.delivery else {
        panic!("{poison:?}");
    };
    assert_eq!(reason, "it answered 422");
}

/// With finite retries the mapping gives a batch up: its on-failure destination is told, and the row is left for the
/// sweeper.
#[tokio::test]
async fn what_the_mapping_gives_up_is_told_and_stays_undelivered() {
    let stack = Stack::start(&["--concurrency", "1", "--publish-retries", "0"]).await;
    let tables = Tables::of(&stack).await;
    kill_at(&stack, "after_send").await;
    let first = post(&stack, &fresh_key()).send().await.expect(201);
    let given_up = eventually("the on-failure record", async || {
        let records = stack.get("/_local/on-failure").send().await.json();
        records.as_array().unwrap().first().cloned()
    })
    .await;
    let context = &given_up["requestContext"];
    assert_eq!(context["condition"], "RetryAttemptsExhausted");
    assert_eq!(given_up["DDBStreamBatchInfo"]["batchSize"], 1);
    let row = tables.outbox().await.remove(0);
    assert!(
        matches!(row.row.delivery, Delivery::Undelivered(_)),
        "{row:?}"
    );
    assert!(!row.ends);

    let second = retried(&stack, &fresh_key()).await;
    let both = [announced(&first), announced(&second)].concat();
    eventually("the next event", async || {
        (ids(&stack.events().await) == both).then_some(())
    })
    .await;
}

/// Returns once this many batches of the publisher have failed.
async fn failed_batches(stack: &Stack, at_least: u64) {
    eventually("batches that fail", async || {
        let failed = &stack.metrics().await["streams"]["publish"]["failedInvocations"];
        (failed.as_u64().unwrap() >= at_least).then_some(())
    })
    .await;
}
