//! Reading decisions and operations.

use decide_once_tests::{Answer, Stack, shared::SharedStack};
use http::Method;
use serde_json::json;

use crate::support::{B0, asked, created, fresh_key, in_progress, owner_at_work, post, problem};

static STACK: SharedStack = SharedStack::new(&["--concurrency", "2"]);

async fn get(stack: &Stack, token: &str, path: &str) -> Answer {
    stack.get(path).token(token).send().await
}

#[tokio::test]
async fn a_decision_is_read_with_the_bytes_that_its_first_caller_got() {
    let stack = STACK.get().await;
    let first = created(post(&stack, &fresh_key(), B0).send().await);
    let path = first.answer.header("location").unwrap();
    let read = get(&stack, "tok-alpha", path).await.expect(200);
    assert_eq!(read.body, first.answer.body);
    for same in ["content-type", "content-digest"] {
        assert_eq!(read.header(same), first.answer.header(same));
    }
}

#[tokio::test]
async fn the_status_of_a_finished_operation_names_its_decision() {
    let stack = STACK.get().await;
    let first = created(post(&stack, &fresh_key(), B0).send().await);
    let path = format!("/v1/operations/{}", first.operation);
    let status = get(&stack, "tok-alpha", &path).await.expect(200);
    assert_eq!(status.header("cache-control"), Some("no-store"));
    let body = status.json();
    assert_eq!(body["operationId"], first.operation.as_str());
    assert_eq!(body["state"], "SUCCEEDED");
    assert_eq!(body["attempts"], 1);
    assert_eq!(body["decision"].as_str(), first.answer.header("location"));
    assert_eq!(body["outcome"], json!(null), "a status is no decision");
}

#[tokio::test]
async fn the_status_of_a_failed_operation_says_that_a_new_key_is_safe() {
    let stack = STACK.get().await;
    let answer = post(&stack, &fresh_key(), B0.replace("USD", "XXX"))
        .send()
        .await;
    let failed = problem(answer, 422, "decision-failed", "new-key");
    let path = format!("/v1/operations/{}", failed["operationId"].as_str().unwrap());
    let body = get(&stack, "tok-alpha", &path).await.expect(200).json();
    assert_eq!(body["state"], "FAILED_FINAL");
    assert_eq!(body["failure"], "decision-failed");
    assert_eq!(body["retry"], "new-key");
}

#[tokio::test]
async fn s06_what_is_another_tenants_looks_like_what_does_not_exist() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    let owner = owner_at_work(&stack, &key).await;
    let running = post(&stack, &key, B0).header("prefer", "wait=0");
    let operation = in_progress(running.send().await);
    let path = format!("/v1/operations/{operation}");
    let own = get(&stack, "tok-alpha", &path).await.expect(200).json();
    assert_eq!(own["state"], "PROCESSING");
    assert_eq!(own["retry"], "same-key");
    assert!(!operation.contains(&key));

    let decided = created(owner.await.unwrap());
    assert_eq!(decided.operation, operation);
    let decision = format!("/v1/decisions/{}", decided.decision);
    let unknown_operation = format!("/v1/operations/{}", "a".repeat(52));
    let unknown_decision = format!("/v1/decisions/{}", "a".repeat(26));
    let anothers = [
        get(&stack, "tok-beta", &path).await,
        get(&stack, "tok-alpha", &unknown_operation).await,
        get(&stack, "tok-alpha", "/v1/operations/no-id").await,
    ];
    let of_decisions = [
        get(&stack, "tok-beta", &decision).await,
        get(&stack, "tok-alpha", &unknown_decision).await,
        get(&stack, "tok-alpha", "/v1/decisions/no-id").await,
    ];
    for same in [anothers, of_decisions] {
        let [first, ..] = &same;
        let body = first.body.clone();
        for answer in same {
            assert_eq!(answer.body, body);
            problem(answer, 404, "not-found", "never");
        }
    }
    let html = stack.get(&path).token("tok-alpha");
    let html = html.header("accept", "text/html").send().await.expect(200);
    assert_eq!(html.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn health_says_ok_and_asks_nothing_of_the_store() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let health = stack.get("/health").send().await.expect(200);
    assert_eq!(health.json(), json!({ "status": "ok" }));
    assert_eq!(health.header("cache-control"), Some("no-store"));
    assert_eq!(asked(&stack).await, json!({}));
}

#[tokio::test]
async fn a_read_that_the_store_does_not_answer_is_unavailable() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let first = created(post(&stack, &fresh_key(), B0).send().await);
    for path in [
        format!("/v1/operations/{}", first.operation),
        format!("/v1/decisions/{}", first.decision),
    ] {
        stack
            .arm(&json!({ "call": "GetItem", "fault": "throttle", "times": 3 }))
            .await;
        let answer = get(&stack, "tok-alpha", &path).await;
        problem(answer, 503, "unavailable", "same-key");
        let _ = get(&stack, "tok-alpha", &path).await.expect(200);
    }
}

#[tokio::test]
async fn a_resource_has_its_methods_and_says_so() {
    let stack = STACK.get().await;
    let first = created(post(&stack, &fresh_key(), B0).send().await);
    let decision = format!("/v1/decisions/{}", first.decision);
    let operation = format!("/v1/operations/{}", first.operation);
    let resources = [
        ("/v1/decisions", "POST"),
        (decision.as_str(), "GET, HEAD"),
        (operation.as_str(), "GET, HEAD"),
        ("/v1/policies", "GET, HEAD"),
        ("/health", "GET, HEAD"),
    ];
    let brew = Method::from_bytes(b"BREW").unwrap();
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        brew,
    ];
    for (path, allowed) in resources {
        let is_allowed =
            |method: &Method| allowed.split(", ").any(|known| known == method.as_str());
        for method in methods.iter().filter(|method| !is_allowed(method)) {
            let request = stack.request(method.clone(), path).token("tok-alpha");
            let answer = request.key(&fresh_key()).json_text(B0).send().await;
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
            problem(answer, 405, "method-not-allowed", "never");
        }
        // As it would be read, or refused, without its body.
        let get = stack.get(path).token("tok-alpha").send().await;
        let head = stack.request(Method::HEAD, path).token("tok-alpha");
        let head = head.send().await.expect(get.status.as_u16());
        assert!(head.body.is_empty() && !get.body.is_empty());
        for (name, value) in &get.headers {
            let differs = ["apigw-requestid", "date"].contains(&name.as_str());
            assert!(differs || head.headers.get(name) == Some(value), "{name}");
        }
    }
}
