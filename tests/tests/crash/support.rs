//! A client that retries, points at which workers stop, and a look into the tables.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Credentials, Region},
};
use decide_once_dynamodb::items::{Item, decision, outbox};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::outbox::{Delivery, OutboxRow};
use decide_once_tests::{Answer, Request, Stack, eventually};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// The body of the cases.
pub(crate) const B0: &str =
    r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

/// Past every lease, in seconds.
pub(crate) const LEASE_LAPSES: u64 = 31;

/// A key that no other test has.
pub(crate) fn fresh_key() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("0d9a5b52-58c4-4a0b-8f0b-{number:012}")
}

/// `POST /v1/decisions`.
pub(crate) fn post(stack: &Stack, key: &str) -> Request {
    stack.decide(key, B0)
}

/// A call that is under way while the test goes on.
pub(crate) fn posted(stack: &Stack, key: &str) -> JoinHandle<Answer> {
    tokio::spawn(post(stack, key).send())
}

/// Asks again, with the same key, until there is a decision: what the advice `same-key` says, and a bare 502 or 503 of
/// the gateway.
pub(crate) async fn retried(stack: &Stack, key: &str) -> Answer {
    eventually("a decision", async || {
        let answer = post(stack, key).try_send().await.ok()?;
        match answer.status.as_u16() {
            200 | 201 => Some(answer),
            202 | 500..=599 => {
                let advice = &answer.json()["retry"];
                assert!(advice.is_null() || advice == "same-key", "{answer:?}");
                None
            }
            _ => panic!("{answer:?}"),
        }
    })
    .await
}

/// The next worker that gets to `point` dies there.
pub(crate) async fn kill_at(stack: &Stack, point: &str) {
    stack
        .arm(&json!({ "point": point, "action": "kill" }))
        .await;
}

/// The next worker that gets to `point` panics there.
pub(crate) async fn panic_at(stack: &Stack, point: &str) {
    stack
        .arm(&json!({ "point": point, "action": "panic" }))
        .await;
}

/// The next worker that gets to `point` stands still until it is [let go](let_go).
pub(crate) async fn hold_at(stack: &Stack, point: &str) {
    stack
        .arm(&json!({ "point": point, "action": "hold", "seconds": 600 }))
        .await;
}

/// Returns once a worker stands still at `point`.
pub(crate) async fn held(stack: &Stack, point: &str) {
    eventually("a worker at the point", async || {
        let faults = stack.get("/_local/faults").send().await.json();
        (faults["held"] == json!([point])).then_some(())
    })
    .await;
}

/// Lets go of whoever stands still.
pub(crate) async fn let_go(stack: &Stack) {
    let _ = stack
        .request(http::Method::DELETE, "/_local/faults/held")
        .send()
        .await
        .expect(200);
}

/// The operation that an answer names, as its status tells of it.
pub(crate) async fn operation(stack: &Stack, answer: &Answer) -> Value {
    let id = answer.json()["operationId"].as_str().unwrap().to_owned();
    let path = format!("/v1/operations/{id}");
    stack.get(&path).send().await.expect(200).json()
}

/// The ids of events, in order of arrival.
pub(crate) fn ids(events: &[Value]) -> Vec<String> {
    let id = |event: &Value| event["id"].as_str().unwrap().to_owned();
    events.iter().map(id).collect()
}

/// The ids of the events that a decision names.
pub(crate) fn announced(answer: &Answer) -> Vec<String> {
    ids(answer.json()["events"].as_array().unwrap())
}

/// All that the sink has received once every row is delivered or quarantined and nothing is under way any more.
pub(crate) async fn settled(stack: &Stack) -> Vec<Value> {
    let tables = Tables::of(stack).await;
    eventually("the end of all deliveries", async || {
        let standing = tables.outbox().await;
        let open = |row: &Row| matches!(row.row.delivery, Delivery::Undelivered(_));
        let metrics = stack.metrics().await;
        let busy = metrics["functions"]["publish"]["inFlight"] != 0
            || metrics["streams"]["publish"]["iteratorAgeMs"] != 0;
        (!busy && !standing.iter().any(open)).then_some(())
    })
    .await;
    stack.events().await
}

/// One decision and its one event: in the tables, and at the sink, where it may have arrived more than once but always
/// as it is.
pub(crate) async fn exactly_one(stack: &Stack, answer: &Answer) -> Vec<Value> {
    let events = settled(stack).await;
    let tables = Tables::of(stack).await;
    let decision = answer.json()["decisionId"].as_str().unwrap().to_owned();
    assert_eq!(tables.decisions().await, [decision]);
    let rows = tables.outbox().await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let [expected] = <[_; 1]>::try_from(announced(answer)).unwrap();
    assert_eq!(rows[0].row.event.id.as_str(), expected);
    assert!(!events.is_empty());
    for event in &events {
        assert_eq!(event["id"], expected.as_str());
        assert_eq!(event, &events[0], "one id, one content");
    }
    events
}

/// A row of the outbox, and whether TTL may take it some time.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) row: OutboxRow,
    pub(crate) ends: bool,
}

/// The stack's tables, seen past its functions.
pub(crate) struct Tables {
    client: Client,
    names: Value,
}

impl Tables {
    pub(crate) async fn of(stack: &Stack) -> Self {
        let store = stack.get("/_local/store").send().await.expect(200).json();
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("us-east-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "tests"))
            .endpoint_url(store["endpoint"].as_str().unwrap());
        Self {
            client: Client::from_conf(config.build()),
            names: store["tables"].clone(),
        }
    }

    /// Every row of the outbox, by event id.
    pub(crate) async fn outbox(&self) -> Vec<Row> {
        let mut rows: Vec<_> = self
            .scan("outbox")
            .await
            .iter()
            .map(|item| Row {
                row: outbox::decode(item).unwrap(),
                ends: item.contains_key("ttlSec"),
            })
            .collect();
        rows.sort_by(|a, b| a.row.event.id.cmp(&b.row.event.id));
        rows
    }

    /// The ids of all decisions, sorted.
    pub(crate) async fn decisions(&self) -> Vec<String> {
        let items = self.scan("decisions").await;
        let ids: BTreeSet<_> = items
            .iter()
            .map(|item| item["id"].as_s().unwrap().clone())
            .collect();
        ids.into_iter().collect()
    }

    /// The ids of the decisions under a key.
    pub(crate) async fn decisions_of(&self, key: &str) -> BTreeSet<DecisionId> {
        let items = self.scan("decisions").await;
        let decisions = items.iter().map(|item| decision::decode(item).unwrap());
        decisions
            .filter(|decision| decision.key.as_str() == key)
            .map(|decision| decision.id)
            .collect()
    }

    /// Takes a row away, as an operator might.
    pub(crate) async fn delete_row(&self, row: &OutboxRow) {
        let (name, id) = outbox::key(&row.event.id);
        let table = self.names["outbox"].as_str().unwrap();
        let delete = self.client.delete_item().table_name(table).key(name, id);
        delete.send().await.unwrap();
    }

    async fn scan(&self, table: &str) -> Vec<Item> {
        let table = self.names[table].as_str().unwrap();
        let mut items = Vec::new();
        let mut from = None;
        loop {
            let scan = self.client.scan().table_name(table).consistent_read(true);
            let page = scan.set_exclusive_start_key(from).send().await.unwrap();
            items.extend(page.items.unwrap_or_default());
            from = page.last_evaluated_key;
            if from.is_none() {
                return items;
            }
        }
    }
}
