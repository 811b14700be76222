//! Events and requests, and points at which workers stop.

use std::time::Duration;

use decide_once_service::{ports::Clock as _, system::SystemClock};
use decide_once_tests::{Stack, eventually};
use serde_json::{Value, json};

/// Messages come again soon: a test of a death does not wait for half a minute.
pub(crate) const SOON: [&str; 2] = ["--queue-visibility-ms", "300"];

/// An event as the publisher sends it, of tenant `local`. Of a minute ago: what is older than marks are kept, or is to come, is refused.
pub(crate) fn event(id: &str, kind: &str, subject: &str, data: &Value) -> Value {
    event_at(id, kind, subject, &ago(60), data)
}

/// So many seconds ago, as events tell it.
pub(crate) fn ago(seconds: u64) -> String {
    let then = SystemClock.now().minus(Duration::from_secs(seconds));
    then.to_rfc3339()
}

/// The same, of another time.
pub(crate) fn event_at(id: &str, kind: &str, subject: &str, time: &str, data: &Value) -> Value {
    json!({
        "specversion": "1.0", "id": id, "source": "urn:decide-once:local", "type": kind, "subject": subject, "time": time,
        "datacontenttype": "application/json", "data": data,
    })
}

/// A refund of this much, in euros.
pub(crate) fn refund(id: &str, subject: &str, amount: i64) -> String {
    let data =
        json!({ "orderId": "A-1", "line": 1, "refund": { "amount": amount, "currency": "EUR" } });
    event(id, "com.example.refund.approved", subject, &data).to_string()
}

/// A credit decision.
pub(crate) fn decided(id: &str, subject: &str, time: &str, decision: &str) -> String {
    let data = json!({ "account": subject, "decision": decision, "rule": "standard" });
    event_at(id, "com.example.credit-limit.decided", subject, time, &data).to_string()
}

/// What was refunded to a subject, in euros.
pub(crate) async fn refunded(stack: &Stack, subject: &str) -> Option<i64> {
    stack.balances().await.get(subject)?["sums"]["refunded:EUR"].as_i64()
}

/// What the consumer's mapping says of itself.
pub(crate) async fn fed(stack: &Stack, function: &str, what: &str) -> u64 {
    stack.metrics().await["fed"][function][what]
        .as_u64()
        .unwrap()
}

/// The next worker that gets to `point` dies there, or holds.
pub(crate) async fn arm(stack: &Stack, point: &str, action: &str) {
    let mut fault = json!({ "point": point, "action": action });
    if action == "hold" {
        fault["seconds"] = 600.into();
    }
    stack.arm(&fault).await;
}

/// Returns once a worker stands still at `point`.
pub(crate) async fn held(stack: &Stack, point: &str) {
    eventually("a worker at the point", async || {
        let faults = stack.get("/_local/faults").send().await.json();
        (faults["held"] == json!([point])).then_some(())
    })
    .await;
}

/// Lets go of whoever stands still.
pub(crate) async fn let_go(stack: &Stack) {
    let held = stack.request(http::Method::DELETE, "/_local/faults/held");
    let _ = held.send().await.expect(200);
}

/// A credit request.
pub(crate) fn credit(subject: &str, amount: i64) -> String {
    format!(r#"{{"policy":"credit-limit","subject":"{subject}","facts":{{"amount":{amount}}}}}"#)
}
