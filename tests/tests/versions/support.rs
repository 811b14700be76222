//! What a test asks, and what another release would have left.

use decide_once_tests::{Answer, Stack, Tables, eventually, tables::key_of};
use http::Method;
use serde_json::{Value, json};

/// Past every lease, in seconds.
pub(crate) const LEASE_LAPSES: u64 = 31;

/// Messages come again soon.
pub(crate) const SOON: [&str; 2] = ["--queue-visibility-ms", "300"];

/// The tables that functions write to.
pub(crate) const ALL: [&str; 5] = ["operations", "decisions", "outbox", "inbox", "balances"];

/// A credit request about a subject.
pub(crate) fn credit(subject: &str) -> String {
    format!(
        r#"{{"policy":"credit-limit","subject":"{subject}","facts":{{"amount":12500,"currency":"USD"}}}}"#
    )
}

/// A refund of five euros for a line of an order, which is decided once whatever the key.
pub(crate) fn refund(order: &str) -> String {
    format!(
        r#"{{"policy":"refund-approval","subject":"acct-42","facts":{{"orderId":"{order}","line":1,"amount":500,"paid":500,"currency":"EUR","purchasedAt":"2026-11-20T10:00:00Z","reason":"damaged"}}}}"#
    )
}

/// An event of five euros, as the publisher sends it.
pub(crate) fn refunded(id: &str) -> String {
    json!({
        "specversion": "1.0", "id": id, "source": "urn:decide-once:local", "type": "com.example.refund.approved",
        "subject": "acct-42", "time": "2026-12-01T00:00:00Z", "datacontenttype": "application/json",
        "data": { "orderId": "A-1", "line": 1, "refund": { "amount": 500, "currency": "EUR" } },
    })
    .to_string()
}

/// The item as a release with another layout would have left it.
pub(crate) fn of_the_next_release(item: &Value) -> Value {
    let mut next = item.clone();
    next["v"] = json!({ "N": "2" });
    next["layout"] = json!({ "M": { "of": { "S": "the next release" } } });
    next
}

/// The one item of a table.
pub(crate) async fn only(tables: &Tables, table: &str) -> Value {
    let items = tables.scan(table).await;
    let [item] = <[_; 1]>::try_from(items).unwrap();
    item
}

/// Everything that stands in the tables.
pub(crate) async fn contents(tables: &Tables) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for table in ALL {
        all.push(tables.scan(table).await);
    }
    all
}

/// 503 with the advice to come again with the same key.
#[track_caller]
pub(crate) fn try_again(answer: Answer) {
    let answer = answer.expect(503);
    assert_eq!(answer.json()["type"], "urn:decide-once:problem:unavailable");
    assert_eq!(answer.json()["retry"], "same-key");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
}

/// The operator was told of a newer release, and of nothing worse.
pub(crate) async fn alarmed_as_newer(stack: &Stack, function: &str) {
    let of_function = format!("[{function} ");
    eventually("the alarm's word", async || {
        let output = stack.output();
        let mut lines = output.lines();
        lines
            .any(|line| {
                line.starts_with(&of_function) && line.contains(r#""alarm":"record-newer""#)
            })
            .then_some(())
    })
    .await;
    assert!(!stack.output().contains("record-corrupt"));
}

/// Makes every call of a function to its store fail, until [`heal`].
pub(crate) async fn cut_off(stack: &Stack, function: &str) {
    let fault =
        json!({ "function": function, "call": "*", "fault": "unavailable", "times": 1_000_000 });
    stack.arm(&fault).await;
}

/// Disarms every fault.
pub(crate) async fn heal(stack: &Stack) {
    let heal = stack.request(Method::DELETE, "/_local/faults");
    let _ = heal.send().await.expect(200);
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
    let held = stack.request(Method::DELETE, "/_local/faults/held");
    let _ = held.send().await.expect(200);
}

/// A request that nobody waits for is queued, and stays so: nobody can look after the queue.
pub(crate) async fn queued(stack: &Stack, key: &str, body: &str) {
    cut_off(stack, "evaluate").await;
    let later = stack.decide(key, body).header("prefer", "respond-async");
    let _ = later.send().await.expect(202);
}

/// Returns once a table's item has this attribute, whatever it is.
pub(crate) async fn has(tables: &Tables, table: &str, key: &str, name: &str) -> Value {
    eventually(name, async || {
        let item = tables.item(table, key).await;
        item.get(name).is_some().then_some(item)
    })
    .await
}

/// Returns once an operation's record stands like this; the record.
pub(crate) async fn stands(tables: &Tables, key: &str, state: &str) -> Value {
    eventually(state, async || {
        let item = tables.item("operations", key).await;
        let stands = item["stands"]["S"].as_str()?;
        stands.starts_with(state).then_some(item)
    })
    .await
}

/// The table key of a table's one item.
pub(crate) async fn key(tables: &Tables, table: &str) -> String {
    key_of(table, &only(tables, table).await).to_owned()
}
