//! What is refused over HTTP, and that nothing of it is stored.

use decide_once_tests::shared::SharedStack;
use decide_once_tests::world::B0;
use decide_once_tests::{Answer, Description, Stack};
use http::Method;
use serde_json::Value;

static STACK: SharedStack = SharedStack::new(&["--auth", "required", "--concurrency", "2"]);

/// The problem's code and its advice.
#[track_caller]
fn problem(answer: &Answer, status: u16, code: &str) -> Value {
    assert_eq!(answer.status.as_u16(), status, "{answer:?}");
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    let body = answer.json();
    assert_eq!(body["type"], format!("urn:decide-once:problem:{code}"));
    assert_eq!(body["status"], status);
    body
}

/// The calls that the last request made to the store.
async fn store_calls(stack: &Stack) -> Value {
    stack.metrics().await["lastRequest"]["calls"]["byOperation"].clone()
}

#[tokio::test]
async fn h08_a_body_over_the_limit_is_refused_by_its_decoded_size() {
    let stack = STACK.get().await;
    let padded = |bytes: usize| format!("{B0}{}", " ".repeat(bytes - B0.len()));
    let largest = stack.decide("h08-largest", &padded(64 * 1024));
    let _ = largest.token("tok-alpha").send().await.expect(201);
    let larger = stack.decide("h08-larger", &padded(64 * 1024 + 1));
    let answer = larger.token("tok-alpha").send().await;
    let body = problem(&answer, 413, "body-too-large");
    assert_eq!(body["retry"], "never");
    // With a byte that is not UTF-8 the gateway sends it as base64, which is longer by a third.
    let mut broken = padded(64 * 1024).into_bytes();
    broken.truncate(64 * 1024 - 1);
    broken.push(0xff);
    let answer = stack
        .post("/v1/decisions")
        .key("h08-binary")
        .json_text(broken);
    let answer = answer.token("tok-alpha").send().await;
    problem(&answer, 400, "body-invalid");
    for free in ["h08-larger", "h08-binary"] {
        let _ = stack
            .decide(free, B0)
            .token("tok-alpha")
            .send()
            .await
            .expect(201);
    }
}

#[tokio::test]
async fn s03_no_other_path_query_or_method_shares_or_splits_a_key() {
    let stack = STACK.get().await;
    let key = "s03-key";
    let created = stack
        .decide(key, B0)
        .token("tok-alpha")
        .send()
        .await
        .expect(201);
    let at = |method: Method, path: &str| {
        let request = stack.request(method, path).key(key).json_text(B0);
        request.token("tok-alpha")
    };
    let answer = at(Method::POST, "/v1/decisions/").send().await;
    problem(&answer, 404, "route-unknown");
    let answer = at(Method::POST, "/v1/decision").send().await;
    problem(&answer, 404, "route-unknown");
    let answer = at(Method::POST, "/v1/decisions?dry_run=true").send().await;
    problem(&answer, 400, "query-invalid");
    for method in [Method::GET, Method::PUT, Method::PATCH, Method::DELETE] {
        let answer = at(method, "/v1/decisions").send().await;
        problem(&answer, 405, "method-not-allowed");
        assert_eq!(answer.header("allow"), Some("POST"));
    }
    let replay = stack
        .decide(key, B0)
        .token("tok-alpha")
        .send()
        .await
        .expect(200);
    assert_eq!(replay.body, created.body);
}

#[tokio::test]
async fn s04_callers_without_identity_are_refused_and_share_nothing() {
    let stack = STACK.get().await;
    let key = "s04-key";
    for request in [
        stack.decide(key, B0),
        stack.decide(key, B0).token("tok-gamma"),
        stack.get("/v1/policies"),
    ] {
        let answer = request.send().await;
        assert_eq!(answer.status.as_u16(), 401, "{answer:?}");
    }
    let _ = stack
        .decide(key, B0)
        .token("tok-alpha")
        .send()
        .await
        .expect(201);
}

#[tokio::test]
async fn what_is_nobodys_secret_needs_no_token_and_everything_else_is_refused_as_described() {
    let stack = STACK.get().await;
    for path in ["/health", "/openapi.json"] {
        let _ = stack.get(path).send().await.expect(200);
        let _ = stack.get(path).token("stolen").send().await.expect(200);
    }
    let api = Description::of(&stack).await;
    for path in ["/v1/policies", "/v1/policies/credit-limit/3"] {
        let refused = stack.get(path).send().await.expect(401);
        assert_eq!(refused.header("content-type"), Some("application/json"));
        assert_eq!(refused.json()["message"], "Unauthorized");
        api.holds_for(&Method::GET, path, &refused);
    }
}

#[tokio::test]
async fn s06_another_tenants_ids_are_answered_as_unknown_ones() {
    let stack = STACK.get().await;
    let created = stack
        .decide("s06-key", B0)
        .token("tok-alpha")
        .send()
        .await
        .expect(201);
    let body = created.json();
    let operation = body["operationId"].as_str().unwrap().to_owned();
    let decision = body["decisionId"].as_str().unwrap().to_owned();
    assert!(!operation.contains("s06-key"));
    let unknown = |id: &str| {
        // Another id of the same form: the first character of the hash is another one.
        let mut text = id.to_owned();
        let last = text.pop().unwrap();
        let before = text.pop().unwrap();
        text.push(if before == 'a' { 'b' } else { 'a' });
        text.push(last);
        text
    };
    for (resource, id) in [("operations", &operation), ("decisions", &decision)] {
        let get = |id: &str, token: &str| stack.get(&format!("/v1/{resource}/{id}")).token(token);
        let others = get(id, "tok-beta").send().await;
        problem(&others, 404, "not-found");
        let random = get(&unknown(id), "tok-beta").send().await;
        assert_eq!(random.body, others.body);
        let names = |answer: &Answer| {
            let mut names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
            names.sort();
            names
        };
        assert_eq!(names(&random), names(&others));
        let own = get(id, "tok-alpha").header("accept", "text/html");
        let own = own.send().await.expect(200);
        assert_eq!(own.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn a_token_without_the_scope_may_read_and_not_write() {
    let stack = Stack::start(&["--auth", "required", "--concurrency", "1"]).await;
    let answer = stack
        .decide("scopes", B0)
        .token("tok-alpha-read")
        .send()
        .await;
    let body = problem(&answer, 403, "forbidden");
    assert_eq!(body["retry"], "never");
    assert!(body["detail"].as_str().unwrap().contains("decisions:write"));
    let calls = store_calls(&stack).await;
    assert!(
        calls.as_object().is_none_or(|calls| calls.is_empty()),
        "{calls}"
    );
    let created = stack
        .decide("scopes", B0)
        .token("tok-alpha")
        .send()
        .await
        .expect(201);
    let location = created.header("location").unwrap();
    let read = stack.get(location).token("tok-alpha-read").send().await;
    assert_eq!(read.expect(200).body, created.body);
}
