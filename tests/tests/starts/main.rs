//! Every function, started without each variable that it needs, and with each one wrong: it says which and what to set, and takes nothing.
//!
//! The real processes, as the local stack starts them, against a Runtime API that hears how they end.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod page;
mod runtime;

use std::{collections::BTreeMap, path::Path};

use page::Variable;
use runtime::RuntimeApi;

/// The functions.
const FUNCTIONS: [&str; 6] = [
    "decide", "evaluate", "publish", "sweep", "consume", "intake",
];

/// A value that a variable cannot have. What is not here is a text that may be anything.
const WRONG: [(&str, &str); 40] = [
    ("POLICIES_DIR", "/not/there"),
    ("OPERATIONS_TABLE", "no table"),
    ("DECISIONS_TABLE", "d"),
    ("OUTBOX_TABLE", "out/box"),
    ("INBOX_TABLE", "in box"),
    ("BALANCES_TABLE", "ä-table"),
    ("CONTRACT_PROFILE", "strict"),
    ("TENANT_FROM", "header"),
    ("ANSWER_CACHE_ENTRIES", "-1"),
    ("DEFAULT_WAIT_MS", "200ms"),
    ("LEASE_CAP_MS", "0.5"),
    ("QUEUE_PATIENCE_MS", ""),
    ("MISMATCH_BUDGET", "many"),
    ("RATE_PER_SECOND", "fast"),
    ("RATE_BURST", "1e3"),
    ("EVENT_SOURCE", "urn:with a space"),
    ("EVENT_LIMIT_BYTES", "0"),
    ("SINK", "pigeon"),
    ("SINK_EVENT_SOURCE", "aws.mine"),
    ("SINK_TIMEOUT_MS", "0"),
    ("SINK_CONCURRENCY", "0"),
    ("SINK_ATTEMPTS", "-1"),
    ("SINK_COOL_DOWN_MS", "long"),
    ("SINK_BATCH_ENTRIES", "11"),
    ("SINK_BATCH_BYTES", "0"),
    ("SINK_URL", "somewhere"),
    ("SINK_WEBHOOK_SECRETS", "whsec_tooShort"),
    ("SINK_TOPIC_ARN", "decisions"),
    ("SINK_QUEUE_URL", "decisions"),
    ("SWEEP_MARGIN_MS", "a minute"),
    ("MARK_RETENTION_HOURS", "1"),
    ("LONGEST_REDRIVE_HOURS", "1000"),
    ("REVIEW_DESK_URL", "desk"),
    ("INTAKE_KEY_POINTER", "orderId"),
    ("DEAD_LETTER_QUEUE_URL", "letters"),
    ("HOME_REGION", "Frankfurt"),
    ("METRICS_NAMESPACE", "AWS/Mine"),
    ("RUST_LOG", "=verbose="),
    ("CONSUMER_NAME", ""),
    ("SINK_EVENT_BUS", "not-there"),
];

/// Nothing of these is in a binary without kafka.
const OF_KAFKA: [&str; 2] = ["SINK_BROKERS", "SINK_TOPIC"];

/// What each function is given where nothing is wrong.
fn environment(function: &str, variables: &[Variable]) -> BTreeMap<&'static str, String> {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
    let given = [
        ("POLICIES_DIR", policies.to_str().unwrap()),
        ("OPERATIONS_TABLE", "operations"),
        ("DECISIONS_TABLE", "decisions"),
        ("OUTBOX_TABLE", "outbox"),
        ("INBOX_TABLE", "inbox"),
        ("BALANCES_TABLE", "balances"),
        ("SINK_URL", "http://127.0.0.1:1/"),
        ("SINK_TOPIC_ARN", "arn:aws:sns:eu-central-1:0:decisions"),
        ("SINK_QUEUE_URL", "http://127.0.0.1:1/0/decisions"),
        ("SINK_EVENT_BUS", "decisions"),
        ("INTAKE_TENANT", "local"),
        ("DEAD_LETTER_QUEUE_URL", "http://127.0.0.1:1/0/letters"),
    ];
    let own = |name: &str| {
        let of_it = variables.iter().find(|variable| variable.name == name);
        of_it.unwrap().functions.contains(&function)
    };
    let mine = given.into_iter().filter(|(name, _)| own(name));
    mine.map(|(name, value)| (name, value.to_owned())).collect()
}

/// The kind of sink without which a variable does not count.
fn sink_of(name: &str) -> Option<&'static str> {
    match name {
        "SINK_EVENT_BUS" => Some("eventbridge"),
        "SINK_TOPIC_ARN" => Some("sns"),
        "SINK_QUEUE_URL" | "SINK_BATCH_ENTRIES" | "SINK_BATCH_BYTES" => Some("sqs"),
        "SINK_EVENT_SOURCE" => Some("eventbridge"),
        _ => None,
    }
}

/// Starts `function` with `name` as `value`, or without it, and returns what it says of that.
async fn refused(function: &str, name: &'static str, value: Option<&str>) -> String {
    let variables = page::variables();
    let mut environment = environment(function, &variables);
    if let Some(sink) = sink_of(name) {
        environment.insert("SINK", sink.to_owned());
    }
    environment.remove(name);
    environment.extend(value.map(|value| (name, value.to_owned())));
    let runtime = RuntimeApi::start().await;
    let said = runtime.refused(function, &environment).await;
    let shown = value.filter(|value| value.len() > 4);
    let is_shown = shown.is_some_and(|value| said.contains(value));
    let is_secret = name == "SINK_WEBHOOK_SECRETS";
    assert!(!(is_shown && is_secret), "{function}, {name}: {said}");
    said
}

/// One process after the other for each function, functions side by side.
async fn each(check: impl AsyncFn(&'static str) + Copy) {
    for function in FUNCTIONS {
        check(function).await;
    }
}

#[tokio::test]
async fn a_function_whose_variable_is_missing_says_which_and_takes_nothing() {
    each(async |function| {
        for variable in page::variables() {
            let is_needed = variable.default.starts_with("needed");
            if is_needed
                && variable.functions.contains(&function)
                && !OF_KAFKA.contains(&variable.name)
            {
                for value in [None, Some("")] {
                    let said = refused(function, variable.name, value).await;
                    let (named, told) = (said.contains(variable.name), said.contains("set it to"));
                    assert!(named && told, "{function}, {}: {said}", variable.name);
                }
            }
        }
        let said = refused(function, "AWS_REGION", Some("")).await;
        assert!(said.contains("set AWS_REGION"), "{function}: {said}");
    })
    .await;
}

#[tokio::test]
async fn a_function_whose_variable_is_wrong_says_which_and_takes_nothing() {
    each(async |function| {
        for variable in page::variables() {
            let wrong = WRONG.iter().find(|(name, _)| *name == variable.name);
            if let Some((_, value)) = wrong
                && variable.functions.contains(&function)
            {
                let said = refused(function, variable.name, Some(value)).await;
                assert!(
                    said.contains(variable.name),
                    "{function}, {}: {said}",
                    variable.name
                );
            }
        }
    })
    .await;
}

/// Else the two above would say nothing: with all that it needs each function takes its first event.
#[tokio::test]
async fn a_function_that_has_what_it_needs_takes_its_first_event() {
    let variables = page::variables();
    each(async |function| {
        let runtime = RuntimeApi::start().await;
        runtime
            .taken(function, &environment(function, &variables))
            .await;
    })
    .await;
}

/// The page leaves no form untried.
#[test]
fn every_variable_that_has_a_form_is_tried_wrong() {
    for variable in page::variables() {
        let is_tried = WRONG.iter().any(|(name, _)| *name == variable.name);
        let is_text = variable.form.starts_with("a text") || variable.name == "INTAKE_TENANT";
        assert!(
            is_tried || is_text || OF_KAFKA.contains(&variable.name),
            "{}",
            variable.name
        );
    }
}
