//! Metrics: what a stack printed, read as CloudWatch reads it, against what it was asked for.

use std::collections::BTreeMap;

use decide_once_service::metrics::Metric;
use decide_once_tests::{Request, Stack, eventually};
use serde_json::{Value, json};

const B0: &str =
    r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

/// Sums of counts, by function and name.
type Sums = BTreeMap<(String, String), u64>;

/// What CloudWatch would have of a line; fails where it would have nothing.
fn read(line: &Value) -> Vec<(String, String, Vec<u64>)> {
    let mut read = Vec::new();
    let aws = &line["_aws"];
    let at = aws["Timestamp"].as_u64().unwrap();
    assert!(at > 1_577_836_800_000, "milliseconds: {at}");
    for directive in aws["CloudWatchMetrics"].as_array().unwrap() {
        assert_eq!(directive["Namespace"], "DecideOnce");
        for key in directive["Dimensions"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|set| set.as_array().unwrap())
        {
            let key = key.as_str().unwrap();
            assert!(["function", "alarm"].contains(&key), "bounded: {key}");
            assert!(line[key].is_string(), "{line}");
        }
        for metric in directive["Metrics"].as_array().unwrap() {
            let name = metric["Name"].as_str().unwrap();
            let values = match &line[name] {
                Value::Array(values) => values.clone(),
                value => vec![value.clone()],
            };
            let values = values.iter().map(|value| value.as_u64().unwrap());
            let function = line["function"].as_str().unwrap().to_owned();
            read.push((function, name.to_owned(), values.collect()));
        }
    }
    read
}

/// All that CloudWatch would have of a stack by now.
fn metered(stack: &Stack) -> Vec<(String, String, Vec<u64>)> {
    let lines = stack.lines().into_iter();
    let metered = lines.filter(|line| line["_aws"].is_object());
    metered.flat_map(|line| read(&line)).collect()
}

fn sums(stack: &Stack) -> Sums {
    let mut sums = Sums::new();
    for (function, name, values) in metered(stack) {
        *sums.entry((function, name)).or_default() += values.iter().sum::<u64>();
    }
    sums
}

/// Returns once each of these has this sum.
async fn expect(stack: &Stack, expected: &[(&str, &str, u64)]) {
    let found = |sums: &Sums, function: &str, name: &str| {
        let key = (function.to_owned(), name.to_owned());
        sums.get(&key).copied().unwrap_or(0)
    };
    let reached = eventually("the metrics", async || {
        let sums = sums(stack);
        let all = expected.iter();
        all.clone()
            .all(|(function, name, sum)| found(&sums, function, name) >= *sum)
            .then_some(sums)
    })
    .await;
    for (function, name, sum) in expected {
        assert_eq!(found(&reached, function, name), *sum, "{function}: {name}");
    }
}

/// The values of a metric.
fn values(stack: &Stack, function: &str, name: &str) -> Vec<u64> {
    let of_it = metered(stack).into_iter();
    let of_it = of_it.filter(|(by, metric, _)| by == function && metric == name);
    of_it.flat_map(|(_, _, values)| values).collect()
}

fn post(stack: &Stack, key: &str) -> Request {
    stack.decide(key, B0)
}

async fn sent(request: Request, status: u16) {
    let _ = request.send().await.expect(status);
}

#[tokio::test]
async fn answers_are_counted_as_they_were_asked_for() {
    let stack = Stack::start(&["--concurrency", "1", "--env", "SINK=sqs"]).await;
    for key in ["k1", "k2", "k3"] {
        sent(post(&stack, key), 201).await;
    }
    for _ in 0..2 {
        sent(post(&stack, "k1"), 200).await;
    }
    let other = B0.replace("12500", "12501");
    sent(stack.decide("k1", &other), 409).await;
    let undecidable = B0.replace("USD", "XTS");
    sent(stack.decide("k4", &undecidable), 422).await;
    sent(stack.decide("k4", &undecidable), 422).await;
    sent(stack.decide("no key", B0), 400).await;
    sent(stack.get("/v1/policies"), 200).await;
    sent(post(&stack, "k5").header("prefer", "respond-async"), 202).await;
    expect(&stack, &[("evaluate", "decided", 1)]).await;
    sent(post(&stack, "k5"), 200).await;
    expect(
        &stack,
        &[
            ("decide", "decided", 3),
            ("decide", "replayed", 4),
            ("decide", "key_reused", 1),
            ("decide", "failed_final", 1),
            ("decide", "refused", 1),
            ("decide", "read", 1),
            ("decide", "queued", 1),
            ("decide", "taken_over", 0),
            // Two for each of three, one for each replay, mismatch and queued one, two for the failure; none for what is refused.
            ("decide", "round_trips", 6 + 4 + 1 + 1 + 2),
            ("evaluate", "round_trips", 3),
            ("publish", "delivered", 4),
            ("consume", "applied", 4),
        ],
    )
    .await;
    for (function, latency) in [
        ("decide", "total_us"),
        ("decide", "store_us"),
        ("evaluate", "evaluate_us"),
    ] {
        assert!(
            values(&stack, function, latency).iter().any(|us| *us > 0),
            "{latency}"
        );
    }
    assert_eq!(values(&stack, "publish", "delivery_lag_ms").len(), 4);
    assert_eq!(values(&stack, "evaluate", "queued_age_ms").len(), 1);
    stack.advance(25 * 3_600).await;
    sent(post(&stack, "k1"), 409).await;
    expect(&stack, &[("decide", "result_expired", 1)]).await;
}

#[tokio::test]
async fn what_is_remembered_is_told_from_what_is_stored() {
    let cached = ["--concurrency", "1", "--env", "ANSWER_CACHE_ENTRIES=8"];
    let stack = Stack::start(&cached).await;
    sent(post(&stack, "k1").header("prefer", "respond-async"), 202).await;
    expect(&stack, &[("evaluate", "decided", 1)]).await;
    for _ in 0..3 {
        sent(post(&stack, "k1"), 200).await;
    }
    let counts = [("decide", "replayed", 1), ("decide", "replayed_cached", 2)];
    expect(&stack, &counts).await;
}

#[tokio::test]
async fn trouble_is_counted_where_it_was_met() {
    let stack = Stack::start(&["--concurrency", "2", "--function-timeout", "300"]).await;
    let hold = json!({ "point": "before_commit", "action": "hold", "seconds": 600 });
    stack.arm(&hold).await;
    let late = tokio::spawn(post(&stack, "k1").send());
    eventually("a worker at the point", async || {
        let faults = stack.get("/_local/faults").send().await.json();
        (faults["held"] == json!(["before_commit"])).then_some(())
    })
    .await;
    sent(post(&stack, "k1").header("prefer", "wait=0"), 202).await;
    stack.advance(31).await;
    sent(post(&stack, "k1"), 201).await;
    sent(
        stack.request(http::Method::DELETE, "/_local/faults/held"),
        200,
    )
    .await;
    let _ = late.await.unwrap().expect(200);

    let unknown = json!({ "call": "TransactWriteItems", "fault": "reasons_missing" });
    stack.arm(&unknown).await;
    sent(post(&stack, "k2"), 201).await;
    stack
        .arm(&json!({ "call": "PutItem", "fault": "conflict" }))
        .await;
    sent(post(&stack, "k3"), 201).await;
    stack
        .arm(&json!({ "call": "PutItem", "fault": "throttle", "times": 3 }))
        .await;
    sent(post(&stack, "k4"), 503).await;
    stack
        .arm(&json!({ "call": "TransactWriteItems", "fault": "throttle", "times": 3 }))
        .await;
    sent(post(&stack, "k5"), 503).await;
    stack
        .arm(&json!({ "point": "before_commit", "action": "panic" }))
        .await;
    sent(post(&stack, "k6"), 502).await;
    expect(
        &stack,
        &[
            ("decide", "in_progress", 1),
            ("decide", "taken_over", 1),
            ("decide", "fenced", 1),
            ("decide", "replayed", 1),
            ("decide", "outcomes_unknown", 1),
            ("decide", "outcomes_resolved", 1),
            ("decide", "conflicts", 1),
            ("decide", "failed_retryable", 1),
            ("decide", "throttled", 2),
            ("decide", "unavailable", 2),
            ("decide", "alarms", 1),
            ("decide", "decided", 3),
        ],
    )
    .await;
    let age = values(&stack, "decide", "taken_over_age_ms");
    assert!(matches!(age[..], [31_000..=60_000]), "{age:?}");
}

#[tokio::test]
async fn delivery_its_recovery_and_the_other_ends_are_counted() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    stack.sink("poison").await;
    sent(post(&stack, "k1"), 201).await;
    expect(&stack, &[("publish", "quarantined", 1)]).await;
    stack.sink("down").await;
    sent(post(&stack, "k2"), 201).await;
    eventually("a send that fails", async || {
        let sums = sums(&stack);
        sums.get(&("publish".to_owned(), "not_delivered".to_owned()))
            .copied()
    })
    .await;
    stack.advance(600).await;
    stack.sweep().await;
    stack.streams_forget().await;
    stack.sink("up").await;
    stack.sweep().await;
    expect(&stack, &[("sweep", "recovered", 1)]).await;
    let refused = stack.post("/_local/queues/intake").key("k3");
    sent(refused.body(B0.replace("credit-limit", "no-policy")), 202).await;
    let asked = stack.post("/_local/queues/intake").key("k4");
    sent(asked.body(B0.to_owned()), 202).await;
    stack.put("consume", "no event").await;
    expect(
        &stack,
        &[
            ("intake", "decided", 1),
            ("intake", "refused", 1),
            ("intake", "dead_lettered", 1),
        ],
    )
    .await;
    eventually("poison", async || {
        sums(&stack)
            .get(&("consume".to_owned(), "poison".to_owned()))
            .copied()
    })
    .await;
    assert!(
        values(&stack, "sweep", "oldest_undelivered_seconds")
            .iter()
            .any(|age| *age >= 600)
    );
}

/// The page has every metric, in its order, with its unit, and no other.
#[test]
fn the_page_of_metrics_has_them_all() {
    let page = include_str!("../../../docs/operations.md");
    let section = page
        .split("\n## ")
        .find(|part| part.starts_with("Metrics"))
        .unwrap();
    let rows = section.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((name, rest.split_once(" | ")?.0))
    });
    let metrics = Metric::EVERY.iter();
    let metrics = metrics.map(|metric| (metric.name(), metric.unit().as_str()));
    assert_eq!(rows.collect::<Vec<_>>(), metrics.collect::<Vec<_>>());
}
