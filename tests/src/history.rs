//! What callers were told, judged answer by answer, and what must hold of it once nothing is under way any more.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::Bytes;
use serde_json::Value;
use tokio::time::sleep;

use crate::{
    Answer, Stack,
    orders::{self, Order, Sums},
};

/// What an answer means to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// The decision.
    Decided,
    /// Come again with the same key.
    Later,
    /// The key is another request's.
    Reused,
    /// Nothing at all, or nothing of the service's own: a process died, or the gateway did not wait any longer.
    Nothing,
}

/// Whether processes are killed, so that answers may be the gateway's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deaths {
    /// Every answer is the function's.
    None,
    /// A gateway's bare 5xx is an answer, too.
    Happen,
}

/// Requests that were made, and the decision of each that has one.
#[derive(Debug)]
pub struct History {
    deaths: Deaths,
    decided: Mutex<BTreeMap<Order, Option<Bytes>>>,
}

/// What was found at the end.
#[derive(Debug)]
pub struct Account {
    /// Operations, each with one decision.
    pub operations: usize,
    /// Events, each under its one id.
    pub events: usize,
    /// How many of them arrived once more.
    pub repeated: usize,
}

impl History {
    /// Of a run in which processes are killed, or not.
    #[must_use]
    pub fn new(deaths: Deaths) -> Self {
        Self {
            deaths,
            decided: Mutex::default(),
        }
    }

    fn locked<T>(&self, with: impl FnOnce(&mut BTreeMap<Order, Option<Bytes>>) -> T) -> T {
        with(&mut self.decided.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An order will be asked for, by whatever way: from now on it counts.
    pub fn asked(&self, order: Order) {
        self.locked(|decided| {
            decided.entry(order).or_default();
        });
    }

    /// Whether somebody was told the decision already.
    pub fn is_decided(&self, order: Order) -> bool {
        self.locked(|decided| decided.get(&order).is_some_and(Option::is_some))
    }

    /// What a caller was told who asked for this very order.
    ///
    /// # Panics
    /// It is something that must not be said: another decision than somebody else was told, advice that is not `same-key` while the outcome
    /// is open, a final refusal.
    pub fn told(&self, order: Order, answer: &Result<Answer, String>) -> Told {
        let Ok(answer) = answer else {
            assert_eq!(self.deaths, Deaths::Happen, "{order:?}: {answer:?}");
            return Told::Nothing;
        };
        match answer.status.as_u16() {
            200 | 201 => {
                self.locked(|decided| {
                    let first = decided.entry(order).or_default();
                    let first = first.get_or_insert_with(|| answer.body.clone());
                    assert_eq!(*first, answer.body, "{order:?} has one answer");
                });
                Told::Decided
            }
            202 => Told::Later,
            500..=599 => self.open(answer),
            _ => panic!("{order:?}: {answer:?}"),
        }
    }

    /// What a caller was told who asked for something else under the key of an order that is decided.
    ///
    /// # Panics
    /// It is not that the key is another request's, or that it is not known.
    pub fn told_other(&self, order: Order, answer: &Result<Answer, String>) -> Told {
        let Ok(answer) = answer else {
            assert_eq!(self.deaths, Deaths::Happen, "{order:?}: {answer:?}");
            return Told::Nothing;
        };
        match answer.status.as_u16() {
            409 => {
                let problem = answer.json();
                assert_eq!(problem["type"], "urn:decide-once:problem:key-reused");
                assert_eq!(problem["retry"], "never");
                Told::Reused
            }
            500..=599 => self.open(answer),
            _ => panic!("{order:?}: {answer:?}"),
        }
    }

    fn open(&self, answer: &Answer) -> Told {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if self.deaths == Deaths::Happen && body.get("retry").is_none() {
            return Told::Nothing;
        }
        assert_eq!(body["retry"], "same-key", "{answer:?}");
        assert!(answer.header("retry-after").is_some(), "{answer:?}");
        Told::Later
    }

    /// Waits until nothing is under way any more, and holds the tables, the sink and the effects against what was told: each operation has
    /// one decision and its events, each event one id and one effect, and nothing is stuck.
    ///
    /// # Panics
    /// Something of it does not hold, or not within `limit`.
    pub async fn check(&self, stack: &Stack, limit: Duration) -> Account {
        let end = Instant::now() + limit;
        let orders: Vec<_> = self.locked(|decided| decided.keys().copied().collect());
        let mut announced = BTreeSet::new();
        let mut decisions = BTreeSet::new();
        for &order in &orders {
            let body = self.replayed(stack, order, end).await;
            let decision = body["decisionId"].as_str().unwrap().to_owned();
            assert!(decisions.insert(decision), "{order:?}: one decision each");
            let events = body["events"].as_array().unwrap().iter();
            announced.extend(events.map(|event| event["id"].as_str().unwrap().to_owned()));
        }
        wait("the deliveries and effects", end, async || {
            idle(stack).await
        })
        .await;

        let tables = stack.tables().await;
        let items = tables.scan("decisions").await;
        let ids = items.iter().map(|item| item["id"]["S"].as_str().unwrap());
        let ids = ids.filter(|id| !id.contains('#')); // natural keys, counters
        assert!(ids.eq(decisions.iter().map(String::as_str)), "no others");
        let records = tables.scan("operations").await;
        assert_eq!(records.len(), orders.len());
        for record in &records {
            let stands = record["stands"]["S"].as_str().unwrap();
            assert!(stands.starts_with("SUCCEEDED/"), "{record}");
            assert!(record.get("carried").is_none(), "{record}");
        }
        let rows = tables.scan("outbox").await;
        let of_rows = rows.iter().map(|row| row["event"]["S"].as_str().unwrap());
        assert!(of_rows.eq(announced.iter().map(String::as_str)));
        assert!(rows.iter().all(|row| row.get("deliveredAt").is_some()));

        let events = stack.events().await;
        let mut contents: BTreeMap<&str, &Value> = BTreeMap::new();
        for event in &events {
            let id = event["id"].as_str().unwrap();
            assert_eq!(*contents.entry(id).or_insert(event), event, "one content");
        }
        assert!(
            contents
                .keys()
                .copied()
                .eq(announced.iter().map(String::as_str))
        );
        assert_eq!(balances(stack).await, orders::sums(orders.iter().copied()));
        let reviews = stack.reviews().await.len();
        assert_eq!(reviews, orders::reviews(orders.iter().copied()));
        for queue in ["intake", "intake-dead", "consume-dead"] {
            assert!(stack.messages(queue).await.is_empty(), "{queue}");
        }
        Account {
            operations: orders.len(),
            events: contents.len(),
            repeated: events.len() - contents.len(),
        }
    }

    /// Asks until there is a decision; what everybody was told.
    async fn replayed(&self, stack: &Stack, order: Order, end: Instant) -> Value {
        wait("a decision", end, async || {
            let answer = order.ask(stack).try_send().await;
            (self.told(order, &answer) == Told::Decided).then(|| answer.unwrap().json())
        })
        .await
    }
}

/// Whether every row is delivered and every event had its effect. A sweep goes first, for what the streams have missed.
async fn idle(stack: &Stack) -> Option<()> {
    let _ = stack.post("/_local/schedules/sweep").send().await;
    let rows = stack.tables().await.scan("outbox").await;
    let is_delivered = |row: &Value| row.get("undelivered").is_none();
    let metrics = stack.metrics().await;
    let queue = &metrics["queues"]["consume"];
    let rests = rows.iter().all(is_delivered)
        && metrics["streams"]["publish"]["iteratorAgeMs"] == 0
        && metrics["functions"]["publish"]["inFlight"] == 0
        && queue["visible"] == 0
        && queue["inFlight"] == 0
        && stack.messages("intake").await.is_empty();
    rests.then_some(())
}

async fn balances(stack: &Stack) -> Sums {
    let balances = stack.balances().await;
    let sums = balances.into_iter().map(|(subject, mut balance)| {
        let sums = serde_json::from_value(balance["sums"].take()).unwrap();
        (subject, sums)
    });
    sums.collect()
}

async fn wait<T>(what: &str, end: Instant, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < end, "gave up waiting for {what}");
        sleep(Duration::from_millis(50)).await;
    }
}
