//! An old release meets what a newer one has written: it writes nothing, says to come again, tells the operator, and goes on with the rest.
//! Once the newer release is back (here: the item of before) nothing is lost.

use decide_once_protocol::{ids::EventId, outbox::shard_of};
use decide_once_tests::{Stack, binary, eventually, stack::run, tables::key_of};
use serde_json::{Value, json};

use crate::support::{
    ALL, LEASE_LAPSES, SOON, alarmed_as_newer, arm, contents, credit, cut_off, has, heal, key,
    of_the_next_release, only, queued, refund, refunded, stands, try_again,
};

/// Whatever its state: a record that this release cannot read may be anybody's, and in any state.
#[tokio::test]
async fn an_operation_of_a_newer_release_is_answered_503_and_left_byte_for_byte() {
    let body = credit("acct-42");
    for (state, after) in [
        ("SUCCEEDED/1", 200),
        ("FAILED_FINAL/1", 422),
        ("PROCESSING/1", 201),
        ("PROCESSING/0", 201),
    ] {
        let stack = Stack::start(&["--concurrency", "1"]).await;
        let tables = stack.tables().await;
        let body = if state == "FAILED_FINAL/1" {
            body.replace("USD", "XXX")
        } else {
            body.clone()
        };
        match state {
            "PROCESSING/0" => queued(&stack, "K1", &body).await,
            "PROCESSING/1" => {
                arm(&stack, "after_reserve", "kill").await;
                let _ = stack.decide("K1", &body).send().await.expect(502);
                stack.advance(LEASE_LAPSES).await;
            }
            _ => drop(stack.decide("K1", &body).send().await),
        }
        let operation = key(&tables, "operations").await;
        let before = stands(&tables, &operation, state).await;
        tables
            .put("operations", &of_the_next_release(&before))
            .await;
        let left = contents(&tables).await;

        for asked in [
            stack.decide("K1", &body),
            stack.decide("K1", &body.replace("12500", "1")),
            stack
                .decide("K1", &body)
                .header("prefer", "respond-async, wait=1"),
            stack.decide("K1", &body).header("prefer", "wait=1"),
            stack.get(&format!("/v1/operations/{operation}")),
        ] {
            try_again(asked.send().await);
        }
        let others = stack.decide("K2", &credit("acct-43")).send().await;
        let _ = others.expect(201);
        alarmed_as_newer(&stack, "decide").await;
        let stays = tables.item("operations", &operation).await;
        assert!(left[0].contains(&stays), "{state}: {stays}");
        assert_eq!(tables.scan("operations").await.len(), 2);

        tables.put("operations", &before).await;
        // Past the patience with what is queued, too.
        stack.advance(LEASE_LAPSES).await;
        let _ = stack.decide("K1", &body).send().await.expect(after);
    }
}

/// Neither the stream's worker nor the sweeper touches it, and neither is held up by it.
#[tokio::test]
async fn what_a_newer_release_queued_waits_for_it_in_the_queue() {
    let stack = Stack::start(&["--sweep-every", "0"]).await;
    let tables = stack.tables().await;
    queued(&stack, "K1", &credit("acct-42")).await;
    let operation = key(&tables, "operations").await;
    let before = tables.item("operations", &operation).await;
    let next = of_the_next_release(&before);
    tables.put("operations", &next).await;
    heal(&stack).await;

    let behind = stack
        .decide("K2", &credit("acct-43"))
        .header("prefer", "respond-async");
    let behind = behind.send().await.expect(202);
    let behind = behind.json()["operationId"].as_str().unwrap().to_owned();
    let _ = stands(&tables, &behind, "SUCCEEDED").await;
    alarmed_as_newer(&stack, "evaluate").await;
    stack.advance(60).await;
    let swept = stack.sweep().await;
    assert_eq!(swept["operations"]["unreadable"], 1, "{swept}");
    assert!(
        swept["oldestDueSeconds"].as_u64() >= Some(60),
        "the alarm of the queue's age: {swept}"
    );
    alarmed_as_newer(&stack, "sweep").await;
    assert_eq!(tables.item("operations", &operation).await, next);

    tables.put("operations", &before).await;
    let _ = stands(&tables, &operation, "SUCCEEDED").await;
}

/// A message of the intake's queue whose operation is a newer release's is neither acknowledged nor a dead letter.
#[tokio::test]
async fn a_queued_message_for_an_operation_of_a_newer_release_comes_again() {
    let stack = Stack::start(&[SOON[0], SOON[1], "--queue-receives", "1000"]).await;
    let tables = stack.tables().await;
    let body = credit("acct-42");
    let _ = stack.decide("K1", &body).send().await.expect(201);
    let before = only(&tables, "operations").await;
    let next = of_the_next_release(&before);
    tables.put("operations", &next).await;

    let message = stack.post("/_local/queues/intake").key("K1").body(body);
    let _ = message.send().await.expect(202);
    eventually("two attempts", async || {
        let received = stack.queue("intake").await["received"].as_u64();
        (received >= Some(2)).then_some(())
    })
    .await;
    assert_eq!(only(&tables, "operations").await, next);
    alarmed_as_newer(&stack, "intake").await;

    tables.put("operations", &before).await;
    stack.drained("intake").await;
    assert!(stack.messages("intake-dead").await.is_empty());
    assert_eq!(tables.scan("decisions").await.len(), 1);
}

#[tokio::test]
async fn a_decision_of_a_newer_release_is_not_shown_and_its_operation_still_answers() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    let body = credit("acct-42");
    let first = stack.decide("K1", &body).send().await.expect(201);
    let path = first.header("location").unwrap();
    let next = of_the_next_release(&only(&tables, "decisions").await);
    tables.put("decisions", &next).await;

    try_again(stack.get(path).send().await);
    let replay = stack.decide("K1", &body).send().await.expect(200);
    assert_eq!(replay.body, first.body);
    alarmed_as_newer(&stack, "decide").await;
    assert_eq!(only(&tables, "decisions").await, next);
}

/// Who holds the natural key only the newer release can say: no decision, no final answer, and an attempt that does not count.
#[tokio::test]
async fn a_natural_key_of_a_newer_release_is_neither_taken_nor_taken_for_taken() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    let _ = stack.decide("K1", &refund("A-1")).send().await.expect(201);
    let is_claim = |item: &&Value| key_of("decisions", item).starts_with("claim#");
    let decisions = tables.scan("decisions").await;
    let before = decisions.iter().find(is_claim).unwrap();
    let next = of_the_next_release(before);
    tables.put("decisions", &next).await;

    // More often than attempts that count may fail.
    for _ in 0..11 {
        try_again(stack.decide("K2", &refund("A-1")).send().await);
    }
    alarmed_as_newer(&stack, "decide").await;
    let now = tables.scan("decisions").await;
    assert!(now.contains(&next) && now.len() == decisions.len());
    assert_eq!(tables.scan("outbox").await.len(), 1);

    tables.put("decisions", before).await;
    let told = stack.decide("K2", &refund("A-1")).send().await.expect(409);
    assert!(
        told.json()["type"]
            .as_str()
            .unwrap()
            .ends_with("already-decided")
    );
}

/// The publisher, the sweeper and the operator's redrive leave it; its neighbours are delivered.
#[tokio::test]
async fn an_event_of_a_newer_release_is_left_for_it_and_holds_up_nobody() {
    let stack = Stack::start(&["--sweep-every", "0"]).await;
    let tables = stack.tables().await;
    let _ = stack
        .decide("K1", &credit("acct-42"))
        .send()
        .await
        .expect(201);
    let event = key(&tables, "outbox").await;
    let mut before = has(&tables, "outbox", &event, "deliveredAt").await;
    // Another one, as undelivered as it was born.
    let other = "aaaaaaaaaaaaaaaaaaaaaaaaaa.0";
    let shard = shard_of(&EventId::parse(other).unwrap()).to_string();
    let item = before.as_object_mut().unwrap();
    item.retain(|name, _| !["deliveredAt", "ttlSec"].contains(&name.as_str()));
    let own = [
        ("event", other),
        ("undelivered", "001796083201500.000"),
        ("shard", shard.as_str()),
    ];
    for (name, value) in own {
        item.insert(name.to_owned(), json!({ "S": value }));
    }
    let next = of_the_next_release(&before);
    tables.put("outbox", &next).await;

    let _ = stack
        .decide("K2", &credit("acct-42"))
        .send()
        .await
        .expect(201);
    eventually("the neighbour's delivery", async || {
        (stack.events().await.len() == 2).then_some(())
    })
    .await;
    let unreadable = |line: &str| {
        line.starts_with("[publish ")
            && line.contains("batch published")
            && line.contains(r#""unreadable":1"#)
    };
    eventually("the alarm's count", async || {
        stack.output().lines().any(unreadable).then_some(())
    })
    .await;
    stack.advance(120).await;
    let swept = stack.sweep().await;
    assert_eq!(
        (&swept["unreadable"], &swept["delivered"]),
        (&json!(1), &json!(0))
    );
    let redrive = run(
        &binary::decide_once(),
        &["outbox", "redrive", other, "--stack", stack.url()],
    );
    assert_eq!(redrive.status.code(), Some(1), "{redrive:?}");
    let said = String::from_utf8(redrive.stdout).unwrap();
    assert!(
        said.contains("layout 2 is newer than this command"),
        "{said}"
    );
    assert_eq!(tables.item("outbox", other).await, next);

    // The sweep of a release that can read it finds it.
    tables.put("outbox", &before).await;
    assert_eq!(stack.sweep().await["delivered"], 1);
    let _ = has(&tables, "outbox", other, "deliveredAt").await;
    assert_eq!(stack.events().await.len(), 3);
}

/// A mark may say "done": the event is not acknowledged, and has no effect either.
#[tokio::test]
async fn an_event_that_a_newer_release_marked_comes_again_and_has_no_effect() {
    let review = refunded("e.2")
        .replace("refund.approved", "refund.review-requested")
        .replace("acct-42", "acct-43");
    for (event, table) in [(refunded("e.1"), "balances"), (review, "inbox")] {
        let stack = Stack::start(&[SOON[0], SOON[1], "--queue-receives", "2"]).await;
        let tables = stack.tables().await;
        stack.put("consume", event.clone()).await;
        stack.drained("consume").await;
        let next = of_the_next_release(&only(&tables, "inbox").await);
        tables.put("inbox", &next).await;
        let (left, reviews) = (contents(&tables).await, stack.reviews().await);

        stack.put("consume", event).await;
        let dead = eventually("a dead letter", async || {
            let dead = stack.messages("consume-dead").await;
            (!dead.is_empty()).then_some(dead)
        })
        .await;
        assert_eq!(dead.len(), 1, "not acknowledged, not lost");
        assert_eq!(contents(&tables).await, left, "{table}");
        assert_eq!(stack.reviews().await, reviews);
        alarmed_as_newer(&stack, "consume").await;
    }
}

/// A newer release keeps balances in another way: nothing is added to them where it would not look.
#[tokio::test]
async fn a_balance_of_a_newer_release_is_not_added_to() {
    let stack = Stack::start(&[SOON[0], SOON[1], "--queue-receives", "1000"]).await;
    let tables = stack.tables().await;
    stack.put("consume", refunded("e.1")).await;
    stack.drained("consume").await;
    let before = only(&tables, "balances").await;
    let next = of_the_next_release(&before);
    tables.put("balances", &next).await;
    let left = contents(&tables).await;

    let decided = refunded("e.3").replace("refund.approved", "credit-limit.decided");
    let decided = decided.replace(r#""refund":"#, r#""decision":"approve","refund":"#);
    stack.put("consume", refunded("e.2")).await;
    stack.put("consume", decided).await;
    eventually("attempts at both", async || {
        let output = stack.output();
        ["e.2", "e.3"]
            .iter()
            .all(|event| {
                output.lines().any(|line| {
                    line.contains("the effect is not possible now (the balance cannot be read)")
                        && line.contains(&format!(r#""event":"{event}""#))
                })
            })
            .then_some(())
    })
    .await;
    assert_eq!(contents(&tables).await, left);

    tables.put("balances", &before).await;
    stack.drained("consume").await;
    let sums = &stack.balances().await["acct-42"]["sums"];
    assert_eq!(sums, &json!({ "refunded:EUR": 1000, "decided": 1 }));
}

/// All at once: every function meets a newer item in every table that it reads, and not one item changes.
#[tokio::test]
async fn after_a_rollback_every_function_leaves_every_item_of_the_newer_release() {
    let stack = Stack::start(&["--sweep-every", "0", SOON[0], SOON[1]]).await;
    let tables = stack.tables().await;
    stack.sink("down").await;
    for number in 0..3 {
        let body = credit(&format!("acct-{number}"));
        let asked = stack.decide(&format!("K{number}"), &body);
        let _ = asked.send().await.expect(201);
    }
    stack.put("consume", refunded("e.1")).await;
    stack.drained("consume").await;
    queued(&stack, "K3", &credit("acct-3")).await;
    for function in ["decide", "publish", "sweep", "consume"] {
        cut_off(&stack, function).await;
    }
    for table in ALL {
        for item in tables.scan(table).await {
            let mut next = of_the_next_release(&item);
            // A layout of its own, whatever the functions have in hand: no fence of before fits.
            for fence in ["stands", "undelivered"] {
                if next.get(fence).is_some() {
                    next[format!("{fence}V2")] = next[fence].take();
                    next.as_object_mut().unwrap().remove(fence);
                }
            }
            tables.put(table, &next).await;
        }
    }
    let left = contents(&tables).await;
    heal(&stack).await;
    stack.sink("up").await;

    for number in 0..4 {
        let body = credit(&format!("acct-{number}"));
        let asked = stack.decide(&format!("K{number}"), &body);
        try_again(asked.send().await);
    }
    stack.put("consume", refunded("e.1")).await;
    eventually("an attempt at the event", async || {
        stack
            .output()
            .lines()
            .any(|line| line.starts_with("[consume ") && line.contains("record-newer"))
            .then_some(())
    })
    .await;
    stack.advance(120).await;
    let swept = stack.sweep().await;
    assert_eq!(swept["operations"]["succeeded"], 0, "{swept}");
    eventually("the end of the streams", async || {
        let streams = stack.metrics().await["streams"].clone();
        let is_at_its_end = |stream: &Value| stream["iteratorAgeMs"] == 0;
        streams
            .as_object()
            .unwrap()
            .values()
            .all(is_at_its_end)
            .then_some(())
    })
    .await;
    // What the publisher had in hand it has sent, as Lambda's retries of an old image do: its consumer may have new items.
    for (left, now) in left.iter().zip(contents(&tables).await) {
        for item in left {
            assert!(now.contains(item), "{item}");
        }
    }
    assert_eq!(tables.scan("operations").await.len(), 4);
    assert_eq!(tables.scan("decisions").await.len(), 3);
    assert!(!stack.output().contains("record-corrupt"));
}
