//! What is wrong at the start is said in one line.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use decide_once_tests::{Stack, binary, stack::run};

/// The one line of a command that failed.
#[track_caller]
fn one_line(output: Output) -> String {
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{stderr}");
    assert_eq!(output.stdout, b"", "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr
}

#[track_caller]
fn refused_policies(policies: &Path) -> String {
    let policies = policies.to_str().unwrap();
    let args = ["--port", "0", "--policies", policies];
    one_line(run(&binary::decide_once(), &args))
}

#[test]
fn policies_that_cannot_be_used_are_named_with_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let active = directory.path().join("active.yaml");
    fs::write(&active, "credit-limit: 7\n").unwrap();
    let line = refused_policies(directory.path());
    assert!(
        line.contains("active.yaml") && line.contains("version 7"),
        "{line}"
    );

    fs::write(&active, "credit-limit: [\n").unwrap();
    assert!(refused_policies(directory.path()).contains("active.yaml"));

    fs::write(&active, "shop: 1\n").unwrap();
    let shop = directory.path().join("shop");
    fs::create_dir(&shop).unwrap();
    fs::write(shop.join("1.yaml"), "policy: shop\nversion: 1\nrules: []\n").unwrap();
    let line = refused_policies(directory.path());
    assert!(
        line.contains("shop/1.yaml:3: missing field `input`"),
        "{line}"
    );

    fs::write(shop.join("notes.txt"), "").unwrap();
    let line = refused_policies(directory.path());
    assert!(line.contains("notes.txt"), "{line}");

    let missing = directory.path().join("nowhere");
    assert!(refused_policies(&missing).contains("nowhere"));
}

/// A function process as the stack starts it, with one variable too few.
fn function_without(missing: &str) -> Output {
    function_with(&[], missing)
}

/// A function process as the stack starts it, with these variables besides. Nobody listens where it reports.
fn function_with(more: &[(&str, &str)], missing: &str) -> Output {
    let variables = [
        ("AWS_LAMBDA_RUNTIME_API", "http://127.0.0.1:1/decide/1"),
        ("AWS_REGION", "us-east-1"),
        ("POLICIES_DIR", "policies"),
        ("OPERATIONS_TABLE", "operations"),
        ("DECISIONS_TABLE", "decisions"),
        ("OUTBOX_TABLE", "outbox"),
    ];
    let mut child = Command::new(binary::decide_once())
        .args(["function", "decide"])
        .env_clear()
        .envs(variables.into_iter().filter(|(name, _)| *name != missing))
        .envs(more.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It lives as long as its stdin is open, which waiting for it would close.
    let _stdin = child.stdin.take();
    child.wait_with_output().unwrap()
}

#[test]
fn a_function_without_a_variable_names_it() {
    for missing in [
        "POLICIES_DIR",
        "OPERATIONS_TABLE",
        "DECISIONS_TABLE",
        "OUTBOX_TABLE",
    ] {
        let line = one_line(function_without(missing));
        assert!(line.contains(missing), "{line}");
    }
}

#[tokio::test]
async fn a_function_without_its_table_names_it() {
    let stack = Stack::start(&[]).await;
    let store: serde_json::Value = stack.get("/_local/store").send().await.json();
    let endpoint = store["endpoint"].as_str().unwrap().to_owned();
    let line = tokio::task::spawn_blocking(move || {
        let policies = concat!(env!("CARGO_MANIFEST_DIR"), "/../policies");
        let variables = [
            ("AWS_ENDPOINT_URL_DYNAMODB", endpoint.as_str()),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("POLICIES_DIR", policies),
            ("DECISIONS_TABLE", "decisionz"),
        ];
        one_line(function_with(&variables, ""))
    });
    let line = line.await.unwrap();
    assert!(line.contains("there is no table decisionz"), "{line}");
}
