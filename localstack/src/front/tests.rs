//! The gateway and the Runtime API over real HTTP, with a function that is played by the test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use axum::Router;
use decide_once_tests::{Answer, Request};
use http::Method;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{Auth, Gateway, Meter};
use crate::{
    engine::EngineClock,
    names::DECIDE,
    proxy::Proxy,
    runtime_api::{self, FunctionSpec, Functions, Invoker, Registration, Traces},
};

/// 2026-12-01T00:00:00Z.
const T0_MS: i64 = 1_796_083_200_000;

struct Scene {
    gateway: String,
    runtime: String,
    instance: Registration,
}

impl Scene {
    async fn open() -> Self {
        Self::with(Traces::EachItsOwn).await
    }

    async fn with(traces: Traces) -> Self {
        let functions = Functions::new(&[FunctionSpec {
            name: DECIDE,
            timeout: Duration::from_secs(20),
        }]);
        let instance = functions.register(DECIDE).unwrap();
        let api = serve(runtime_api::router(Arc::clone(&functions), traces)).await;
        // Nothing asks this store anything.
        let store = Arc::new(Proxy::start("http://127.0.0.1:9").await.unwrap());
        let gateway = Gateway {
            auth: Auth::Optional,
            timeout: Duration::from_secs(10),
            port: 3000,
            invoker: Invoker::new(functions),
            clock: EngineClock::steerable(Some(T0_MS)),
            meter: Meter::new(store),
        };
        Self {
            gateway: serve(super::router(gateway, Router::new())).await,
            runtime: format!("{api}/{DECIDE}/{}/2018-06-01/runtime", instance.id()),
            instance,
        }
    }

    fn request(&self, method: Method, path: &str) -> Request {
        request(method, format!("{}{path}", self.gateway))
    }

    /// What a function's runtime does: take the next event, answer it.
    async fn play(&self, how: &str, answer: &Value) -> Invocation {
        let next = request(Method::GET, format!("{}/invocation/next", self.runtime));
        let next = next.send().await.expect(200);
        let id = next
            .header("lambda-runtime-aws-request-id")
            .unwrap()
            .to_owned();
        let url = format!("{}/invocation/{id}/{how}", self.runtime);
        let accepted = request(Method::POST, url.clone()).json(answer).send().await;
        let late = request(Method::POST, url).json(answer).send().await;
        Invocation {
            next,
            accepted,
            late,
        }
    }

    async fn answered(&self, request: Request, answer: Value) -> (Value, Answer) {
        let (invocation, answer) = tokio::join!(self.play("response", &answer), request.send());
        (invocation.next.json(), answer)
    }
}

struct Invocation {
    next: Answer,
    accepted: Answer,
    late: Answer,
}

fn request(method: Method, url: String) -> Request {
    let client = Client::builder(TokioExecutor::new()).build_http();
    Request::new(client, method, url)
}

async fn serve(router: Router) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, router).await });
    url
}

fn ok() -> Value {
    json!({ "statusCode": 200, "body": "ok" })
}

#[tokio::test]
async fn each_invocation_has_its_own_trace_unless_all_are_to_have_one() {
    for (traces, differ) in [(Traces::EachItsOwn, true), (Traces::One, false)] {
        let scene = Scene::with(traces).await;
        let mut seen = Vec::new();
        for _ in 0..2 {
            let request = scene.request(Method::GET, "/health");
            let answer = ok();
            let (invocation, _) = tokio::join!(scene.play("response", &answer), request.send());
            let trace = invocation.next.header("lambda-runtime-trace-id").unwrap();
            seen.push(trace.to_owned());
        }
        assert_eq!(seen[0] != seen[1], differ, "{traces:?}: {seen:?}");
    }
}

#[tokio::test]
async fn an_event_says_what_was_asked_and_by_whom() {
    let scene = Scene::open().await;
    let request = scene
        .request(Method::POST, "/v1/decisions?a=1&a=%202")
        .token("tok-alpha")
        .header("X-Thing", "one")
        .header("User-Agent", "test")
        .header("Cookie", "c=1; d=2")
        .json_text(r#"{"n":1.0}"#);
    let (mut event, answer) = scene.answered(request, ok()).await;

    assert_eq!(answer.body, "ok");
    let context = &mut event["requestContext"];
    assert_eq!(
        context["requestId"],
        answer.header("apigw-requestid").unwrap()
    );
    assert_eq!(context["time"], "01/Dec/2026:00:00:00 +0000");
    let since_start = context["timeEpoch"].as_i64().unwrap() - T0_MS;
    assert!((0..1_000).contains(&since_start));
    for varying in ["requestId", "time", "timeEpoch"] {
        context.as_object_mut().unwrap().remove(varying);
    }
    let host = scene.gateway.trim_start_matches("http://");
    assert_eq!(
        event,
        json!({
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": "/v1/decisions",
            "rawQueryString": "a=1&a=%202",
            "cookies": ["c=1", "d=2"],
            "headers": {
                "authorization": "Bearer tok-alpha",
                "content-length": "9",
                "content-type": "application/json",
                "host": host,
                "user-agent": "test",
                "x-forwarded-for": "127.0.0.1",
                "x-forwarded-port": "3000",
                "x-forwarded-proto": "http",
                "x-thing": "one",
            },
            "queryStringParameters": { "a": "1, 2" },
            "requestContext": {
                "accountId": "000000000000",
                "apiId": "local",
                "authorizer": { "jwt": {
                    "claims": {
                        "iss": "https://decide-once.local",
                        "sub": "alpha",
                        "tenant": "t-alpha",
                        "scope": "decisions:write decisions:read",
                    },
                    "scopes": ["decisions:write", "decisions:read"],
                } },
                "domainName": "127.0.0.1",
                "domainPrefix": "127",
                "http": {
                    "method": "POST",
                    "path": "/v1/decisions",
                    "protocol": "HTTP/1.1",
                    "sourceIp": "127.0.0.1",
                    "userAgent": "test",
                },
                "routeKey": "$default",
                "stage": "$default",
            },
            "body": r#"{"n":1.0}"#,
            "isBase64Encoded": false,
        })
    );
}

#[tokio::test]
async fn a_header_sent_twice_arrives_joined_also_when_equal() {
    let scene = Scene::open().await;
    let request = scene.request(Method::POST, "/").key("k1").key("k1");
    let (event, _) = scene.answered(request, ok()).await;
    assert_eq!(event["headers"]["idempotency-key"], "k1,k1");
}

#[tokio::test]
async fn a_body_that_is_not_text_arrives_as_base64() {
    let scene = Scene::open().await;
    let request = scene.request(Method::POST, "/").body(vec![0xff, 0x00]);
    let (event, _) = scene.answered(request, ok()).await;
    assert_eq!(event["isBase64Encoded"], true);
    assert_eq!(event["body"], "/wA=");
}

#[tokio::test]
async fn every_event_can_be_read_by_the_functions_library() {
    let scene = Scene::open().await;
    let request = scene
        .request(Method::GET, "/a%20b?x=%zz&y=%22")
        .header("x-latin", b"na\xefve")
        .header("x-forwarded-proto", "://");
    let (event, _) = scene.answered(request, ok()).await;
    let read = lambda_http::request::from_str(&event.to_string()).unwrap();
    assert_eq!(read.uri().path(), "/a%20b");
    assert_eq!(
        read.headers()["x-latin"].as_bytes(),
        "na\u{ef}ve".as_bytes()
    );
}

#[tokio::test]
async fn a_failed_handler_is_502_and_a_late_answer_is_refused() {
    let scene = Scene::open().await;
    let report = json!({ "errorType": "Boom", "errorMessage": "no" });
    let request = scene.request(Method::GET, "/").send();
    let (invocation, answer) = tokio::join!(scene.play("error", &report), request);
    assert_eq!(answer.status, 502);
    assert_eq!(answer.json(), json!({ "message": "Internal Server Error" }));
    assert_eq!(invocation.accepted.status, 202);
    assert_eq!(invocation.late.status, 400);
    assert_eq!(invocation.late.json()["errorType"], "InvalidRequestID");
}

#[tokio::test]
async fn an_answer_that_is_none_is_502() {
    let scene = Scene::open().await;
    for none in [
        json!(null),
        json!({ "statusCode": 200, "isBase64Encoded": true, "body": "%" }),
    ] {
        let (_, answer) = scene.answered(scene.request(Method::GET, "/"), none).await;
        assert_eq!(answer.status, 502);
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_does_not_stop_the_call() {
    let scene = Scene::open().await;
    let request = tokio::spawn(scene.request(Method::GET, "/first").send());
    let next = request_next(&scene).await;
    request.abort();
    let _ = request.await;
    // The call still counts as the instance's: its answer is taken.
    let id = next.header("lambda-runtime-aws-request-id").unwrap();
    let url = format!("{}/invocation/{id}/response", scene.runtime);
    let _ = request_json(url, &ok()).await.expect(202);
}

#[tokio::test]
async fn a_process_that_no_longer_counts_gets_no_work() {
    let scene = Scene::open().await;
    let Scene {
        runtime, instance, ..
    } = scene;
    drop(instance);
    let next = request(Method::GET, format!("{runtime}/invocation/next"));
    let _ = next.send().await.expect(403);
}

#[tokio::test]
async fn a_process_that_cannot_start_says_why() {
    let scene = Scene::open().await;
    let report = json!({ "errorType": "Runtime.InitError", "errorMessage": "no policies" });
    let _ = request_json(format!("{}/init/error", scene.runtime), &report)
        .await
        .expect(202);
    assert_eq!(scene.instance.init_error().unwrap(), "no policies");
    assert!(!scene.instance.asked_for_work());
}

async fn request_next(scene: &Scene) -> Answer {
    let next = request(Method::GET, format!("{}/invocation/next", scene.runtime));
    next.send().await.expect(200)
}

async fn request_json(url: String, body: &Value) -> Answer {
    request(Method::POST, url).json(body).send().await
}
