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
    let others = VARIABLES.into_iter().filter(|(other, _)| *other != name);
    let output = Command::new(env!("CARGO_BIN_EXE_publish"))
        .env_clear()
        .envs(others)
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
    ] {
        let said = refused(name, value);
        assert!(said.contains(name), "{name}: {said}");
    }
    assert!(refused("AWS_REGION", None).contains("AWS_REGION"));
}
