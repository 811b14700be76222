//! The local-only API.

use decide_once_tests::Stack;
use serde_json::{Value, json};

use crate::start;

async fn one_process() -> Stack {
    start(&["--concurrency", "1"]).await
}

#[tokio::test]
async fn what_is_not_there_is_404_and_another_method_is_405() {
    let stack = one_process().await;
    let nope = stack.get("/_local/nope").send().await.expect(404);
    assert!(
        nope.json()["message"]
            .as_str()
            .unwrap()
            .contains("/_local/nope")
    );
    let get = stack.get("/_local/sink/receive").send().await.expect(405);
    assert_eq!(get.header("allow"), Some("POST"));
}

#[tokio::test]
async fn the_clock_moves_forward_by_what_was_said() {
    let stack = one_process().await;
    let first = advance(&stack, json!({ "advanceSeconds": 31 })).await;
    let second = advance(&stack, json!({ "advanceSeconds": 86_400 })).await;
    assert_eq!(first["offsetMs"], 31_000);
    assert_eq!(second["offsetMs"], 86_431_000);
    let apart = second["nowMs"].as_i64().unwrap() - first["nowMs"].as_i64().unwrap();
    assert!((86_400_000..86_460_000).contains(&apart), "{apart}");
}

async fn advance(stack: &Stack, by: Value) -> Value {
    stack
        .post("/_local/clock")
        .json(&by)
        .send()
        .await
        .expect(200)
        .json()
}

#[tokio::test]
async fn a_move_that_is_none_changes_nothing() {
    let stack = one_process().await;
    for by in [
        json!({}),
        json!({ "advanceSeconds": -1 }),
        json!({ "advanceSeconds": "31" }),
        json!({ "advanceSeconds": 1e15 }),
        json!({ "advanceSeconds": u64::MAX }),
        json!({ "advanceSeconds": 1, "seconds": 1 }),
    ] {
        let answer = stack.post("/_local/clock").json(&by).send().await;
        assert_eq!(answer.status, 400, "{by}");
    }
    assert_eq!(
        advance(&stack, json!({ "advanceSeconds": 0 })).await["offsetMs"],
        0
    );
}

#[tokio::test]
async fn with_a_data_directory_the_next_start_is_not_in_the_past_of_what_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let args = [
        "--concurrency",
        "1",
        "--data",
        data.path().to_str().unwrap(),
    ];
    let stack = start(&args).await;
    let told = advance(&stack, json!({ "advanceSeconds": 86_400 })).await;
    assert_eq!(told["offsetMs"], 86_400_000);
    let first = stack.get("/_local/clock").send().await.expect(200).json();
    drop(stack);
    let stack = start(&args).await;
    let told = stack.get("/_local/clock").send().await.expect(200).json();
    assert_eq!(told["offsetMs"], 86_400_000);
    assert!(told["nowMs"].as_i64() >= first["nowMs"].as_i64());
}

#[tokio::test]
async fn the_sink_keeps_events_in_order_duplicates_included() {
    let stack = one_process().await;
    for id in ["e1", "e2", "e1"] {
        assert_eq!(deliver(&stack, id).await, 204);
    }
    let events = stack.events().await;
    let ids: Vec<_> = events
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["e1", "e2", "e1"]);
}

#[tokio::test]
async fn a_sink_that_is_down_takes_nothing_until_it_is_up() {
    let stack = one_process().await;
    stack.sink("down").await;
    assert_eq!(deliver(&stack, "e1").await, 503);
    stack.sink("up").await;
    assert_eq!(deliver(&stack, "e1").await, 204);
    assert_eq!(stack.events().await.len(), 1);
    let unknown = stack
        .post("/_local/sink")
        .json(&json!({ "state": "sideways" }));
    let _ = unknown.send().await.expect(400);
}

#[tokio::test]
async fn the_sink_takes_cloudevents_only() {
    let stack = one_process().await;
    let receive = || stack.post("/_local/sink/receive");
    let _ = receive().json(&event("e1")).send().await.expect(415);
    for broken in ["{}", "[]", "not json"] {
        let request = receive().header("content-type", "application/cloudevents+json");
        let _ = request.body(broken).send().await.expect(400);
    }
    assert_eq!(stack.events().await.len(), 0);
}

async fn deliver(stack: &Stack, id: &str) -> u16 {
    let request = stack
        .post("/_local/sink/receive")
        .header(
            "content-type",
            "application/cloudevents+json; charset=utf-8",
        )
        .body(event(id).to_string());
    request.send().await.status.as_u16()
}

fn event(id: &str) -> Value {
    json!({ "specversion": "1.0", "id": id, "source": "/test", "type": "test.happened", "data": { "n": 1 } })
}

#[tokio::test]
async fn faults_wait_for_their_calls_until_they_are_disarmed() {
    let stack = one_process().await;
    let arm = |fault: Value| stack.post("/_local/faults").json(&fault).send();
    let armed = arm(json!({ "call": "PutItem", "fault": "conflict", "times": 2 }))
        .await
        .expect(200);
    assert_eq!(armed.json(), json!({ "pending": 2 }));
    for wrong in [
        json!({ "call": "PutItem", "fault": "sideways" }),
        json!({ "function": "nobody", "call": "PutItem", "fault": "conflict" }),
        json!(null),
    ] {
        let _ = arm(wrong).await.expect(400);
    }
    let disarm = stack.request(http::Method::DELETE, "/_local/faults");
    assert_eq!(
        disarm.send().await.expect(200).json(),
        json!({ "pending": 0 })
    );
}

#[tokio::test]
async fn the_last_request_is_measured_by_itself() {
    let stack = one_process().await;
    assert_eq!(stack.metrics().await["lastRequest"], Value::Null);
    let answer = stack.get("/nowhere").send().await;
    let last = &stack.metrics().await["lastRequest"];
    assert_eq!(last["requestId"], answer.header("apigw-requestid").unwrap());
    assert_eq!(last["status"], answer.status.as_u16());
    assert_eq!(last["overlapped"], false);
    assert_eq!(
        last["calls"]["byOperation"],
        json!({}),
        "an unknown path asks the store nothing"
    );
}

#[tokio::test]
async fn a_crash_point_waits_for_its_worker_until_it_is_disarmed() {
    let stack = one_process().await;
    let arm = |fault: Value| stack.post("/_local/faults").json(&fault).send();
    let _ = arm(json!({ "point": "before_commit", "action": "hold", "seconds": 5 }))
        .await
        .expect(200);
    let armed = stack.get("/_local/faults").send().await.json();
    assert_eq!(armed["armed"], json!(["before_commit"]));
    for wrong in [
        json!({ "point": "after_lunch", "action": "kill" }),
        json!({ "point": "after_commit", "action": "explode" }),
        json!({ "point": "after_commit", "action": "kill", "seconds": 1 }),
        json!({ "point": "after_commit", "action": "hold" }),
        json!({ "point": "after_commit", "action": "hold", "seconds": 0 }),
        json!({ "point": "after_commit" }),
    ] {
        assert_eq!(arm(wrong.clone()).await.status, 400, "{wrong}");
    }
    let disarm = stack.request(http::Method::DELETE, "/_local/faults");
    let _ = disarm.send().await.expect(200);
    let armed = stack.get("/_local/faults").send().await.json();
    assert_eq!(armed["armed"], json!([]));
}

#[tokio::test]
async fn the_sink_gives_back_the_bytes_that_it_got() {
    let stack = one_process().await;
    let text = r#"{"specversion":"1.0","type":"t","id":"e1","source":"/test","data":1.50}"#;
    let request = stack
        .post("/_local/sink/receive")
        .header("content-type", "application/cloudevents+json");
    let _ = request.body(text).send().await.expect(204);
    let events = stack.get("/_local/events").send().await;
    assert_eq!(events.body, format!("[{text}]").as_bytes());
}

#[tokio::test]
async fn what_the_sink_has_acknowledged_survives_the_stack() {
    let data = tempfile::tempdir().unwrap();
    let args = [
        "--concurrency",
        "1",
        "--data",
        data.path().to_str().unwrap(),
    ];
    let mut stack = start(&args).await;
    assert_eq!(deliver(&stack, "e1").await, 204);
    stack.crash();
    let stack = start(&args).await;
    assert_eq!(deliver(&stack, "e2").await, 204);
    let events = stack.events().await;
    assert_eq!(
        (&events[0]["id"], &events[1]["id"]),
        (&json!("e1"), &json!("e2"))
    );
}

#[tokio::test]
async fn the_store_can_be_looked_into() {
    let stack = one_process().await;
    let store = stack.get("/_local/store").send().await.expect(200).json();
    assert!(
        store["endpoint"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
    assert_eq!(store["tables"]["outbox"], "outbox");
}
