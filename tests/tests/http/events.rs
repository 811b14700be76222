//! Events that no HTTP client of the local stack can cause, handed to a function process by the Runtime API itself.

use std::{
    io,
    net::Ipv4Addr,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use decide_once::{
    engine::{self, Engine, EngineOptions, TableNames},
    runtime_api::{self, FunctionSpec, Functions, Invoker, Registration, Traces},
};
use decide_once_tests::{binary, wait};
use serde_json::{Value, json};

use crate::support::{B0, fresh_key};

const DECIDE: &str = "decide";
const PATIENCE: Duration = Duration::from_secs(20);

/// One process of the function between a Runtime API and an engine.
struct Function {
    invoker: Invoker,
    child: Child,
    _engine: Engine,
    _registration: Registration,
}

impl Function {
    async fn start() -> Self {
        let tables = TableNames::default();
        let engine = engine::start(EngineOptions::default()).unwrap();
        engine.create_tables(&tables).unwrap();
        let functions = Functions::new(&[FunctionSpec {
            name: DECIDE,
            timeout: PATIENCE,
        }]);
        let address = serve(&functions).await.unwrap();
        let registration = functions.register(DECIDE).unwrap();
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        let child = Command::new(binary::decide_once())
            .args(["function", DECIDE])
            .env_clear()
            .env(
                "AWS_LAMBDA_RUNTIME_API",
                format!("{address}/{DECIDE}/{}", registration.id()),
            )
            .env("AWS_LAMBDA_FUNCTION_NAME", DECIDE)
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")
            .env("AWS_LAMBDA_LOG_GROUP_NAME", "local")
            .env("AWS_LAMBDA_LOG_STREAM_NAME", "local")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_ENDPOINT_URL_DYNAMODB", engine.endpoint())
            .env("OPERATIONS_TABLE", tables.operations)
            .env("DECISIONS_TABLE", tables.decisions)
            .env("OUTBOX_TABLE", tables.outbox)
            .env("POLICIES_DIR", policies)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        tokio::time::timeout(wait::LIMIT, functions.ready(DECIDE))
            .await
            .unwrap()
            .unwrap();
        Self {
            invoker: Invoker::new(functions),
            child,
            _engine: engine,
            _registration: registration,
        }
    }

    async fn answer(&self, event: &Value) -> Value {
        let payload = event.to_string().into_bytes().into();
        let answer = self.invoker.invoke(DECIDE, payload, PATIENCE).await;
        serde_json::from_slice(&answer.unwrap()).unwrap()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn serve(functions: &Arc<Functions>) -> io::Result<String> {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let router = runtime_api::router(Arc::clone(functions), Traces::EachItsOwn);
    // Ends with the test's runtime.
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(format!("http://{address}"))
}

/// `POST /v1/decisions` of tenant alpha in payload format 2.0.
fn event(key: &str) -> Value {
    json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/v1/decisions",
        "rawQueryString": "",
        "headers": { "content-type": "application/json", "host": "localhost", "idempotency-key": key },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "authorizer": { "jwt": { "claims": { "tenant": "t-alpha", "scope": "decisions:write decisions:read" },
                                     "scopes": null } },
            "domainName": "localhost",
            "domainPrefix": "localhost",
            "http": { "method": "POST", "path": "/v1/decisions", "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1",
                      "userAgent": "test" },
            "requestId": "r",
            "routeKey": "$default",
            "stage": "$default",
            "time": "01/Dec/2026:00:00:00 +0000",
            "timeEpoch": 1_796_083_200_000_i64
        },
        "isBase64Encoded": false
    })
}

fn with_body(mut event: Value, body: &Value, base64: bool) -> Value {
    event["body"] = body.clone();
    event["isBase64Encoded"] = json!(base64);
    event
}

#[track_caller]
fn body_of(answer: &Value) -> Value {
    serde_json::from_str(answer["body"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn h08_base64_body() {
    let function = Function::start().await;
    let key = fresh_key();
    let encoded = json!(BASE64_STANDARD.encode(B0));
    let first = function
        .answer(&with_body(event(&key), &encoded, true))
        .await;
    assert_eq!(first["statusCode"], 201, "{first}");
    let plain = function
        .answer(&with_body(event(&key), &json!(B0), false))
        .await;
    assert_eq!(plain["statusCode"], 200, "{plain}");
    assert_eq!(plain["body"], first["body"]);

    let other = fresh_key();
    for (body, base64) in [
        (json!("%%%"), true),
        (json!(null), false),
        (json!(null), true),
        (encoded, false),
        (json!(""), true),
    ] {
        let answer = function
            .answer(&with_body(event(&other), &body, base64))
            .await;
        assert_eq!(answer["statusCode"], 400, "{answer}");
        let problem = body_of(&answer);
        assert_eq!(problem["type"], "urn:decide-once:problem:body-invalid");
        assert_eq!(problem["retry"], "never");
    }
    let free = function
        .answer(&with_body(event(&other), &json!(B0), false))
        .await;
    assert_eq!(free["statusCode"], 201, "{free}");
}

#[tokio::test]
async fn s04_a_call_that_no_authorizer_vouches_for_is_nobodys() {
    let function = Function::start().await;
    let key = fresh_key();
    let call = || with_body(event(&key), &json!(B0), false);
    let mut nobody = call();
    nobody["requestContext"]["authorizer"] = Value::Null;
    let mut no_tenant = call();
    no_tenant["requestContext"]["authorizer"]["jwt"]["claims"] = json!({ "sub": "alpha" });
    let mut empty = call();
    empty["requestContext"]["authorizer"]["jwt"]["claims"]["tenant"] = json!("");
    // What a client says of itself is no identity.
    for name in ["x-tenant", "tenant", "authorization"] {
        nobody["headers"][name] = json!("t-alpha");
    }
    for refused in [nobody, no_tenant, empty] {
        let answer = function.answer(&refused).await;
        assert_eq!(answer["statusCode"], 401, "{answer}");
        assert_eq!(answer["headers"]["www-authenticate"], "Bearer");
        let problem = body_of(&answer);
        assert_eq!(problem["type"], "urn:decide-once:problem:unauthenticated");
        assert_eq!(problem["retry"], "never");
    }
    let known = function.answer(&call()).await;
    assert_eq!(known["statusCode"], 201, "{known}");
}

#[tokio::test]
async fn an_event_whose_url_is_none_is_answered_all_the_same() {
    let function = Function::start().await;
    let call = || with_body(event(&fresh_key()), &json!(B0), false);
    for query in ["a=b c", "<>", "a\u{0}", "\u{e4}=%zz"] {
        let mut call = call();
        call["rawQueryString"] = json!(query);
        let answer = function.answer(&call).await;
        assert_eq!(answer["statusCode"], 400, "{query}: {answer}");
        let problem = body_of(&answer);
        assert_eq!(problem["type"], "urn:decide-once:problem:query-invalid");
    }
    for path in [
        "",
        "/v1/decisions/a b",
        "/v1/\"<>|^`\u{e4}",
        "/v1/decisions\u{0}",
    ] {
        let mut call = call();
        call["rawPath"] = json!(path);
        call["requestContext"]["http"]["method"] = json!("GET");
        let answer = function.answer(&call).await;
        assert_eq!(answer["statusCode"], 404, "{path}: {answer}");
    }
    for (header, value) in [
        ("host", "a b"),
        ("host", ""),
        ("x-forwarded-proto", "://"),
        ("cookie", "=;;"),
    ] {
        let mut call = call();
        call["headers"][header] = json!(value);
        let answer = function.answer(&call).await;
        assert_eq!(answer["statusCode"], 201, "{header}: {answer}");
    }
}
