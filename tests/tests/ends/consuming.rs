//! Consumers that die: each event has its effect once.

use decide_once_tests::{Stack, eventually};
use serde_json::{Value, json};

use crate::support::{SOON, ago, arm, credit, decided, event, fed, held, let_go, refund, refunded};

/// A consumer that dies before the effect, or after it and before it could say so: the message comes again, and the effect is there once.
#[tokio::test]
async fn k01_marked_before_worked() {
    for point in ["before_effect", "after_effect"] {
        let stack = Stack::start(&SOON).await;
        arm(&stack, point, "kill").await;
        stack.put("consume", refund("e.0", "acct-42", 500)).await;
        stack.drained("consume").await;
        assert_eq!(refunded(&stack, "acct-42").await, Some(500), "{point}");
        assert_eq!(fed(&stack, "consume", "failedInvocations").await, 1);
        assert_eq!(stack.queue("consume").await["received"], 2);
        assert!(stack.messages("consume-dead").await.is_empty());
    }
}

/// The effect is elsewhere: a worker that dies after it leaves it to the next one, which asks again under the same key. The other side sees one
/// key, and two calls at most.
#[tokio::test]
async fn n10_takeover_and_outside_effects() {
    for (point, calls) in [("before_effect", 1), ("after_effect", 2)] {
        let stack = Stack::start(&SOON).await;
        arm(&stack, point, "kill").await;
        let review = event(
            "e.1",
            "com.example.refund.review-requested",
            "acct-42",
            &json!({ "line": 1 }),
        );
        stack.put("consume", review.to_string()).await;
        eventually("the worker's death", async || {
            (fed(&stack, "consume", "failedInvocations").await == 1).then_some(())
        })
        .await;
        // Its claim is alive, as far as anybody knows: the message fails, and comes again.
        eventually("a message that fails", async || {
            (fed(&stack, "consume", "failed").await > 0).then_some(())
        })
        .await;
        assert_eq!(stack.reviews().await.len(), calls - 1);
        stack.advance(10).await;
        stack.drained("consume").await;
        let reviews = stack.reviews().await;
        let [review] = &reviews[..] else {
            panic!("{reviews:?}");
        };
        assert_eq!(review["calls"], calls, "{point}");
        assert_eq!(review["review"]["event"], "e.1");
        assert_eq!(review["key"].as_str().unwrap().len(), 52);
        assert!(!review["key"].as_str().unwrap().contains("acct"));
        // A copy of what is done asks for nothing any more.
        let copy = event(
            "e.1",
            "com.example.refund.review-requested",
            "acct-42",
            &json!({ "line": 1 }),
        );
        stack.put("consume", copy.to_string()).await;
        stack.drained("consume").await;
        assert_eq!(stack.reviews().await[0]["calls"], calls);
    }
}

/// The publisher dies between the sink and its mark, and sends again: the consumer applies the event once.
#[tokio::test]
async fn o01_sent_twice_applied_once() {
    let stack = Stack::start(&SOON).await;
    arm(&stack, "after_send", "kill").await;
    let _ = stack
        .decide("o01", &credit("acct-42", 12_500))
        .send()
        .await
        .expect(201);
    eventually("two deliveries", async || {
        (stack.events().await.len() == 2).then_some(())
    })
    .await;
    eventually("both handled", async || {
        (fed(&stack, "consume", "done").await == 2).then_some(())
    })
    .await;
    let events = stack.events().await;
    assert_eq!(events[0], events[1]);
    let balance = &stack.balances().await["acct-42"];
    assert_eq!(balance["sums"], json!({ "decided": 1 }));
    assert_eq!(balance["standing"]["by"], events[0]["id"]);
    let duplicates = stack.output().matches(r#""duplicates":1"#).count();
    assert_eq!(duplicates, 1, "counted");
}

/// A consumer that has the event before the caller has the 201 finds the decision, by its id, and the operation's success.
#[tokio::test]
async fn k06_consumer_sees_the_event_before_the_caller_sees_201() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    arm(&stack, "after_commit", "hold").await;
    let call = tokio::spawn(stack.decide("k06", &credit("acct-42", 12_500)).send());
    held(&stack, "after_commit").await;
    eventually("the consumer's effect", async || {
        stack.balances().await.get("acct-42").map(|_| ())
    })
    .await;
    assert!(!call.is_finished(), "its caller waits");
    let event = stack.events().await.remove(0);
    let id = event["decisionid"].as_str().unwrap();
    let decision = stack.get(&format!("/v1/decisions/{id}")).send().await;
    let operation = decision.expect(200).json()["operationId"].clone();
    let operation = operation.as_str().unwrap();
    let status = stack
        .get(&format!("/v1/operations/{operation}"))
        .send()
        .await;
    assert_eq!(status.expect(200).json()["state"], "SUCCEEDED");
    let_go(&stack).await;
    let created = call.await.unwrap().expect(201);
    assert_eq!(created.json()["decisionId"], id);
}

/// Absolute, by compare-and-set: of two decisions the later one stands, whichever comes first; and each is counted.
#[tokio::test]
async fn what_stands_is_what_was_decided_last_whatever_the_order_of_arrival() {
    let stack = Stack::start(&[]).await;
    let (early, late) = (ago(60), ago(59));
    for (subject, order) in [("a", [&early, &late]), ("b", [&late, &early])] {
        for (number, time) in order.into_iter().enumerate() {
            let decision = if *time == late { "approve" } else { "refer" };
            let id = format!("{subject}{number}.0");
            stack
                .put("consume", decided(&id, subject, time, decision))
                .await;
            stack.drained("consume").await;
        }
        let balance = stack.balances().await[subject].clone();
        assert_eq!(balance["standing"]["decision"], "approve", "{subject}");
        assert_eq!(balance["sums"]["decided"], 2);
    }
}

/// One that cannot be an event is an item failure, said with its reason, until its queue's dead-letter queue has it; those beside it are done.
#[tokio::test]
async fn a_poison_message_goes_to_the_dead_letter_queue_alone() {
    let args = [&SOON[..], &["--queue-receives", "3"]].concat();
    let stack = Stack::start(&args).await;
    let impossible = event(
        "e.2",
        "com.example.refund.approved",
        "acct-42",
        &json!({ "refund": "secret-1" }),
    );
    arm(&stack, "before_effect", "hold").await;
    stack.put("consume", refund("e.0", "acct-42", 100)).await;
    held(&stack, "before_effect").await;
    // All in the next batch.
    for body in [
        "no event",
        &impossible.to_string(),
        &refund("e.1", "acct-42", 20),
    ] {
        stack.put("consume", body.to_owned()).await;
    }
    let_go(&stack).await;
    eventually("two dead letters", async || {
        (stack.messages("consume-dead").await.len() == 2).then_some(())
    })
    .await;
    stack.drained("consume").await;
    assert_eq!(
        refunded(&stack, "acct-42").await,
        Some(120),
        "what comes behind is not held up"
    );
    assert_eq!(
        fed(&stack, "consume", "failed").await,
        6,
        "two, three times"
    );
    let output = stack.output();
    assert!(output.contains(r#""alarm":"event-poison""#));
    assert!(
        output.contains("its data has no name where it should be"),
        "{output}"
    );
    assert!(!output.contains("secret-1"));
}

/// The store is away between the effect and its answer: the transaction is sent again, or read back.
#[tokio::test]
async fn an_effect_whose_answer_is_lost_is_had_once() {
    for fault in ["reply_lost", "request_lost", "conflict"] {
        let stack = Stack::start(&SOON).await;
        stack
            .arm(&json!({ "function": "consume", "call": "TransactWriteItems", "fault": fault, "times": 3 }))
            .await;
        stack.put("consume", refund("e.0", "acct-42", 500)).await;
        stack.drained("consume").await;
        assert_eq!(refunded(&stack, "acct-42").await, Some(500), "{fault}");
    }
}

/// Behind an event that fails for now, the later ones of its subject fail as well; those of another subject do not.
#[tokio::test]
async fn the_events_of_a_subject_stay_in_order_within_a_batch() {
    let stack = Stack::start(&["--queue-visibility-ms", "2000"]).await;
    arm(&stack, "before_effect", "hold").await;
    stack.put("consume", refund("e.0", "first", 1)).await;
    held(&stack, "before_effect").await;
    // Nobody can read what stands, five times: what is decided of `a` waits, and what comes behind it.
    stack
        .arm(&json!({ "function": "consume", "call": "GetItem", "fault": "throttle", "times": 3 }))
        .await;
    stack
        .put("consume", decided("e.1", "a", &ago(60), "refer"))
        .await;
    stack.put("consume", refund("e.2", "a", 10)).await;
    stack.put("consume", refund("e.3", "b", 10)).await;
    let_go(&stack).await;
    eventually("the other subject", async || refunded(&stack, "b").await).await;
    assert_eq!(refunded(&stack, "a").await, None);
    stack.drained("consume").await;
    let balance = stack.balances().await["a"].clone();
    assert_eq!(balance["sums"], json!({ "decided": 1, "refunded:EUR": 10 }));
    assert_eq!(fed(&stack, "consume", "failed").await, 2);
}

/// A review desk or an effect of another consumer is not this one's: acknowledged, and nothing happens.
#[tokio::test]
async fn an_event_of_a_kind_that_nobody_here_knows_is_acknowledged() {
    let stack = Stack::start(&[]).await;
    let other = event("e.0", "com.example.other", "acct-42", &Value::Null);
    stack.put("consume", other.to_string()).await;
    stack.drained("consume").await;
    assert!(stack.balances().await.is_empty());
    assert!(stack.messages("consume-dead").await.is_empty());
}
