//! What the gateway answers by itself.

use http::Method;

use crate::start;

#[tokio::test]
async fn a_required_token_that_is_missing_or_unknown_is_refused_before_the_function() {
    let stack = start(&["--auth", "required", "--concurrency", "1"]).await;
    let missing = stack.get("/v1/policies").send().await.expect(401);
    assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
    assert_eq!(missing.json()["message"], "Unauthorized");
    let _ = stack
        .get("/v1/policies")
        .token("tok-gamma")
        .send()
        .await
        .expect(401);
    let known = stack.get("/v1/policies").token("tok-alpha").send().await;
    assert!(known.status.as_u16() != 401, "{known:?}");
    assert_eq!(stack.metrics().await["functions"]["decide"]["started"], 1);
}

#[tokio::test]
async fn a_route_without_an_authorizer_looks_at_no_token() {
    let stack = start(&["--auth", "required", "--concurrency", "1"]).await;
    for path in ["/health", "/openapi.json"] {
        let _ = stack.get(path).send().await.expect(200);
        let _ = stack.get(path).token("tok-gamma").send().await.expect(200);
        // The route is that of one method.
        let post = stack.post(path).send().await;
        let _ = post.expect(401);
    }
}

#[tokio::test]
async fn an_optional_token_that_is_unknown_is_refused_all_the_same() {
    let stack = start(&["--concurrency", "1"]).await;
    let _ = stack
        .get("/v1/policies")
        .token("tok-gamma")
        .send()
        .await
        .expect(401);
}

#[tokio::test]
async fn a_host_that_is_not_this_machine_is_refused_everywhere() {
    let stack = start(&["--concurrency", "1"]).await;
    for path in ["/health", "/_local/metrics"] {
        let request = stack.get(path).header("host", "rebound.example:3000");
        let _ = request.send().await.expect(400);
    }
}

#[tokio::test]
async fn sizes_beyond_the_gateways_are_refused() {
    let stack = start(&["--concurrency", "1"]).await;
    let long_head = stack.get("/health").header("x-long", "a".repeat(10_240));
    let _ = long_head.send().await.expect(431);
    let large = stack
        .post("/v1/decisions")
        .body(vec![b' '; 10 * 1024 * 1024 + 1]);
    let _ = large.send().await.expect(413);
}

#[tokio::test]
async fn every_path_and_method_outside_local_is_the_functions() {
    let stack = start(&["--concurrency", "1"]).await;
    for (number, (method, path)) in [
        (Method::GET, "/"),
        (Method::DELETE, "/v1/decisions"),
        (Method::PUT, "/_locals"),
        (Method::PATCH, "/a%2Fb/../c?x=%20"),
    ]
    .into_iter()
    .enumerate()
    {
        let _ = stack.request(method, path).send().await;
        assert_eq!(
            stack.metrics().await["functions"]["decide"]["started"],
            number + 1,
            "{path}"
        );
    }
}
