//! Every process of a stack with `--data` dies at once, with clients in the middle of their calls, again and again.
//!
//! What was answered 2xx is what is found afterwards: a decision with the same bytes, a queued operation decided without anybody asking again,
//! and every event at the sink. `DECIDE_ONCE_SEED` repeats after how many answers each blackout comes, and in which order the processes die; what
//! each of them is doing is up to the machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use decide_once_protocol::outbox::Delivery;
use decide_once_tests::{
    Stack, eventually,
    seed::{self, Seed},
    signal,
};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::support::{Tables, announced, post, retried, settled};

const BLACKOUTS: usize = 4;
const CLIENTS: usize = 6;

/// How many answers there are before a blackout, at most.
const ANSWERS: usize = 60;

/// What clients were told.
#[derive(Default)]
struct Ledger {
    sent: BTreeSet<usize>,
    decided: BTreeMap<usize, Bytes>,
    /// Where each queued operation's status is.
    queued: BTreeMap<usize, String>,
}

impl Ledger {
    fn answers(&self) -> usize {
        self.decided.len() + self.queued.len()
    }
}

#[derive(Clone, Default)]
struct Clients {
    ledger: Arc<Mutex<Ledger>>,
    next: Arc<AtomicUsize>,
}

fn key(number: usize) -> String {
    format!("b1ac0075-58c4-4a0b-8f0b-{number:012}")
}

impl Clients {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One client after the other key, until the stack is gone. Every fourth request is one that nobody waits for.
    async fn ask(self, stack: Arc<Stack>) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            self.ledger().sent.insert(number);
            let request = post(&stack, &key(number));
            let request = if number.is_multiple_of(4) {
                request.header("prefer", "respond-async")
            } else {
                request
            };
            // Whatever it was doing, a connection that breaks has answered nothing.
            let Ok(answer) = request.try_send().await else {
                return;
            };
            match answer.status.as_u16() {
                200 | 201 => {
                    self.ledger().decided.insert(number, answer.body);
                }
                202 => {
                    let location = answer.header("location").unwrap().to_owned();
                    self.ledger().queued.insert(number, location);
                }
                // A worker died before its gateway did.
                500..=599 => {}
                _ => panic!("{answer:?}"),
            }
        }
    }
}

/// All at once, in any order.
async fn black_out(stack: &Stack, seed: &mut Seed) {
    let processes = stack.processes().await;
    let functions = processes.iter().map(|process| process.pid);
    let mut pids: Vec<u32> = functions.filter(|pid| *pid != 0).collect();
    pids.push(stack.pid());
    while !pids.is_empty() {
        let chosen = seed.index(pids.len());
        signal::send("KILL", pids.swap_remove(chosen));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_answered_is_lost_when_every_process_dies_at_once() {
    let mut seed = Seed::new(seed::of_this_run());
    let data = tempfile::tempdir().unwrap();
    // A lease of two seconds, and a sweep each second for what dead workers hold: no time is moved on here.
    let args = [
        "--concurrency",
        "3",
        "--sweep-every",
        "1",
        "--env",
        "LEASE_CAP_MS=1000",
        "--data",
        data.path().to_str().unwrap(),
    ];
    let clients = Clients::default();
    for _ in 0..BLACKOUTS {
        let stack = Arc::new(Stack::start(&args).await);
        let mut asking = JoinSet::new();
        for _ in 0..CLIENTS {
            asking.spawn(clients.clone().ask(Arc::clone(&stack)));
        }
        let enough = clients.ledger().answers() + 1 + seed.index(ANSWERS);
        eventually("answers", async || {
            (clients.ledger().answers() >= enough).then_some(())
        })
        .await;
        black_out(&stack, &mut seed).await;
        asking.join_all().await;
    }

    let stack = Stack::start(&args).await;
    let Ledger {
        sent,
        mut decided,
        queued,
    } = std::mem::take(&mut *clients.ledger());
    eprintln!(
        "{} sent, {} decided, {} queued before a blackout",
        sent.len(),
        decided.len(),
        queued.len()
    );
    // Nobody asks again for what was queued.
    for location in queued.values() {
        eventually("a queued operation's decision", async || {
            let status = stack.get(location).send().await.expect(200).json();
            (status["state"] == "SUCCEEDED").then_some(())
        })
        .await;
    }
    for (number, first) in &decided {
        let replay = post(&stack, &key(*number)).send().await.expect(200);
        assert_eq!(replay.body, *first);
        assert_eq!(replay.header("idempotent-replayed"), Some("true"));
    }
    // What was not answered is decided now, or was.
    let mut events = BTreeSet::new();
    for number in &sent {
        let answer = retried(&stack, &key(*number)).await;
        events.extend(announced(&answer));
        decided.insert(*number, answer.body);
    }
    assert_eq!(decided.len(), sent.len());

    let mut arrived: BTreeMap<String, Value> = BTreeMap::new();
    for event in settled(&stack).await {
        let id = event["id"].as_str().unwrap().to_owned();
        let first = arrived.entry(id).or_insert_with(|| event.clone());
        assert_eq!(*first, event, "one id, one content");
    }
    assert_eq!(arrived.into_keys().collect::<BTreeSet<_>>(), events);
    let tables = Tables::of(&stack).await;
    assert_eq!(tables.decisions().await.len(), sent.len());
    let rows = tables.outbox().await;
    assert_eq!(rows.len(), events.len());
    let is_delivered = |delivery: &Delivery| matches!(delivery, Delivery::Delivered { .. });
    assert!(rows.iter().all(|row| is_delivered(&row.row.delivery)));
}
