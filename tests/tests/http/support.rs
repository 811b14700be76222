//! What callers send, and what every answer of a kind must have.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use decide_once_tests::{Answer, Request, Stack, eventually};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;

/// The body of the cases.
pub(crate) const B0: &str =
    r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

/// A key that no other test has.
pub(crate) fn fresh_key() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("7b6f0c1e-2f5a-4a57-9f0e-{number:012}")
}

/// `B0` with other facts.
pub(crate) fn with_facts(facts: &str) -> String {
    format!(r#"{{"policy":"credit-limit","subject":"acct-42","facts":{facts}}}"#)
}

/// `POST /v1/decisions` of tenant alpha.
pub(crate) fn post(stack: &Stack, key: &str, body: impl Into<Vec<u8>>) -> Request {
    stack
        .post("/v1/decisions")
        .token("tok-alpha")
        .key(key)
        .json_text(body.into())
}

/// A call that has reserved its key and stays at its commit for four seconds: the SDK gives two sends of it up after two seconds each,
/// the third one is answered.
pub(crate) async fn owner_at_work(stack: &Stack, key: &str) -> JoinHandle<Answer> {
    stack
        .arm(&json!({ "call": "TransactWriteItems", "fault": "delay", "ms": 60_000, "times": 2 }))
        .await;
    let call = post(stack, key, B0);
    let owner = tokio::spawn(async move { call.send().await });
    commits_sent(stack, 1).await;
    owner
}

/// What the decide function has asked of the store so far, by API operation.
pub(crate) async fn asked(stack: &Stack) -> Value {
    stack.metrics().await["dynamodbByFunction"]["decide"].clone()
}

/// The events of a decision arrive, each under its own id; none of another decision does. (One event may arrive twice.)
pub(crate) async fn events_of_one(stack: &Stack, created: &Created) {
    let body = created.answer.json();
    let ids = |events: &[Value]| -> BTreeSet<String> {
        events
            .iter()
            .map(|event| event["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let expected = ids(body["events"].as_array().unwrap());
    eventually("the events of the decision", async || {
        let arrived = ids(&stack.events().await);
        assert!(arrived.is_subset(&expected), "{arrived:?}");
        (arrived == expected).then_some(())
    })
    .await;
}

/// Returns once this many commits have been sent.
pub(crate) async fn commits_sent(stack: &Stack, at_least: u64) {
    eventually("a commit", async || {
        let sent = &asked(stack).await["TransactWriteItems"]["calls"];
        sent.as_u64()
            .is_some_and(|sent| sent >= at_least)
            .then_some(())
    })
    .await;
}

/// A decision and where it is.
pub(crate) struct Created {
    pub(crate) answer: Answer,
    pub(crate) decision: String,
    pub(crate) operation: String,
}

/// 201 with all that belongs to it.
#[track_caller]
pub(crate) fn created(answer: Answer) -> Created {
    let answer = answer.expect(201);
    let created = Created::read(answer);
    let answer = &created.answer;
    let location = format!("/v1/decisions/{}", created.decision);
    assert_eq!(answer.header("location"), Some(location.as_str()));
    assert_eq!(answer.header("idempotent-replayed"), Some("false"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("idempotent-original-status"), None);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        answer.header("content-digest").unwrap(),
        digest(&answer.body)
    );
    created
}

impl Created {
    /// A decision as any answer tells it.
    #[track_caller]
    pub(crate) fn read(answer: Answer) -> Self {
        let body = answer.json();
        assert_eq!(body["status"], "SUCCEEDED");
        let member = |name: &str| body[name].as_str().unwrap().to_owned();
        Self {
            decision: member("decisionId"),
            operation: member("operationId"),
            answer,
        }
    }

    /// Whether `answer` is this one's replay: 200, the marker, the same bytes, and the headers that belong to them.
    #[track_caller]
    pub(crate) fn replayed_by(&self, answer: Answer) {
        let answer = answer.expect(200);
        assert_eq!(answer.body, self.answer.body);
        assert_eq!(answer.header("idempotent-replayed"), Some("true"));
        assert_eq!(answer.header("idempotent-original-status"), Some("201"));
        for same in [
            "location",
            "content-type",
            "content-digest",
            "cache-control",
        ] {
            assert_eq!(answer.header(same), self.answer.header(same), "{same}");
        }
    }
}

/// RFC 9530.
fn digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", BASE64_STANDARD.encode(Sha256::digest(body)))
}

/// 202 with all that belongs to it; the operation's id.
#[track_caller]
pub(crate) fn in_progress(answer: Answer) -> String {
    let answer = answer.expect(202);
    let body = answer.json();
    let operation = body["operationId"].as_str().unwrap();
    let location = format!("/v1/operations/{operation}");
    assert_eq!(answer.header("location"), Some(location.as_str()));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(retry_after(&answer) >= 1);
    assert_eq!(body["state"], "PROCESSING");
    assert_eq!(body["retry"], "same-key");
    for of_a_decision in ["status", "outcome", "decisionId"] {
        assert_eq!(body[of_a_decision], Value::Null, "{body}");
    }
    operation.to_owned()
}

/// `Retry-After` in seconds.
#[track_caller]
pub(crate) fn retry_after(answer: &Answer) -> u64 {
    answer.header("retry-after").unwrap().parse().unwrap()
}

/// Problem Details of this kind with this advice; the body.
#[track_caller]
pub(crate) fn problem(answer: Answer, status: u16, code: &str, retry: &str) -> Value {
    let answer = answer.expect(status);
    let body = answer.json();
    assert_eq!(
        body["type"],
        format!("urn:decide-once:problem:{code}"),
        "{body}"
    );
    assert_eq!(body["status"], status);
    assert_eq!(body["retry"], retry, "{body}");
    for text in ["title", "detail"] {
        assert!(!body[text].as_str().unwrap().is_empty(), "{body}");
    }
    let media_type = answer.header("content-type");
    assert_eq!(media_type, Some("application/problem+json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        answer.header("retry-after").is_some(),
        retry == "same-key",
        "{answer:?}"
    );
    body
}

/// 400, for good.
#[track_caller]
pub(crate) fn bad(answer: Answer, code: &str) -> Value {
    problem(answer, 400, code, "never")
}

/// 409 for another request under a key; the pointers.
#[track_caller]
pub(crate) fn mismatch(answer: Answer) -> Vec<String> {
    let body = problem(answer, 409, "key-reused", "never");
    serde_json::from_value(body["pointers"].clone()).unwrap()
}

/// A refused request left its key free: the next one gets a decision of its own.
pub(crate) async fn still_free(stack: &Stack, key: &str) {
    created(post(stack, key, B0).send().await);
}
