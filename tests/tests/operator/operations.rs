//! Operations, seen by an operator.

use decide_once_tests::{Stack, eventually};
use serde_json::{Value, json};

use crate::support::{SUBJECT, body, decide, objects, refused, run, well};

#[tokio::test]
async fn an_operation_is_found_by_its_id_or_by_its_tenant_and_key_without_what_its_caller_said() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let answer = decide(&stack, "order-7").await.json();
    let id = answer["operationId"].as_str().unwrap();
    let by_id = ["operation", "show", id];
    let by_key = ["operation", "show", "--tenant", "local", "--key", "order-7"];
    for args in [&by_id[..], &by_key[..]] {
        for json in [&[][..], &["--json"][..]] {
            let shown = well(&run(&stack, &[args, json].concat()));
            assert!(shown.contains(id) && shown.contains("SUCCEEDED"), "{shown}");
            for secret in [SUBJECT, "order-7", "12500", "25000"] {
                assert!(!shown.contains(secret), "{args:?}: {shown}");
            }
        }
    }
    let shown = objects(&run(&stack, &[&by_id[..], &["--json", "--facts"]].concat()));
    let shown = &shown[0];
    for (member, expected) in [
        ("decisionId", &answer["decisionId"]),
        ("resultExpiresAt", &answer["resultExpiresAt"]),
        ("keyRetiredUntil", &answer["keyRetiredUntil"]),
        ("policyVersion", &json!(3)),
        ("attempts", &json!(1)),
        ("tenant", &json!("local")),
        ("answer", &answer),
    ] {
        assert_eq!(&shown[member], expected, "{member}");
    }
    let unknown = ["operation", "show", "--tenant", "other", "--key", "order-7"];
    let line = refused(&run(&stack, &unknown), 1);
    assert!(
        line.contains("there is no operation") && !line.contains("order-7"),
        "{line}"
    );
}

/// The worker of the queue cannot get at the store.
#[tokio::test]
async fn a_queued_operation_that_nobody_decides_is_stale_until_somebody_does() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let stale = |more: &[&str]| {
        let list = ["operation", "list", "--stale", "--json"];
        objects(&run(&stack, &[&list[..], more].concat()))
    };
    assert_eq!(
        stale(&[]),
        [json!({ "summary": { "state": "due", "count": 0, "shown": 0 } })]
    );
    stack
        .arm(&json!({ "function": "evaluate", "call": "*", "fault": "unavailable", "times": 100_000 }))
        .await;
    let accepted = stack
        .decide("order-7", &body())
        .header("prefer", "respond-async")
        .send()
        .await
        .expect(202)
        .json();
    let id = accepted["operationId"].as_str().unwrap();
    let listed = stale(&[]);
    assert_eq!(listed[0]["operationId"], id);
    assert_eq!(listed[0]["standing"], "queued");
    assert_eq!(listed[1]["summary"]["count"], 1);
    let counted = stale(&["--limit", "0"]);
    assert_eq!(counted.len(), 1, "{counted:?}");
    for args in [
        &["operation", "list", "--stale"][..],
        &["operation", "show", id],
    ] {
        let shown = well(&run(&stack, args));
        assert!(shown.contains(id) && shown.contains("queued"), "{shown}");
        assert!(
            !shown.contains(SUBJECT) && !shown.contains("order-7"),
            "{shown}"
        );
    }
    let shown = objects(&run(
        &stack,
        &["operation", "show", id, "--facts", "--json"],
    ));
    assert_eq!(shown[0]["request"]["subject"], SUBJECT);
    assert_eq!(shown[0]["key"], "order-7");
    assert_eq!(shown[0]["keyRetiredUntil"], Value::Null);
    assert!(shown[0]["lane"].is_u64());

    stack.advance(7_200).await;
    let waits = stale(&[])[0]["dueSeconds"].as_i64().unwrap();
    assert!(
        waits >= 7_200,
        "{waits}: by the stack's clock, which was moved"
    );

    let heal = stack.request(http::Method::DELETE, "/_local/faults");
    let _ = heal.send().await.expect(200);
    eventually("the decision", async || {
        let shown = objects(&run(&stack, &["operation", "show", id, "--json"]));
        (shown[0]["state"] == "SUCCEEDED").then_some(())
    })
    .await;
    assert_eq!(stale(&[]).len(), 1);
}
