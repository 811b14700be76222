//! One trace, from the request to whoever has its event.

use decide_once_tests::{Request, Stack, binary, eventually, stack};
use serde_json::Value;

use crate::support::{credit, refund};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// What a caller sends of a trace.
fn traceparent(trace: &str) -> String {
    format!("00-{trace}-00f067aa0ba902b7-01")
}

fn traced(request: Request, trace: &str) -> Request {
    request.header("traceparent", traceparent(trace))
}

/// The lines of this kind that name a trace.
fn of_trace(stack: &Stack, message: &str, trace: &str) -> Vec<Value> {
    let mut lines = stack.lines();
    lines.retain(|line| {
        let names = |member: &str| {
            let text = line[member].as_str().unwrap_or_default();
            text.split(' ').any(|id| id == trace)
        };
        line["message"] == message && (names("trace") || names("traces"))
    });
    lines
}

/// Returns the one line of this kind that names the trace, once there is one.
async fn line(stack: &Stack, message: &str, trace: &str) -> Value {
    let mut lines = eventually(message, async || {
        let lines = of_trace(stack, message, trace);
        (!lines.is_empty()).then_some(lines)
    })
    .await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}

/// Decide, publish, consume: each names it; a replay has its own, and names the decision.
#[tokio::test]
async fn a_trace_is_followed_from_request_to_consumer() {
    let stack = Stack::start(&["--env", "SINK=sqs"]).await;
    let body = credit("acct-42", 12_500);
    let request = traced(stack.decide("order-1", &body), TRACE);
    let first = request.send().await.expect(201);
    let decided = line(&stack, "request", TRACE).await;
    assert_eq!(decided["decision"], first.json()["decisionId"]);
    line(&stack, "batch published", TRACE).await;
    line(&stack, "batch consumed", TRACE).await;

    let another = "a".repeat(32);
    let replay = traced(stack.decide("order-1", &body), &another);
    let replay = replay.send().await.expect(200);
    assert_eq!(replay.body, first.body, "no byte tells of a trace");
    let replayed = line(&stack, "request", &another).await;
    assert_eq!(replayed["decision"], decided["decision"]);
    assert_eq!(of_trace(&stack, "request", TRACE).len(), 1);
}

/// What is decided without its caller is still its caller's.
#[tokio::test]
async fn a_queued_request_keeps_its_trace() {
    let stack = Stack::start(&["--env", "SINK=sqs"]).await;
    let request = stack.decide("order-1", &credit("acct-42", 12_500));
    let request = request.header("prefer", "respond-async");
    let _ = traced(request, TRACE).send().await.expect(202);
    let resumed = line(&stack, "operation resumed", TRACE).await;
    assert_eq!(resumed["outcome"], "decided");
    line(&stack, "batch published", TRACE).await;
    line(&stack, "batch consumed", TRACE).await;
}

/// A redrive is a new sending, not a new event.
#[tokio::test]
async fn an_event_that_is_redriven_keeps_its_trace() {
    let stack = Stack::start(&[]).await;
    stack.sink("poison").await;
    let request = stack.decide("order-1", &credit("acct-42", 12_500));
    let _ = traced(request, TRACE).send().await.expect(201);
    let published = line(&stack, "batch published", TRACE).await;
    assert_eq!(published["quarantined"], 1);
    stack.sink("up").await;
    let redrive = [
        "outbox",
        "redrive",
        "--quarantined",
        "--yes",
        "--stack",
        stack.url(),
    ];
    assert!(
        stack::run(&binary::decide_once(), &redrive)
            .status
            .success()
    );
    let event = eventually("the event", async || stack.events().await.pop()).await;
    assert_eq!(event["traceparent"], traceparent(TRACE));
}

/// The stream has not kept it, and the sweep knows the event's row only.
#[tokio::test]
async fn an_event_that_a_sweep_delivers_keeps_its_trace() {
    let stack = Stack::start(&["--concurrency", "1", "--sweep-every", "0"]).await;
    stack.sink("down").await;
    let request = stack.decide("order-1", &credit("acct-42", 12_500));
    let _ = traced(request, TRACE).send().await.expect(201);
    stack.streams_forget().await;
    stack.sink("up").await;
    let swept = stack.sweep().await;
    assert_eq!(swept["delivered"], 1, "{swept}");
    let event = eventually("the event", async || stack.events().await.pop()).await;
    assert_eq!(event["traceparent"], traceparent(TRACE));
}

/// A trace begins with the request: under the id of its invocation, which its log line has.
#[tokio::test]
async fn a_trace_that_cannot_be_read_is_none_and_another_begins() {
    let stack = Stack::start(&[]).await;
    for (key, header) in [("order-1", None), ("order-2", Some("00-nonsense-01"))] {
        let request = stack.decide(key, &credit("acct-42", 12_500));
        let request = match header {
            Some(header) => request.header("traceparent", header),
            None => request,
        };
        let decided = request.send().await.expect(201).json();
        let begun = eventually("its line", async || {
            let mut lines = stack.lines().into_iter();
            lines.find(|line| line["decision"] == decided["decisionId"])
        })
        .await;
        let invocation = begun["invocation"].as_str().unwrap().replace('-', "");
        assert_eq!(begun["trace"], invocation);
        let event = eventually("its event", async || {
            let mut events = stack.events().await.into_iter();
            events.find(|event| event["id"] == decided["events"][0]["id"])
        })
        .await;
        let parent = event["traceparent"].as_str().unwrap();
        assert_eq!(parent.split('-').nth(1), Some(invocation.as_str()));
    }
    assert!(!stack.output().contains("nonsense"));
}

/// An event of somebody who knows no traces is an event.
#[tokio::test]
async fn an_event_without_a_trace_is_consumed_and_its_line_names_none() {
    let stack = Stack::start(&[]).await;
    stack.put("consume", refund("e-1", "acct-42", 500)).await;
    stack.drained("consume").await;
    let lines = stack.lines().into_iter();
    let mut consumed = lines.filter(|line| line["message"] == "batch consumed");
    assert!(consumed.all(|line| line["traces"].is_null()));
}
