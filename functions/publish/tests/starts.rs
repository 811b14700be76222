//! The deployed binary without what it needs: it says which, before it takes a batch.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

/// All that the function needs, and what Lambda itself sets.
const VARIABLES: [(&str, &str); 10] = [
    // Nobody listens there: a function that got so far would fail with another message.
    ("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:1"),
    ("AWS_LAMBDA_FUNCTION_NAME", "publish"),
    ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512"),
    ("AWS_LAMBDA_LOG_GROUP_NAME", "test"),
    ("AWS_LAMBDA_LOG_STREAM_NAME", "test"),
    ("AWS_REGION", "eu-central-1"),
    ("OUTBOX_TABLE", "outbox"),
    ("SINK_URL", "http://127.0.0.1:1/"),
    ("SINK_TIMEOUT_MS", "1000"),
];

/// Runs it with `name` as `value`, or without it, and returns what it says.
fn refused(name: &str, value: Option<&str>) -> String {
    refused_with(&[], name, value)
}

/// As [`refused`], with these variables beside.
fn refused_with(beside: &[(&str, &str)], name: &str, value: Option<&str>) -> String {
    let others = VARIABLES.iter().chain(beside).copied();
    let output = Command::new(env!("CARGO_BIN_EXE_publish"))
        .env_clear()
        .envs(others.filter(|(other, _)| *other != name))
        .envs(value.map(|value| (name, value)))
        .output()
        .unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    for (name, value) in [
        ("OUTBOX_TABLE", None),
        ("OUTBOX_TABLE", Some("")),
        ("SINK_URL", None),
        ("SINK_URL", Some("somewhere")),
        ("SINK_TIMEOUT_MS", Some("0")),
        ("SINK_TIMEOUT_MS", Some("soon")),
        ("SINK", Some("pigeon")),
        ("SINK_CONCURRENCY", Some("0")),
        ("SINK_ATTEMPTS", Some("-1")),
        ("SINK_COOL_DOWN_MS", Some("long")),
    ] {
        let said = refused(name, value);
        assert!(said.contains(name), "{name}: {said}");
    }
    assert!(refused("AWS_REGION", None).contains("AWS_REGION"));
    let said = refused("AWS_CA_BUNDLE", Some("/not/there.pem"));
    assert!(
        said.contains("AWS_CA_BUNDLE") && said.contains("/not/there.pem"),
        "{said}"
    );
}

/// Of each kind of sink what it needs, and of no other.
#[test]
fn what_the_chosen_sink_needs_is_named() {
    for (sink, name, value) in [
        ("http", "SINK_URL", None),
        ("http", "SINK_WEBHOOK_SECRETS", Some("whsec_tooShort")),
        ("eventbridge", "SINK_EVENT_BUS", None),
        ("eventbridge", "SINK_EVENT_SOURCE", Some("aws.decisions")),
        ("sns", "SINK_TOPIC_ARN", None),
        ("sqs", "SINK_QUEUE_URL", None),
        ("sqs", "SINK_BATCH_ENTRIES", Some("11")),
        ("sqs", "SINK_BATCH_BYTES", Some("0")),
    ] {
        let needed = [
            ("SINK", sink),
            ("SINK_EVENT_BUS", "decisions"),
            (
                "SINK_TOPIC_ARN",
                "arn:aws:sns:eu-central-1:000000000000:decisions",
            ),
            (
                "SINK_QUEUE_URL",
                "http://127.0.0.1:1/000000000000/decisions",
            ),
        ];
        let said = refused_with(&needed, name, value);
        assert!(said.contains(name), "{sink}, {name}: {said}");
        assert!(!said.contains("tooShort"), "{said}");
    }
    if !cfg!(feature = "kafka") {
        let said = refused("SINK", Some("kafka"));
        assert!(said.contains("feature kafka"), "{said}");
    }
}

/// Events would go nowhere, and nobody would be told: so the bus is looked at before the first batch.
#[test]
fn a_bus_that_cannot_be_looked_at_is_said_before_the_first_batch() {
    let nobody_there = [
        ("SINK", "eventbridge"),
        ("SINK_EVENT_BUS", "decisions"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"),
        ("AWS_ACCESS_KEY_ID", "test"),
    ];
    let said = refused_with(&nobody_there, "AWS_SECRET_ACCESS_KEY", Some("test"));
    assert!(said.contains("SINK_EVENT_BUS"), "{said}");
}
