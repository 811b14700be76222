//! Events on their way out, seen and sent again by an operator.

use std::collections::BTreeSet;

use decide_once_tests::{Stack, eventually, signal};
use serde_json::{Value, json};

use crate::support::{
    SUBJECT, counted, decide, event, objects, parsed, refused, run, run_with, text, until_counted,
    well,
};

const QUARANTINED: &[&str] = &["--quarantined"];

/// A stack whose sink refused the event of one decision for good.
async fn with_poison() -> (Stack, String) {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    stack.sink("poison").await;
    let id = event(&decide(&stack, "order-7").await);
    until_counted(&stack, QUARANTINED, 1).await;
    (stack, id)
}

/// Returns once the event is delivered.
async fn delivered(stack: &Stack, id: &str) {
    eventually("the delivery", async || {
        let row = objects(&run(stack, &["outbox", "show", id, "--json"]));
        (row[0]["state"] == "delivered").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_poison_event_is_listed_with_its_reason_redriven_and_delivered_once_with_its_id() {
    let (stack, id) = with_poison().await;
    let list = well(&run(&stack, &["outbox", "list", "--quarantined"]));
    let row = list.lines().nth(1).unwrap();
    assert!(row.starts_with(&id), "{list}");
    assert!(row.contains("credit-limit.decided"), "{list}");
    assert!(row.ends_with("it answered 422"), "{list}");
    assert!(
        list.lines().nth(2).unwrap().starts_with("1 quarantined"),
        "{list}"
    );
    assert_eq!(counted(&stack, &[]), 0, "it is not on its way");

    stack.sink("up").await;
    let redriven = well(&run(
        &stack,
        &["outbox", "redrive", "--quarantined", "--yes"],
    ));
    assert!(
        redriven.starts_with(&id) && redriven.ends_with("1 redriven\n"),
        "{redriven}"
    );
    delivered(&stack, &id).await;
    let events = stack.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["id"], id.as_str());

    // The second run finds nothing to do.
    let again = well(&run(
        &stack,
        &["outbox", "redrive", "--quarantined", "--yes"],
    ));
    assert_eq!(again, "0 redriven\n");
    assert_eq!(
        (counted(&stack, QUARANTINED), counted(&stack, &[])),
        (json!(0), json!(0))
    );
    assert_eq!(stack.events().await, events);
}

#[tokio::test]
async fn an_event_that_is_redriven_by_its_id_is_sent_once_more_with_the_same_id_and_content() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let id = event(&decide(&stack, "order-7").await);
    delivered(&stack, &id).await;
    let before = stack.events().await;
    assert_eq!(before.len(), 1);
    let done = objects(&run(&stack, &["outbox", "redrive", &id, "--json"]));
    assert_eq!(done[0], json!({ "event": id, "result": "redriven" }));
    let events = eventually("the second delivery", async || {
        let events = stack.events().await;
        (events.len() == 2).then_some(events)
    })
    .await;
    assert_eq!(events[1], before[0], "one id, one content");
    delivered(&stack, &id).await;
}

#[tokio::test]
async fn a_redrive_that_was_not_confirmed_or_only_tried_changes_nothing() {
    let (stack, id) = with_poison().await;
    let row = objects(&run(&stack, &["outbox", "show", &id, "--json"]));
    let line = refused(&run(&stack, &["outbox", "redrive", "--quarantined"]), 2);
    assert!(line.contains("--yes"), "{line}");
    let tried = objects(&run(
        &stack,
        &["outbox", "redrive", "--quarantined", "--dry-run", "--json"],
    ));
    assert_eq!(
        tried[0],
        json!({ "event": id, "result": "would be redriven" })
    );
    assert_eq!(tried[1]["summary"]["dryRun"], true);
    let tried = objects(&run(
        &stack,
        &["outbox", "redrive", &id, "--dry-run", "--json"],
    ));
    assert_eq!(tried[1]["summary"]["redriven"], 1);
    let after = objects(&run(&stack, &["outbox", "show", &id, "--json"]));
    assert_eq!(after, row);
    assert_eq!(row[0]["state"], "quarantined");
}

/// Neither a redrive nor a look makes a row; the other event of the same call is sent all the same.
#[tokio::test]
async fn an_event_that_never_was_is_told_and_not_created() {
    let (stack, id) = with_poison().await;
    stack.sink("up").await;
    let never = "aaaaaaaaaaaaaaaaaaaaaaaaaa.0";
    let output = run(&stack, &["outbox", "redrive", never, &id, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = parsed(&text(&output.stdout));
    assert_eq!(lines[0]["result"], "failed");
    assert_eq!(lines[1], json!({ "event": id, "result": "redriven" }));
    let expected = json!({ "dryRun": false, "redriven": 1, "skipped": 0, "failed": 1 });
    assert_eq!(lines[2]["summary"], expected);
    delivered(&stack, &id).await;
    let line = refused(&run(&stack, &["outbox", "show", never]), 1);
    assert!(line.contains("there is no event"), "{line}");
    assert_eq!(
        (counted(&stack, &[]), counted(&stack, QUARANTINED)),
        (json!(0), json!(0))
    );
}

/// As after an interruption: what is done stays done, and the next run goes on with the rest.
#[tokio::test]
async fn a_redrive_that_stopped_in_the_middle_is_run_again() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    stack.sink("poison").await;
    let mut ids = BTreeSet::new();
    for number in 0..5 {
        ids.insert(event(&decide(&stack, &format!("order-{number}")).await));
    }
    until_counted(&stack, QUARANTINED, 5).await;
    let shown = objects(&run(
        &stack,
        &["outbox", "list", "--quarantined", "--limit", "2", "--json"],
    ));
    let summary = &shown[2]["summary"];
    assert_eq!(
        (&summary["shown"], &summary["count"]),
        (&json!(2), &json!(5))
    );
    let since: Vec<_> = shown[..2].iter().map(|row| row["since"].as_str()).collect();
    assert!(since.is_sorted(), "{shown:?}");
    assert_eq!(counted(&stack, &["--quarantined", "--older-than", "1h"]), 0);

    stack.sink("up").await;
    let redrive = ["outbox", "redrive", "--quarantined", "--yes", "--json"];
    let first = objects(&run(&stack, &[&redrive[..], &["--limit", "2"]].concat()));
    assert_eq!(first.last().unwrap()["summary"]["redriven"], 2);
    assert_eq!(first[0]["event"], shown[0]["event"], "oldest first");
    let second = objects(&run(&stack, &redrive));
    assert_eq!(second.last().unwrap()["summary"]["redriven"], 3);
    let events = eventually("five deliveries", async || {
        let events = stack.events().await;
        (events.len() == 5).then_some(events)
    })
    .await;
    let sent: BTreeSet<_> = events
        .iter()
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sent, ids);
}

#[tokio::test]
async fn what_an_event_says_is_shown_only_to_who_asks_for_it() {
    let (stack, id) = with_poison().await;
    for args in [
        &["outbox", "list", "--quarantined"][..],
        &["outbox", "list", "--quarantined", "--json"],
        &["outbox", "show", &id],
        &["outbox", "show", &id, "--json"],
        &["outbox", "redrive", &id, "--dry-run"],
    ] {
        let shown = well(&run(&stack, args));
        assert!(shown.contains(&id), "{shown}");
        for secret in [SUBJECT, "12500", "order-7"] {
            assert!(!shown.contains(secret), "{args:?}: {shown}");
        }
    }
    let shown = objects(&run(&stack, &["outbox", "show", &id, "--json", "--data"]));
    let row = &shown[0];
    assert_eq!(row["reason"], "it answered 422");
    assert_eq!(row["policyVersion"], 3);
    assert_eq!(row["decisionId"], id.trim_end_matches(".0"));
    assert_eq!(row["keptUntil"], Value::Null);
    assert_eq!(row["cloudEvent"]["id"], id.as_str());
    assert_eq!(row["cloudEvent"]["subject"], SUBJECT);
}

/// The acceptance of the outbox: sink down, ten posts, the publisher dies, sink up.
#[tokio::test]
async fn ten_events_outlive_their_sink_and_their_publisher() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    stack.sink("down").await;
    let mut ids = BTreeSet::new();
    for number in 0..10 {
        ids.insert(event(&decide(&stack, &format!("order-{number}")).await));
    }
    until_counted(&stack, &[], 10).await;
    let processes = stack.processes().await;
    let publisher = processes
        .iter()
        .find(|process| process.function == "publish")
        .unwrap();
    signal::send("KILL", publisher.pid);
    eventually("another publisher", async || {
        let processes = stack.processes().await;
        processes
            .iter()
            .any(|process| process.function == "publish" && process.pid != publisher.pid)
            .then_some(())
    })
    .await;
    assert!(stack.events().await.is_empty());
    stack.sink("up").await;
    until_counted(&stack, &[], 0).await;
    let events = stack.events().await;
    let sent: BTreeSet<_> = events
        .iter()
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sent, ids);
    assert_eq!(counted(&stack, QUARANTINED), 0);
}

/// As on AWS, with what the standard variables name.
#[tokio::test]
async fn the_variables_of_aws_name_the_store() {
    let (stack, id) = with_poison().await;
    let store = stack.get("/_local/store").send().await.expect(200).json();
    let endpoint = store["endpoint"].as_str().unwrap();
    for variable in ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"] {
        let variables = [
            (variable, endpoint),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("OUTBOX_TABLE", store["tables"]["outbox"].as_str().unwrap()),
        ];
        let list = objects(&run_with(
            &["outbox", "list", "--quarantined", "--json"],
            &variables,
        ));
        assert_eq!(list[0]["event"], id.as_str());
    }
}
