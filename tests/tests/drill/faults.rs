//! What the store shows functions, one fault after the other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use decide_once_tests::{Stack, seed::Seed};
use http::Method;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

/// How often something goes wrong.
const EVERY: Duration = Duration::from_millis(60);

/// How many faults may wait for a function's calls: some calls are rare.
const WAITING: u64 = 4;

/// Beyond the two seconds that the SDK gives an attempt.
const TOO_LONG_MS: u64 = 2_500;

/// What each function asks of the store.
const CALLS: [(&str, &[&str]); 6] = [
    (
        "decide",
        &["PutItem", "TransactWriteItems", "GetItem", "UpdateItem"],
    ),
    ("evaluate", &["GetItem", "UpdateItem", "TransactWriteItems"]),
    ("publish", &["UpdateItem"]),
    (
        "sweep",
        &["Query", "GetItem", "UpdateItem", "TransactWriteItems"],
    ),
    (
        "consume",
        &["TransactWriteItems", "GetItem", "PutItem", "UpdateItem"],
    ),
    (
        "intake",
        &["PutItem", "TransactWriteItems", "GetItem", "UpdateItem"],
    ),
];

/// What may happen to every call.
const ANYWHERE: [&str; 10] = [
    "throttle",
    "unavailable",
    "overloaded",
    "unavailable_after",
    "reply_lost",
    "reply_cut",
    "request_lost",
    "delay",
    "answers_late",
    "arrives_late",
];

/// What only transactions are told.
const OF_TRANSACTIONS: [&str; 5] = [
    "conflict",
    "in_progress",
    "reasons_missing",
    "reasons_short",
    "unknown_reason",
];

/// Trouble as a number says.
pub(crate) struct Troubles {
    stack: Arc<Stack>,
    seed: Seed,
    armed: Arc<AtomicU64>,
}

impl Troubles {
    pub(crate) fn new(stack: Arc<Stack>, number: u64) -> Self {
        Self {
            stack,
            seed: Seed::new(number),
            armed: Arc::default(),
        }
    }

    /// How many faults there were so far, those that still wait for their call included.
    pub(crate) fn armed(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.armed)
    }

    /// Until it is aborted.
    pub(crate) async fn cause(mut self) {
        let mut pace = interval(EVERY);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            pace.tick().await;
            let fault = self.next();
            let armed = self.stack.get("/_local/faults").send().await.json();
            let function = fault["function"].as_str().unwrap();
            if armed["pending"][function].as_u64() < Some(WAITING) {
                self.stack.arm(&fault).await;
                self.armed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn next(&mut self) -> Value {
        // Half of all trouble is the decide function's.
        let function = if self.seed.percent(50) {
            0
        } else {
            self.below(CALLS.len())
        };
        let (function, calls) = CALLS[function];
        let call = calls[self.below(calls.len())];
        let fault = match call {
            "TransactWriteItems" if self.seed.percent(50) => {
                OF_TRANSACTIONS[self.below(OF_TRANSACTIONS.len())]
            }
            "PutItem" | "UpdateItem" if self.seed.percent(15) => "conflict",
            _ => ANYWHERE[self.below(ANYWHERE.len())],
        };
        let mut armed = json!({ "function": function, "call": call, "fault": fault });
        match fault {
            "delay" | "answers_late" => armed["ms"] = TOO_LONG_MS.into(),
            "arrives_late" => armed["ms"] = self.seed.below(400).into(),
            _ => {}
        }
        armed
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap();
        usize::try_from(self.seed.below(end)).unwrap()
    }
}

/// How many faults still wait for their call.
pub(crate) async fn pending(stack: &Stack) -> u64 {
    let armed = stack.get("/_local/faults").send().await.json();
    let pending = armed["pending"].as_object().unwrap().values();
    pending.map(|count| count.as_u64().unwrap()).sum()
}

/// Nothing goes wrong any more.
pub(crate) async fn heal(stack: &Stack) {
    let heal = stack.request(Method::DELETE, "/_local/faults");
    let _ = heal.send().await.expect(200);
}
