//! What is wrong is said in one line, with what to do; nothing secret is in it.

use decide_once_tests::Stack;

use crate::support::{refused, run, run_with};

const LIST: &[&str] = &["outbox", "list"];
const SECRET: &str = "a-very-secret-key";

/// Credentials and a region, and this endpoint.
fn variables(endpoint: &str) -> [(&str, &str); 4] {
    [
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_ENDPOINT_URL_DYNAMODB", endpoint),
    ]
}

#[tokio::test]
async fn a_table_that_is_missing_is_named_with_the_variable_that_names_it() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let store = stack.get("/_local/store").send().await.expect(200).json();
    let endpoint = store["endpoint"].as_str().unwrap();
    let operation = ["operation", "show", "--tenant", "local", "--key", "order-7"];
    let event = "aaaaaaaaaaaaaaaaaaaaaaaaaa.0";
    for (args, variable) in [
        (LIST, "OUTBOX_TABLE"),
        (&["outbox", "list", "--quarantined"], "OUTBOX_TABLE"),
        (&["outbox", "show", event], "OUTBOX_TABLE"),
        (&["operation", "list", "--stale"], "OPERATIONS_TABLE"),
        (&operation, "OPERATIONS_TABLE"),
    ] {
        let wrong = [&variables(endpoint)[..], &[(variable, "no-such-table")]].concat();
        let line = refused(&run_with(args, &wrong), 1);
        assert!(
            line.contains("no-such-table") && line.contains(variable),
            "{line}"
        );
        assert!(line.contains(endpoint) && !line.contains(SECRET), "{line}");
    }
}

#[test]
fn an_endpoint_that_does_not_answer_is_named_without_its_password() {
    let output = run_with(LIST, &variables("http://user:hidden@127.0.0.1:1"));
    let line = refused(&output, 1);
    assert!(line.contains("http://127.0.0.1:1"), "{line}");
    assert!(!line.contains("hidden") && !line.contains(SECRET), "{line}");
}

#[test]
fn what_the_environment_lacks_is_named() {
    let without = |name: &str| {
        let all = variables("http://127.0.0.1:1");
        let some: Vec<_> = all
            .into_iter()
            .filter(|(other, _)| *other != name)
            .collect();
        refused(&run_with(LIST, &some), 1)
    };
    let line = without("AWS_REGION");
    assert!(
        line.contains("AWS_REGION") && line.contains("--local"),
        "{line}"
    );
    let line = without("AWS_SECRET_ACCESS_KEY");
    assert!(
        line.contains("AWS_SECRET_ACCESS_KEY") && line.contains("--local"),
        "{line}"
    );
}

#[test]
fn a_stack_that_is_not_there_is_named() {
    let stack =
        |url: &str, code| refused(&run_with(&["outbox", "list", "--stack", url], &[]), code);
    let line = stack("http://127.0.0.1:1", 1);
    assert!(
        line.contains("http://127.0.0.1:1") && line.contains("serve"),
        "{line}"
    );
    assert!(stack("127.0.0.1:3000", 2).contains("--stack"));
    assert!(stack("https://127.0.0.1:3000", 2).contains("--stack"));
}

#[tokio::test]
async fn wrong_usage_is_told_from_what_is_not_done() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let id = "aaaaaaaaaaaaaaaaaaaaaaaaaa.0";
    for (args, expected) in [
        (&["outbox", "redrive"][..], "EVENT"),
        (&["outbox", "redrive"], "--quarantined"),
        (&["operation", "show"], "--key"),
        (&["outbox", "redrive", id, "--quarantined"], "--quarantined"),
        (&["outbox", "redrive", id, "--limit", "3"], "--limit"),
        (
            &["outbox", "redrive", id, "--older-than", "5m"],
            "--older-than",
        ),
        (&["outbox", "redrive", "--limit", "3"], "--quarantined"),
        (&["outbox", "show", "nonsense"], "a decision's id"),
        (&["outbox", "list", "--older-than", "5"], "90s, 5m, 2h, 7d"),
        (&["outbox", "list", "--local"], "--local"),
        (&["operation", "show", "--tenant", "local"], "--key"),
        (&["operation", "show", "nonsense"], "OPERATION"),
        (&["operation", "list"], "--stale"),
    ] {
        let line = refused(&run(&stack, args), 2);
        assert!(line.contains(expected), "{args:?}: {line}");
    }
}
