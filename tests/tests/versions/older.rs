//! Today's release meets what version 1 has left: `life-v1.json` has every table after a life that left an item of every kind, and what
//! its callers were told. The file was written by a release of version 1 and only ever stays as it is; another version has a file of its own.
//!
//! The other direction is [`today_s_items_are_those_that_version_1_knows`]: what is written today has the attributes that it had then, so that
//! the release of before can read it.

use std::collections::BTreeMap;

use decide_once_tests::{Stack, Tables, binary, eventually, stack::run, tables::key_of};
use serde_json::{Map, Value, json};

use crate::support::{ALL, SOON, arm, credit, cut_off, has, queued, refund, refunded, stands};

const LIFE: &str = include_str!("life-v1.json");

/// 2040-01-01T00:00:00Z in seconds: when the file's life began, in the stack's time.
const BEGAN: u64 = 2_208_988_800;

/// So much later it is asked again: leases have lapsed, nothing has expired.
const LATER: u64 = 120;

const ARGUMENTS: [&str; 8] = [
    "--concurrency",
    "1",
    "--sweep-every",
    "0",
    SOON[0],
    SOON[1],
    "--queue-receives",
    "1000",
];

/// Who asked for what: key and body.
fn asked() -> Vec<(&'static str, String)> {
    let review = refund("A-2").replace("damaged", "other");
    vec![
        (
            "decided",
            credit("acct-1").replace(r#","currency":"USD""#, ""),
        ),
        ("failed", credit("acct-1").replace("USD", "XXX")),
        ("first-of-its-order", refund("A-1")),
        ("second-of-its-order", refund("A-1")),
        ("reviewed", review),
        ("given-up", credit("acct-2")),
        ("reserved", credit("acct-3")),
        ("quarantined", credit("acct-4")),
        ("undelivered", credit("acct-5")),
        ("queued", credit("acct-6")),
    ]
}

fn body(key: &str) -> String {
    let asked = asked().into_iter().find(|(name, _)| *name == key);
    asked.unwrap().1
}

/// An effect elsewhere, of an event of that time.
fn review() -> String {
    refunded("claimed.0")
        .replace("refund.approved", "refund.review-requested")
        .replace("2026-12-01", "2040-01-01")
}

/// A stack whose time is so far after [`BEGAN`].
async fn stack_at(after: u64) -> Stack {
    let stack = Stack::start(&ARGUMENTS).await;
    let now = stack
        .post("/_local/clock")
        .json(&json!({ "advanceSeconds": 0 }));
    let now = now.send().await.expect(200).json()["nowMs"]
        .as_u64()
        .unwrap();
    stack.advance(BEGAN + after - now / 1_000).await;
    stack
}

/// Lives through everything that leaves an item of its own kind; what callers were told, by key.
async fn live(stack: &Stack, tables: &Tables) -> Map<String, Value> {
    let mut told = Map::new();
    for (key, body) in asked() {
        match key {
            "given-up" => {
                eventually("every effect", async || {
                    let marks = tables.scan("inbox").await;
                    (marks.len() == 3).then_some(())
                })
                .await;
                let fault =
                    json!({ "call": "TransactWriteItems", "fault": "throttle", "times": 3 });
                stack.arm(&fault).await;
            }
            "reserved" => arm(stack, "after_reserve", "kill").await,
            "quarantined" => stack.sink("poison").await,
            "undelivered" => stack.sink("down").await,
            "queued" => {
                queued(stack, key, &body).await;
                continue;
            }
            _ => {}
        }
        let answer = stack.decide(key, &body).send().await;
        if answer.status.as_u16() < 500 {
            let text = String::from_utf8(answer.body.to_vec()).unwrap();
            told.insert(key.to_owned(), json!([answer.status.as_u16(), text]));
        }
        if key == "quarantined" {
            let event = answer.json()["events"][0]["id"]
                .as_str()
                .unwrap()
                .to_owned();
            let _ = has(tables, "outbox", &event, "quarantined").await;
        }
    }
    arm(stack, "after_effect", "kill").await;
    stack.put("consume", review()).await;
    eventually("the consumer's death", async || {
        let fed = &stack.metrics().await["fed"]["consume"]["failedInvocations"];
        (fed == 1).then_some(())
    })
    .await;
    told
}

/// Names and types of an item's attributes, and which kind of item it is.
fn shape(table: &str, item: &Value) -> (String, BTreeMap<String, String>) {
    let text = |name: &str| item[name]["S"].as_str().unwrap_or_default();
    let kind = match table {
        "operations" => text("stands").rsplit_once('/').unwrap().0.to_owned() + text("cause"),
        "decisions" if text("id").starts_with("claim#") => text("claim").to_owned(),
        "outbox" if !text("undelivered").is_empty() => "undelivered".to_owned(),
        "outbox" if !text("quarantined").is_empty() => "quarantined".to_owned(),
        "outbox" => "delivered".to_owned(),
        "inbox" if !text("claim").is_empty() => "claimed".to_owned(),
        _ => String::new(),
    };
    let attributes = item.as_object().unwrap().iter();
    let known = attributes.filter(|(name, _)| !SINCE.contains(&name.as_str()));
    let types = known.map(|(name, value)| {
        let only = value.as_object().unwrap().keys().next().unwrap();
        (name.clone(), only.clone())
    });
    (format!("{table} {kind}"), types.collect())
}

/// Attributes that came later and that an item may have: version 1 passes over them.
const SINCE: [&str; 1] = ["trace"];

/// Every kind of item that there is, with its attributes.
fn shapes(tables: &Value) -> Vec<(String, BTreeMap<String, String>)> {
    let mut shapes: Vec<_> = ALL
        .iter()
        .flat_map(|table| {
            let items = tables[table].as_array().unwrap();
            items.iter().map(|item| shape(table, item))
        })
        .collect();
    shapes.sort();
    shapes.dedup();
    shapes
}

#[tokio::test]
async fn today_s_items_are_those_that_version_1_knows() {
    let stack = stack_at(0).await;
    let tables = stack.tables().await;
    let told = live(&stack, &tables).await;
    let mut today = json!({ "told": told, "events": stack.events().await, "tables": {} });
    for table in ALL {
        today["tables"][table] = tables.scan(table).await.into();
    }
    let then: Value = serde_json::from_str(LIFE).unwrap();
    assert!(
        shapes(&today["tables"]) == shapes(&then["tables"]),
        "the life of today's release, for a file of its own if it is another version's:\n{today:#}"
    );
    let statuses = |life: &Value| -> BTreeMap<String, Value> {
        let told = life["told"].as_object().unwrap().iter();
        told.map(|(key, told)| (key.clone(), told[0].clone()))
            .collect()
    };
    assert_eq!(statuses(&today), statuses(&then));
}

/// Brings the file's items into a stack's tables, as they were.
async fn plant(tables: &Tables) -> Value {
    let life: Value = serde_json::from_str(LIFE).unwrap();
    for table in ALL {
        for item in life["tables"][table].as_array().unwrap() {
            tables.put(table, item).await;
        }
    }
    life
}

/// The record of a key, as the file has it.
fn record<'a>(life: &'a Value, status: &str) -> &'a Value {
    let operations = life["tables"]["operations"].as_array().unwrap();
    let stands = |item: &&Value| item["stands"]["S"].as_str().unwrap().starts_with(status);
    operations.iter().find(stands).unwrap()
}

#[tokio::test]
async fn what_version_1_answered_is_answered_again_and_what_it_left_undone_is_done() {
    let stack = stack_at(LATER).await;
    let tables = stack.tables().await;
    let life = plant(&tables).await;
    let undelivered = life["tables"]["outbox"].as_array().unwrap().iter();
    let undelivered = undelivered.filter(|row| row.get("undelivered").is_some());
    let undelivered: Vec<_> = undelivered.map(|row| key_of("outbox", row)).collect();

    // Replays: the same bytes, whatever spelling the schema of then takes for the same.
    for (key, told) in life["told"].as_object().unwrap() {
        let (status, text) = (told[0].as_u64().unwrap(), told[1].as_str().unwrap());
        let status = if status == 201 { 200 } else { status };
        let again = stack.decide(key, &body(key)).send().await;
        let again = again.expect(status.try_into().unwrap());
        assert_eq!(again.body, text, "{key}");
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{key}");
        if let Some(location) = again.header("location") {
            let shown = stack.get(location).send().await.expect(200);
            assert_eq!(shown.body, text, "{key}");
        }
    }
    let respelled = stack.decide("decided", &credit("acct-1")).send().await;
    assert_eq!(
        respelled.expect(200).body,
        life["told"]["decided"][1].as_str().unwrap()
    );
    let other = stack.decide("decided", &body("decided").replace("12500", "1"));
    let other = other.send().await.expect(409).json();
    assert_eq!(other["pointers"], json!(["/facts/amount"]));

    // What was left in the middle: decided now, under the ids of then.
    for (key, state) in [
        ("given-up", "FAILED_RETRYABLE/1"),
        ("reserved", "PROCESSING/1"),
    ] {
        let decided = stack
            .decide(key, &body(key))
            .send()
            .await
            .expect(201)
            .json();
        let then = record(&life, state);
        assert_eq!(decided["decisionId"], then["decision"]["S"], "{key}");
    }
    let then = record(&life, "PROCESSING/0");
    let now = stands(&tables, key_of("operations", then), "SUCCEEDED/1").await;
    assert_eq!(now["decision"], then["decision"]);

    // Events: what the sink did not have, and what it refused.
    let arrived = async |id: &str| {
        eventually("an event of then", async || {
            let events = stack.events().await;
            events.into_iter().find(|event| event["id"] == id)
        })
        .await
    };
    assert_eq!(undelivered.len(), 1);
    let event = arrived(undelivered[0]).await;
    assert_eq!(event["subject"], "acct-5");
    assert_eq!(event["data"]["decision"], "approve");
    let told: Value =
        serde_json::from_str(life["told"]["quarantined"][1].as_str().unwrap()).unwrap();
    let id = told["events"][0]["id"].as_str().unwrap();
    let redrive = run(
        &binary::decide_once(),
        &[
            "outbox",
            "redrive",
            "--quarantined",
            "--yes",
            "--stack",
            stack.url(),
        ],
    );
    assert!(redrive.status.success(), "{redrive:?}");
    assert_eq!(arrived(id).await["time"], told["evaluatedAt"]);

    // Marks: what had its effect has none again, and what was claimed is taken over.
    for event in life["events"].as_array().unwrap() {
        stack.put("consume", event.to_string()).await;
    }
    stack.put("consume", review()).await;
    stack.drained("consume").await;
    let sums = stack.balances().await;
    assert_eq!(sums["acct-42"]["sums"], json!({ "refunded:EUR": 500 }));
    assert_eq!(sums["acct-1"]["sums"], json!({ "decided": 1 }));
    let reviews = stack.reviews().await;
    assert_eq!(reviews.len(), 1, "{reviews:?}");
    assert_eq!(reviews[0]["review"]["event"], "claimed.0");
}

/// Neither stream tells of it any more: the sweeper finds it by its state.
#[tokio::test]
async fn what_version_1_left_behind_is_swept() {
    let stack = stack_at(LATER).await;
    let tables = stack.tables().await;
    for function in ["evaluate", "publish"] {
        cut_off(&stack, function).await;
    }
    stack.sink("down").await;
    let _ = plant(&tables).await;
    // Past the streams' memory, and before the keys end.
    stack.advance(25 * 3_600).await;
    stack.sink("up").await;
    // Those whom the streams wake stay cut off: nobody but the sweeper can have done it.
    let swept = stack.sweep().await;
    assert_eq!(swept["delivered"], 1, "{swept}");
    assert_eq!(swept["operations"]["succeeded"], 1, "{swept}");
    assert_eq!(swept["unreadable"], 0, "{swept}");
}
