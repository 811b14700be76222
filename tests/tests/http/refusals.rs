//! Requests that are refused before anything is asked of the store.

use decide_once_tests::{Answer, Stack};
use http::Method;
use serde_json::json;

use crate::support::{B0, asked, bad, created, fresh_key, post, problem, still_free, with_facts};

/// Every way in which a body is no decision request.
const NO_REQUESTS: [&str; 26] = [
    "",
    " ",
    "{",
    "nul",
    "null",
    "true",
    "12500",
    r#""text""#,
    "[]",
    "{}",
    "[{}]",
    "{'policy':'credit-limit'}",
    r#"{"policy":"credit-limit","subject":"s","facts":{},}"#,
    r#"{"policy":"credit-limit","subject":"s","facts":{"amount":01}}"#,
    r#"{"policy":"credit-limit","subject":"s","facts":{"amount":NaN}}"#,
    r#"{"policy":"credit-limit","subject":"s","facts":{"amount":1}} // comment"#,
    r#"{"policy":"credit-limit","subject":"\ud83d","facts":{}}"#,
    r#"{"subject":"s","facts":{}}"#,
    r#"{"policy":"credit-limit","facts":{}}"#,
    r#"{"policy":"credit-limit","subject":"s"}"#,
    r#"{"policy":"Credit Limit","subject":"s","facts":{}}"#,
    r#"{"policy":"credit-limit","subject":"","facts":{}}"#,
    r#"{"policy":"credit-limit","subject":7,"facts":{}}"#,
    r#"{"policy":"credit-limit","subject":"s","facts":[]}"#,
    r#"{"policy":"credit-limit","version":"3","subject":"s","facts":{}}"#,
    r#"{"policy":"credit-limit","version":0,"subject":"s","facts":{}}"#,
];

#[tokio::test]
async fn a_malformed_request_is_told_what_is_wrong_and_nothing_is_asked_of_the_store() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    for body in NO_REQUESTS {
        bad(post(&stack, &key, body).send().await, "body-invalid");
    }
    let unknown = B0.replace(r#""facts""#, r#""fact":1,"facts""#);
    let problem_of_it = bad(post(&stack, &key, unknown).send().await, "body-invalid");
    assert!(problem_of_it["detail"].as_str().unwrap().contains("/fact"));
    let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
    let deep = with_facts(&format!(r#"{{"amount":1,"deep":{deep}}}"#));
    bad(post(&stack, &key, deep).send().await, "body-invalid");
    let digits = B0.replace("12500", &"1".repeat(65));
    bad(post(&stack, &key, digits).send().await, "body-invalid");

    for query in ["dry_run=true", "a", "=", "a=%ff%zz", "key=value&key=value"] {
        let request = stack.post(&format!("/v1/decisions?{query}"));
        let answer = request.key(&key).json_text(B0).send().await;
        bad(answer, "query-invalid");
    }
    for path in [
        "/",
        "/v1",
        "/v1/decisions/",
        "/V1/decisions",
        "//v1/decisions",
        "/v1/%64ecisions",
        "/v1/decisions/../decisions",
        "/v1/decisions/a/b",
        "/v2/decisions",
    ] {
        let answer = stack.post(path).key(&key).json_text(B0).send().await;
        problem(answer, 404, "route-unknown", "never");
    }
    assert_eq!(asked(&stack).await, json!({}));
    still_free(&stack, &key).await;
}

/// A POST whose body has this media type, if any.
async fn with_media_type(stack: &Stack, key: &str, media_type: Option<&str>) -> Answer {
    let request = stack.post("/v1/decisions").token("tok-alpha").key(key);
    let request = match media_type {
        Some(media_type) => request.header("content-type", media_type),
        None => request,
    };
    request.body(B0).send().await
}

#[tokio::test]
async fn c15_media_type_parameters() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    for other in [
        "application/json; charset=utf-16le",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
    ] {
        let answer = with_media_type(&stack, &key, Some(other)).await;
        problem(answer, 415, "media-type-unsupported", "never");
    }
    assert_eq!(asked(&stack).await, json!({}));
    let first = Some("application/json; charset=utf-8");
    let first = created(with_media_type(&stack, &key, first).await);
    for same in [
        Some("application/json"),
        Some("APPLICATION/JSON;charset=\"UTF-8\""),
        None,
    ] {
        first.replayed_by(with_media_type(&stack, &key, same).await);
    }
}

#[tokio::test]
async fn a_body_is_taken_up_to_64_kib() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    let frame = with_facts(r#"{"amount":1,"memo":""}"#).len();
    let sized = |bytes: usize| {
        let memo = "m".repeat(bytes - frame);
        with_facts(&format!(r#"{{"amount":1,"memo":"{memo}"}}"#))
    };
    let answer = post(&stack, &key, sized(64 * 1024 + 1)).send().await;
    problem(answer, 413, "body-too-large", "never");
    // Not UTF-8: it arrives as base64, and what counts are its decoded bytes.
    let answer = post(&stack, &key, vec![0xff; 64 * 1024 + 1]).send().await;
    problem(answer, 413, "body-too-large", "never");
    bad(
        post(&stack, &key, vec![0xff; 64 * 1024]).send().await,
        "body-invalid",
    );
    assert_eq!(asked(&stack).await, json!({}));
    created(post(&stack, &key, sized(64 * 1024)).send().await);
}

#[tokio::test]
async fn what_the_policy_refuses_is_stored_nowhere_and_found_by_a_read_only() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    for (body, code, pointers) in [
        (
            B0.replace("12500", "-1"),
            "facts-invalid",
            json!(["/facts/amount"]),
        ),
        (
            with_facts(r#"{"amount":"secret","currency":"usd"}"#),
            "facts-invalid",
            json!(["/facts/amount", "/facts/currency"]),
        ),
        (with_facts("{}"), "facts-invalid", json!(["/facts/amount"])),
        (
            B0.replace("credit-limit", "no-such-policy"),
            "policy-unknown",
            json!(null),
        ),
        (
            B0.replace(r#""subject""#, r#""version":4294967295,"subject""#),
            "policy-unknown",
            json!(null),
        ),
    ] {
        let answer = post(&stack, &key, body).send().await;
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(!text.contains("secret") && !text.contains("usd"), "{text}");
        let problem = problem(answer, 422, code, "never");
        assert_eq!(problem["pointers"], pointers);
    }
    let asked = asked(&stack).await;
    let calls = asked.as_object().unwrap();
    assert_eq!(calls.keys().collect::<Vec<_>>(), ["GetItem"]);
    still_free(&stack, &key).await;
}

#[tokio::test]
async fn s03_same_key_other_method_path_or_parameter() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    let send = async |method: Method, path: &str| {
        let request = stack.request(method, path).token("tok-alpha").key(&key);
        request.json_text(B0).send().await
    };
    let first = created(send(Method::POST, "/v1/decisions").await);
    let before = asked(&stack).await;
    for elsewhere in ["/v1/decisions/", "/v1/decision"] {
        let answer = send(Method::POST, elsewhere).await;
        problem(answer, 404, "route-unknown", "never");
    }
    bad(
        send(Method::POST, "/v1/decisions?dry_run=true").await,
        "query-invalid",
    );
    for method in [Method::GET, Method::PUT, Method::PATCH, Method::DELETE] {
        let answer = send(method, "/v1/decisions").await;
        assert_eq!(answer.header("allow"), Some("POST"));
        problem(answer, 405, "method-not-allowed", "never");
    }
    assert_eq!(asked(&stack).await, before);
    first.replayed_by(send(Method::POST, "/v1/decisions").await);
}
