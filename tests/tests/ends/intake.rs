//! Decision requests from queues and buses: the same operations as the HTTP API's, acknowledged by a recorded answer only.

use decide_once_tests::{Stack, eventually};
use serde_json::{Value, json};

use crate::support::{SOON, arm, credit, fed, held, let_go};

/// Puts a request with its key as a message attribute.
async fn ask(stack: &Stack, key: &str, body: &str) {
    let sent = stack.post("/_local/queues/intake").key(key);
    let _ = sent.body(body.to_owned()).send().await.expect(202);
}

/// The one dead letter, and its problem.
async fn refused(stack: &Stack) -> (Value, Value) {
    let letters = eventually("a dead letter", async || {
        let letters = stack.messages("intake-dead").await;
        (!letters.is_empty()).then_some(letters)
    })
    .await;
    let [letter] = <[_; 1]>::try_from(letters).unwrap();
    let problem = letter["attributes"]["Problem"].as_str().unwrap();
    let problem = serde_json::from_str(problem).unwrap();
    (letter, problem)
}

/// However it comes: one operation, one decision, one set of events.
#[tokio::test]
async fn one_key_is_one_operation_by_http_queue_and_bus() {
    let stack = Stack::start(&[]).await;
    let body = credit("acct-42", 12_500);
    ask(&stack, "order-7", &body).await;
    stack.drained("intake").await;
    let replay = stack.decide("order-7", &body).send().await.expect(200);
    assert_eq!(replay.header("idempotent-replayed"), Some("true"));
    ask(&stack, r#""order-7""#, &body).await;
    stack
        .put("intake", format!(r#"{{"key":"order-7","request":{body}}}"#))
        .await;
    let event = format!(r#"{{"id":"order-7","detail":{body}}}"#);
    let bus = stack.post("/_local/bus").body(event.clone()).send().await;
    assert_eq!(bus.expect(200).json()["attempts"], 1);
    stack
        .put(
            "intake",
            event.replace(r#""detail""#, r#""source":"s","detail-type":"t","detail""#),
        )
        .await;
    stack.drained("intake").await;
    eventually("the events", async || {
        (fed(&stack, "consume", "done").await == 1).then_some(())
    })
    .await;
    assert_eq!(stack.events().await.len(), 1);
    assert!(stack.messages("intake-dead").await.is_empty());
    assert_eq!(stack.output().matches(r#""outcome":"replayed""#).count(), 5);
}

/// A worker that dies at any point: the message comes again, and the decision is one.
#[tokio::test]
async fn an_intake_that_dies_is_followed_by_another() {
    for point in ["after_reserve", "before_commit", "after_commit"] {
        let stack = Stack::start(&SOON).await;
        arm(&stack, point, "kill").await;
        ask(&stack, "order-7", &credit("acct-42", 12_500)).await;
        eventually("the worker's death", async || {
            (fed(&stack, "intake", "failedInvocations").await == 1).then_some(())
        })
        .await;
        if point != "after_commit" {
            // Its lease is alive: 202 fails the message.
            eventually("a message that fails", async || {
                (fed(&stack, "intake", "failed").await > 0).then_some(())
            })
            .await;
            stack.advance(31).await;
        }
        stack.drained("intake").await;
        assert!(stack.messages("intake-dead").await.is_empty(), "{point}");
        let replay = stack
            .decide("order-7", &credit("acct-42", 12_500))
            .send()
            .await;
        let _ = replay.expect(200);
        eventually("the effect", async || {
            stack.balances().await.get("acct-42").map(|_| ())
        })
        .await;
        assert_eq!(stack.events().await.len(), 1);
    }
}

/// Nothing was decided while the store was away, and the message is still there when it is back.
#[tokio::test]
async fn a_message_outlives_a_store_that_is_away() {
    let stack = Stack::start(&SOON).await;
    stack
        .arm(&json!({ "function": "intake", "call": "*", "fault": "unavailable", "times": 10_000 }))
        .await;
    ask(&stack, "order-7", &credit("acct-42", 12_500)).await;
    eventually("messages that fail", async || {
        (fed(&stack, "intake", "failed").await > 1).then_some(())
    })
    .await;
    assert!(stack.messages("intake-dead").await.is_empty());
    let heal = stack.request(http::Method::DELETE, "/_local/faults");
    let _ = heal.send().await.expect(200);
    stack.advance(31).await;
    stack.drained("intake").await;
    let replay = stack
        .decide("order-7", &credit("acct-42", 12_500))
        .send()
        .await;
    let _ = replay.expect(200);
}

/// Refused for good and recorded nowhere: to the dead-letter queue, as it was, with the HTTP API's own problem, and no value of it.
#[tokio::test]
async fn what_is_refused_goes_to_the_dead_letter_queue_with_its_problem() {
    for (key, body, code) in [
        (Some("k"), credit("acct-secret", -1), "facts-invalid"),
        (
            Some("k"),
            credit("acct-secret", 1).replace("credit-limit", "no-such-policy"),
            "policy-unknown",
        ),
        (Some("k"), "no json".to_owned(), "body-invalid"),
        (None, credit("acct-secret", 1), "key-missing"),
        (Some("a, b"), credit("acct-secret", 1), "key-invalid"),
    ] {
        let stack = Stack::start(&[]).await;
        match key {
            Some(key) => ask(&stack, key, &body).await,
            None => stack.put("intake", body.clone()).await,
        }
        let (letter, problem) = refused(&stack).await;
        assert_eq!(problem["type"], format!("urn:decide-once:problem:{code}"));
        assert_eq!(problem["retry"], "never");
        assert_eq!(
            (&letter["body"], letter["attributes"].get("Idempotency-Key")),
            (&json!(body), key.map(|key| json!(key)).as_ref())
        );
        stack.drained("intake").await;
        assert!(!stack.output().contains("acct-secret"), "{code}");
    }
}

/// Another request under a key that is taken; and once the key's owner is known, the letter can be handed in under another.
#[tokio::test]
async fn a_key_that_is_taken_is_refused_and_never_decided() {
    let stack = Stack::start(&[]).await;
    ask(&stack, "order-7", &credit("acct-42", 12_500)).await;
    stack.drained("intake").await;
    ask(&stack, "order-7", &credit("acct-42", 99_900)).await;
    let (_, problem) = refused(&stack).await;
    assert_eq!(problem["type"], "urn:decide-once:problem:key-reused");
    assert_eq!(problem["pointers"], json!(["/facts/amount"]));
    eventually("the events", async || {
        (fed(&stack, "consume", "done").await == 1).then_some(())
    })
    .await;
    assert_eq!(stack.events().await.len(), 1);
}

/// A recorded failure is a final answer, however often it is asked for.
#[tokio::test]
async fn a_recorded_failure_is_acknowledged() {
    let stack = Stack::start(&[]).await;
    let body = credit("acct-42", 1).replace(r#""amount":1"#, r#""amount":1,"currency":"XXX""#);
    for outcomes in 1..=2 {
        ask(&stack, "order-7", &body).await;
        stack.drained("intake").await;
        let recorded = stack
            .output()
            .matches(r#""outcome":"decision-failed""#)
            .count();
        assert_eq!(recorded, outcomes);
    }
    assert!(stack.messages("intake-dead").await.is_empty());
    let replay = stack.decide("order-7", &body).send().await.expect(422);
    assert_eq!(replay.header("idempotent-replayed"), Some("true"));
}

/// The tenant is the queue's: what a message says of itself is refused, or a fact like any other.
#[tokio::test]
async fn a_message_cannot_choose_its_tenant() {
    let stack = Stack::start(&[]).await;
    let body = credit("acct-42", 12_500);
    stack
        .put(
            "intake",
            format!(r#"{{"key":"k","tenant":"t-beta","request":{body}}}"#),
        )
        .await;
    let (_, problem) = refused(&stack).await;
    assert_eq!(problem["type"], "urn:decide-once:problem:body-invalid");
    ask(&stack, "k", &body).await;
    stack.drained("intake").await;
    let theirs = stack.decide("k", &body).token("tok-beta").send().await;
    assert_eq!(
        theirs.expect(201).header("idempotent-replayed"),
        Some("false")
    );
    let own = stack.decide("k", &body).send().await;
    let _ = own.expect(200);
}

/// An event whose operation somebody else is at fails its invocation: tried again, and in the end its destination has it.
#[tokio::test]
async fn an_event_of_a_bus_that_has_no_answer_is_tried_again_and_kept() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let body = credit("acct-42", 12_500);
    arm(&stack, "before_commit", "hold").await;
    let call = tokio::spawn(stack.decide("order-7", &body).send());
    held(&stack, "before_commit").await;
    let event = json!({ "id": "order-7", "detail": serde_json::from_str::<Value>(&body).unwrap() });
    let kept = stack
        .post("/_local/bus")
        .json(&event)
        .send()
        .await
        .expect(502);
    assert_eq!(
        kept.json(),
        json!({ "attempts": 3, "onFailure": "intake-dead" })
    );
    assert_eq!(stack.messages("intake-dead").await.len(), 1);
    let_go(&stack).await;
    let _ = call.await.unwrap().expect(201);
    let again = stack.post("/_local/queues/intake/redrive").send().await;
    assert_eq!(again.expect(200).json()["redriven"], 1);
    stack.drained("intake").await;
    assert!(stack.output().contains(r#""outcome":"replayed""#));
}

/// With a pointer the key is the event's own business, and a producer's second send is the same operation.
#[tokio::test]
async fn a_buss_key_can_be_in_its_detail() {
    let stack = Stack::start(&["--env", "INTAKE_KEY_POINTER=/subject"]).await;
    let detail: Value = serde_json::from_str(&credit("order-7", 12_500)).unwrap();
    for _ in 0..2 {
        let sent = stack.post("/_local/bus").json(&json!({ "detail": detail }));
        let _ = sent.send().await.expect(200);
    }
    let replay = stack
        .decide("order-7", &credit("order-7", 12_500))
        .send()
        .await;
    let _ = replay.expect(200);
    assert_eq!(stack.output().matches(r#""outcome":"decided""#).count(), 1);
}
