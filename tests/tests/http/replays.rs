//! The same answer again, for as long as it was promised, to whom it belongs.

use decide_once_tests::{Stack, eventually, shared::SharedStack, signal};
use serde_json::json;

use crate::support::{
    B0, Created, asked, bad, commits_sent, created, events_of_one, fresh_key, in_progress,
    mismatch, owner_at_work, post, problem, with_facts,
};

static STACK: SharedStack = SharedStack::new(&["--concurrency", "2"]);

#[tokio::test]
async fn h11_a_replay_has_the_first_answers_bytes_location_and_digest() {
    let stack = STACK.get().await;
    for body in [
        B0.to_owned(),
        with_facts(r#"{"amount":12500,"riskBand":"low"}"#),
        B0.replace("acct-42", "\u{e9}\u{1f600} \\\"quoted\\\""),
    ] {
        let key = fresh_key();
        let first = created(post(&stack, &key, body.clone()).send().await);
        let retry = post(&stack, &key, body.clone()).send().await;
        assert_ne!(
            retry.header("apigw-requestid"),
            first.answer.header("apigw-requestid")
        );
        first.replayed_by(retry);
        first.replayed_by(post(&stack, &key, body).send().await);
    }
}

#[tokio::test]
async fn h11_a_recorded_failure_is_replayed_with_its_bytes_as_well() {
    let stack = STACK.get().await;
    let key = fresh_key();
    let no_rule = B0.replace("USD", "XXX");
    let first = post(&stack, &key, no_rule.clone()).send().await;
    assert_eq!(first.header("idempotent-replayed"), Some("false"));
    let retry = post(&stack, &key, no_rule).send().await;
    assert_eq!(retry.header("idempotent-replayed"), Some("true"));
    assert_eq!(retry.body, first.body);
    problem(first, 422, "decision-failed", "new-key");
    problem(retry, 422, "decision-failed", "new-key");
    mismatch(post(&stack, &key, B0).send().await);
}

#[tokio::test]
async fn s01_the_same_key_of_two_tenants_is_two_operations() {
    let stack = STACK.get().await;
    let key = fresh_key();
    let as_tenant = async |token| {
        let request = stack.post("/v1/decisions").token(token).key(&key);
        request.json_text(B0).send().await
    };
    let alpha = created(as_tenant("tok-alpha").await);
    let beta = created(as_tenant("tok-beta").await);
    assert_ne!(alpha.decision, beta.decision);
    assert_ne!(alpha.operation, beta.operation);
    beta.replayed_by(as_tenant("tok-beta").await);
    alpha.replayed_by(as_tenant("tok-alpha").await);
}

#[tokio::test]
async fn s04_an_unknown_token_shares_no_bucket_with_anybody() {
    let stack = Stack::start(&["--auth", "required", "--concurrency", "1"]).await;
    let key = fresh_key();
    let no_token = stack.post("/v1/decisions").key(&key).json_text(B0);
    assert_eq!(no_token.send().await.status, 401);
    let bad_token = stack.post("/v1/decisions").token("tok-gamma").key(&key);
    assert_eq!(bad_token.json_text(B0).send().await.status, 401);
    assert_eq!(asked(&stack).await, json!({}));
    created(post(&stack, &key, B0).send().await);
}

#[tokio::test]
async fn f02_a_client_that_lost_its_answer_gets_it_until_the_result_expires() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    // The client goes away while its operation is being committed.
    owner_at_work(&stack, &key).await.abort();
    let first = eventually("the decision", async || {
        let answer = post(&stack, &key, B0).send().await;
        if answer.status == 202 {
            in_progress(answer);
            return None;
        }
        Some(answer)
    })
    .await;
    assert_eq!(first.header("idempotent-replayed"), Some("true"));
    let first = Created::read(first.expect(200));
    events_of_one(&stack, &first).await;

    stack.advance(23 * 3_600 + 59 * 60).await;
    first.replayed_by(post(&stack, &key, B0).send().await);
    stack.advance(2 * 60).await;
    let expired = post(&stack, &key, B0).send().await;
    let expired = problem(expired, 409, "result-expired", "never");
    assert_eq!(expired["decisionId"], first.decision.as_str());
    let status = format!("/v1/operations/{}", first.operation);
    let gone = stack.get(&status).token("tok-alpha").send().await;
    let gone = problem(gone, 410, "result-gone", "never");
    assert_eq!(gone["decisionId"], first.decision.as_str());
    assert_eq!(gone["keyFreeFrom"], expired["keyFreeFrom"]);
    // The decision itself outlives its operation.
    let decision = stack.get(&format!("/v1/decisions/{}", first.decision));
    let decision = decision.token("tok-alpha").send().await.expect(200);
    assert_eq!(decision.body, first.answer.body);
}

#[tokio::test]
async fn f02_a_worker_that_dies_between_commit_and_answer_loses_nothing() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    // The commit is applied, its reply lost; while the SDK asks again, the process is killed.
    for fault in [
        json!({ "call": "TransactWriteItems", "fault": "reply_lost" }),
        json!({ "call": "TransactWriteItems", "fault": "delay", "ms": 60_000, "times": 2 }),
    ] {
        stack.arm(&fault).await;
    }
    let first = post(&stack, &key, B0);
    let first = tokio::spawn(async move { first.send().await });
    commits_sent(&stack, 2).await;
    let processes = stack.processes().await;
    let decide = processes
        .iter()
        .find(|process| process.function == "decide");
    signal::send("KILL", decide.unwrap().pid);
    assert_eq!(first.await.unwrap().status, 502);

    let replay = post(&stack, &key, B0).send().await.expect(200);
    assert_eq!(replay.header("idempotent-replayed"), Some("true"));
    assert_eq!(replay.header("idempotent-original-status"), Some("201"));
    let again = post(&stack, &key, B0).send().await.expect(200);
    assert_eq!(again.body, replay.body);
    events_of_one(&stack, &Created::read(replay)).await;
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_refused_also_under_a_key_that_is_in_use() {
    let stack = STACK.get().await;
    let key = fresh_key();
    let first = created(post(&stack, &key, B0).send().await);
    bad(post(&stack, &key, "{").send().await, "body-invalid");
    let invalid = B0.replace("12500", "-1");
    assert_eq!(
        mismatch(post(&stack, &key, invalid).send().await),
        ["/facts/amount"],
        "a live record answers before the policy's schema does"
    );
    first.replayed_by(post(&stack, &key, B0).send().await);
}
