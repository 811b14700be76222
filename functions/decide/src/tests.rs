//! Events of every kind of API through the whole function, over the store in memory. The events in `events/` have the forms that AWS documents:
//! [HTTP APIs](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html),
//! [REST APIs](https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html),
//! [function URLs](https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use decide_once_policy::PolicySet;
use decide_once_service::limits::Limits;
use decide_once_service::memory::MemoryStore;
use decide_once_service::ports::{Clock, Ids, Mismatches, Store};
use decide_once_service::profile::Profile;
use decide_once_service::settings::Settings;
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Decider};
use lambda_http::LambdaEvent;
use lambda_runtime::Context;
use serde_json::{Value, json};

use crate::app::App;
use crate::caller::Authority;

const HTTP: [&str; 2] = ["http-api-jwt", "http-api-lambda"];
const REST: [&str; 2] = ["rest-cognito", "rest-lambda"];
const IAM: [&str; 3] = ["http-api-iam", "function-url", "rest-iam"];

struct Function {
    app: Arc<App<MemoryStore, SystemClock, SystemIds>>,
    store: MemoryStore,
}

/// What API Gateway is told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) status: u64,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Function {
    fn new(authority: Authority, profile: Profile) -> Self {
        let store = MemoryStore::new();
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
        let decider = Decider {
            store: store.clone(),
            clock: SystemClock,
            ids: SystemIds,
            policies: PolicySet::load(&policies).unwrap(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::default(),
        };
        let app = Arc::new(App {
            decider,
            authority,
            profile,
        });
        Self { app, store }
    }

    fn by_scopes() -> Self {
        Self::new(Authority::with_scopes(), Profile::Default)
    }

    async fn ask(&self, event: &Value) -> Told {
        ask(&self.app, event).await
    }
}

/// What API Gateway is told by an invocation with this event.
pub(crate) async fn ask<S, C, I>(app: &Arc<App<S, C, I>>, event: &Value) -> Told
where
    S: Store + Mismatches + 'static,
    C: Clock + 'static,
    I: Ids + 'static,
{
    let mut context = Context::default();
    let deadline = SystemTime::now() + Duration::from_secs(29);
    let millis = deadline.duration_since(UNIX_EPOCH).unwrap().as_millis();
    context.deadline = u64::try_from(millis).unwrap();
    let payload = serde_json::from_str(&event.to_string()).unwrap();
    let event = LambdaEvent::new(payload, context);
    let answer = crate::handle(Arc::clone(app), event).await.unwrap();
    Told::of(&serde_json::to_value(answer).unwrap())
}

impl Told {
    /// Every header is told once, by name and by value.
    fn of(answer: &Value) -> Self {
        let (single, multi) = (&answer["headers"], &answer["multiValueHeaders"]);
        let mut headers = BTreeMap::new();
        for (name, value) in single.as_object().into_iter().flatten() {
            let told = headers.insert(
                name.to_ascii_lowercase(),
                value.as_str().unwrap().to_owned(),
            );
            assert_eq!(told, None, "{name} twice in {answer}");
        }
        for (name, values) in multi.as_object().into_iter().flatten() {
            let [value] = values.as_array().unwrap().as_slice() else {
                panic!("{name} twice in {answer}");
            };
            let told = headers.insert(
                name.to_ascii_lowercase(),
                value.as_str().unwrap().to_owned(),
            );
            assert_eq!(told, None, "{name} twice in {answer}");
        }
        assert_eq!(answer["isBase64Encoded"], false);
        Self {
            status: answer["statusCode"].as_u64().unwrap(),
            headers,
            body: answer["body"].as_str().unwrap().to_owned(),
        }
    }

    #[track_caller]
    fn expect(self, status: u64) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    #[track_caller]
    fn problem(self, status: u64, code: &str) -> Value {
        let body: Value = serde_json::from_str(&self.expect(status).body).unwrap();
        assert_eq!(body["type"], format!("urn:decide-once:problem:{code}"));
        assert_eq!(body["status"], status);
        body
    }
}

#[tokio::test]
async fn a_trace_is_the_callers_or_x_rays() {
    let (w3c, x_ray) = (
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
    );
    let of_x_ray = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01";
    for (traceparent, expected) in [
        (Some(w3c.to_owned()), Some(w3c)),
        (Some(format!("{w3c},{w3c}")), Some(of_x_ray)),
        (None, Some(of_x_ray)),
    ] {
        let function = Function::by_scopes();
        let mut event = event("http-api-jwt");
        event["headers"]["x-amzn-trace-id"] = json!(x_ray);
        if let Some(traceparent) = traceparent {
            event["headers"]["traceparent"] = json!(traceparent);
        }
        function.ask(&event).await.expect(201);
        let trace = function.store.rows()[0].event.trace;
        let told = trace.map(|trace| trace.to_string());
        assert_eq!(told.as_deref(), expected);
    }
}

/// An event of `events/`.
pub(crate) fn event(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("events/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The key under these names, each with its value, in the place of the event's own.
fn keyed(mut event: Value, lines: &[(&str, &str)]) -> Value {
    for place in ["headers", "multiValueHeaders"] {
        if let Some(headers) = event[place].as_object_mut() {
            headers.retain(|name, _| !name.eq_ignore_ascii_case("idempotency-key"));
        }
    }
    for (name, value) in lines {
        event["headers"][*name] = json!(value);
        if event["multiValueHeaders"].is_object() {
            let all = &mut event["multiValueHeaders"][*name];
            match all.as_array_mut() {
                Some(all) => all.push(json!(value)),
                None => *all = json!([value]),
            }
        }
    }
    event
}

fn read(mut event: Value, path: &str) -> Value {
    event["body"] = Value::Null;
    if event["version"] == "2.0" {
        event["rawPath"] = json!(path);
        event["requestContext"]["http"]["method"] = json!("GET");
    } else {
        event["path"] = json!(path);
        event["httpMethod"] = json!("GET");
    }
    event
}

#[tokio::test]
async fn every_kind_of_event_is_decided_and_replayed_for_one_tenant() {
    let function = Function::by_scopes();
    let mut first: Option<Told> = None;
    for name in HTTP.into_iter().chain(REST) {
        let told = function.ask(&event(name)).await;
        assert_eq!(told.headers["content-type"], "application/json", "{name}");
        match &first {
            None => first = Some(told.expect(201)),
            Some(first) => {
                let replay = told.expect(200);
                assert_eq!(replay.body, first.body, "{name}");
                assert_eq!(
                    replay.headers["content-digest"],
                    first.headers["content-digest"]
                );
                let read = function
                    .ask(&read(event(name), &first.headers["location"]))
                    .await;
                assert_eq!(read.expect(200).body, first.body, "{name}");
            }
        }
    }
    assert_eq!(function.store.decisions().len(), 1);
}

#[tokio::test]
async fn with_iam_the_tenant_is_who_signed() {
    let function = Function::new(Authority::by_iam(), Profile::Default);
    let mut statuses = Vec::new();
    for name in IAM {
        statuses.push(function.ask(&event(name)).await.status);
    }
    assert_eq!(statuses, [201, 200, 200]);
    let tenant = function.store.decisions()[0].tenant.as_str().to_owned();
    assert_eq!(
        tenant,
        "arn:aws:sts::123456789012:assumed-role/orders/orders"
    );
    for name in HTTP.into_iter().chain(REST) {
        let told = function.ask(&event(name)).await;
        told.problem(401, "unauthenticated");
    }
}

#[tokio::test]
async fn without_a_tenant_from_the_authorizer_there_is_none() {
    let function = Function::by_scopes();
    for name in HTTP.into_iter().chain(REST).chain(IAM) {
        let mut event = event(name);
        event["headers"]["tenant"] = json!("t-alpha");
        event["headers"]["x-tenant"] = json!("t-alpha");
        for authorizer in [
            Value::Null,
            json!({}),
            json!({ "sub": "9f1c7a52", "tenant": 7 }),
        ] {
            // Where `null` is no authorizer's form, the event has none.
            if authorizer.is_null() {
                event["requestContext"]
                    .as_object_mut()
                    .unwrap()
                    .remove("authorizer");
            } else {
                event["requestContext"]["authorizer"] = authorizer;
            }
            let told = function.ask(&event).await;
            told.problem(401, "unauthenticated");
        }
    }
    assert!(function.store.operations().is_empty());
}

#[tokio::test]
async fn a_scope_that_is_missing_is_named() {
    let function = Function::by_scopes();
    let reader = "decisions:read other";
    let mut events = HTTP.into_iter().chain(REST).map(event).collect::<Vec<_>>();
    events[0]["requestContext"]["authorizer"]["jwt"]["claims"]["scope"] = json!(reader);
    events[1]["requestContext"]["authorizer"]["lambda"]["scope"] = json!(reader);
    events[2]["requestContext"]["authorizer"]["claims"]["scope"] = json!(reader);
    events[3]["requestContext"]["authorizer"]["scope"] = json!(reader);
    for event in events {
        let problem = function.ask(&event).await.problem(403, "forbidden");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("decisions:write")
        );
        let unknown = function.ask(&read(event, "/v1/decisions/unknown")).await;
        unknown.problem(404, "not-found");
    }
    assert!(function.store.operations().is_empty());
}

#[tokio::test]
async fn h07_a_keys_name_has_any_case() {
    for name in HTTP.into_iter().chain(REST) {
        let function = Function::by_scopes();
        let mut statuses = Vec::new();
        for spelling in ["Idempotency-Key", "idempotency-key", "IDEMPOTENCY-KEY"] {
            let event = keyed(event(name), &[(spelling, "k-1")]);
            statuses.push(function.ask(&event).await.status);
        }
        assert_eq!(statuses, [201, 200, 200], "{name}");
    }
}

#[tokio::test]
async fn h07_two_spellings_or_two_lines_are_no_key() {
    let doubled: [&[(&str, &str)]; 4] = [
        &[("Idempotency-Key", "k-1"), ("idempotency-key", "k-2")],
        &[("Idempotency-Key", "k-1"), ("IDEMPOTENCY-KEY", "k-1")],
        &[("idempotency-key", "k-1,k-2")],
        &[],
    ];
    for name in HTTP.into_iter().chain(REST) {
        let function = Function::by_scopes();
        for lines in doubled {
            let code = if lines.is_empty() {
                "key-missing"
            } else {
                "key-invalid"
            };
            let told = function.ask(&keyed(event(name), lines)).await;
            told.problem(400, code);
        }
        assert!(function.store.operations().is_empty(), "{name}");
    }
    // Two lines under one name: `headers` has the last one only.
    let function = Function::by_scopes();
    let two = keyed(
        event("rest-cognito"),
        &[("Idempotency-Key", "k-1"), ("Idempotency-Key", "k-2")],
    );
    assert_eq!(two["headers"]["Idempotency-Key"], "k-2");
    function.ask(&two).await.problem(400, "key-invalid");
    let mut only_single = keyed(event("rest-cognito"), &[("Idempotency-Key", "k-1")]);
    only_single["multiValueHeaders"] = Value::Null;
    let _ = function.ask(&only_single).await.expect(201);
}

#[tokio::test]
async fn h08_a_body_may_be_base64_in_every_kind_of_event() {
    for name in HTTP.into_iter().chain(REST) {
        let function = Function::by_scopes();
        let plain = event(name);
        let text = plain["body"].as_str().unwrap().to_owned();
        let encoded = |body: &[u8]| {
            let mut event = plain.clone();
            event["isBase64Encoded"] = json!(true);
            event["body"] = json!(STANDARD.encode(body));
            event
        };
        let first = function.ask(&encoded(text.as_bytes())).await.expect(201);
        let replay = function.ask(&plain).await.expect(200);
        assert_eq!(replay.body, first.body);
        let mut broken = plain.clone();
        broken["isBase64Encoded"] = json!(true);
        broken["body"] = json!("%%%");
        function.ask(&broken).await.problem(400, "body-invalid");
        let mut none = plain.clone();
        none["body"] = Value::Null;
        function.ask(&none).await.problem(400, "body-invalid");
        let large = format!("{text}{}", " ".repeat(64 * 1024));
        let told = function.ask(&encoded(large.as_bytes())).await;
        told.problem(413, "body-too-large");
    }
}

#[tokio::test]
async fn a_path_or_query_that_no_url_can_have_is_answered() {
    for name in HTTP.into_iter().chain(REST) {
        let function = Function::by_scopes();
        let mut event = event(name);
        if event["version"] == "2.0" {
            event["rawQueryString"] = json!("a=\u{e9} b");
        } else {
            event["queryStringParameters"] = json!({ "a": "\u{e9} b" });
            event["multiValueQueryStringParameters"] = json!({ "a": ["\u{e9} b"] });
            let mut path = event.clone();
            path["path"] = json!("/v1/ decisions");
            function.ask(&path).await.problem(404, "route-unknown");
        }
        function.ask(&event).await.problem(400, "query-invalid");
    }
}

/// Found by the fuzzer: a path without its slash runs into the host of the URL that is made of it, and one that is far too long into the URL's end.
#[tokio::test]
async fn a_path_without_a_slash_or_without_an_end_is_no_resource() {
    let endless = format!("/{}", "\u{e9}".repeat(20_000));
    for name in HTTP.into_iter().chain(REST) {
        let function = Function::by_scopes();
        for path in [
            "\0/v1/decisions",
            ":x/v1/decisions",
            "@[/v1/decisions",
            "v1/decisions",
            "",
            &endless,
        ] {
            let mut event = event(name);
            let place = if event["version"] == "2.0" {
                "rawPath"
            } else {
                "path"
            };
            event[place] = json!(path);
            function.ask(&event).await.problem(404, "route-unknown");
        }
    }
}
