//! 2,000 decisions while a random process dies every 200 ms.
//!
//! `DECIDE_ONCE_SEED` repeats the choice of processes; what each of them is doing when it dies is up to the machine.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use decide_once_protocol::outbox::Delivery;
use decide_once_tests::{
    Stack,
    killer::kill_for_ever,
    seed::{self, Seed},
};
use serde_json::Value;
use tokio::{task::JoinSet, time};

use crate::support::{Tables, settled};

const DECISIONS: usize = 2_000;
const KILL_EVERY: Duration = Duration::from_millis(200);
const CLIENTS: usize = 16;

/// How long a client waits before it asks again.
const BACKOFF: Duration = Duration::from_millis(50);

/// Far beyond what it takes.
const LIMIT: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_decisions_while_a_random_process_dies_every_200_ms() {
    let seed = seed::of_this_run();
    let args = [
        "--concurrency",
        "4",
        "--env",
        "LEASE_CAP_MS=1000",
        "--env",
        "RUST_LOG=error",
    ];
    let stack = Arc::new(Stack::start(&args).await);
    let start = Instant::now();

    let victim = Arc::clone(&stack);
    let killer = tokio::spawn(async move {
        kill_for_ever(&victim, KILL_EVERY, Seed::new(seed)).await;
    });
    let answers = ask_for_all(&stack).await;
    killer.abort();
    assert!(killer.await.unwrap_err().is_cancelled());
    let decided = start.elapsed();

    // Now that nobody dies any more: what was answered is what is recorded.
    let replays = replay_all(&stack, answers.len()).await;
    assert!(
        answers == replays,
        "every caller of a key was told the same"
    );

    let announced: BTreeMap<String, usize> = answers
        .iter()
        .flat_map(|(number, body)| {
            let body: Value = serde_json::from_slice(body).unwrap();
            let events = body["events"].as_array().unwrap().clone();
            events
                .into_iter()
                .map(|event| (event["id"].as_str().unwrap().to_owned(), *number))
        })
        .collect();
    assert_eq!(announced.len(), DECISIONS, "one event id a key");

    let events = settled(&stack).await;
    let mut contents = BTreeMap::new();
    for event in &events {
        let id = event["id"].as_str().unwrap();
        let first = contents.entry(id.to_owned()).or_insert(event);
        assert_eq!(*first, event, "one id, one content");
        let number = announced.get(id).copied();
        assert_eq!(
            Some(event["subject"].clone()),
            number.map(|n| subject(n).into())
        );
    }
    assert_eq!(contents.len(), DECISIONS, "all delivered");

    let tables = Tables::of(&stack).await;
    assert_eq!(tables.decisions().await.len(), DECISIONS);
    let rows = tables.outbox().await;
    assert_eq!(rows.len(), DECISIONS);
    assert!(
        rows.iter()
            .all(|row| matches!(row.row.delivery, Delivery::Delivered { .. }))
    );
    let restarts: u32 = stack
        .processes()
        .await
        .iter()
        .map(|process| process.restarts)
        .sum();
    eprintln!(
        "decided in {decided:?}, all in {:?}; {restarts} processes died, {} events arrived twice",
        start.elapsed(),
        events.len() - DECISIONS
    );
    assert!(restarts > 50, "only {restarts} processes died");
}

/// The recorded answer of every key, by its number. Every fourth key is asked for by two callers at once, who are told
/// the same.
async fn ask_for_all(stack: &Arc<Stack>) -> BTreeMap<usize, Bytes> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (stack, next) = (Arc::clone(stack), Arc::clone(&next));
        clients.spawn(async move {
            let mut answers = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= DECISIONS {
                    return answers;
                }
                let answer = if number.is_multiple_of(4) {
                    let (one, other) = tokio::join!(ask(&stack, number), ask(&stack, number));
                    assert_eq!(one, other);
                    one
                } else {
                    ask(&stack, number).await
                };
                answers.push((number, answer));
            }
        });
    }
    let all = time::timeout(LIMIT, clients.join_all()).await.unwrap();
    all.into_iter().flatten().collect()
}

async fn replay_all(stack: &Stack, count: usize) -> BTreeMap<usize, Bytes> {
    let mut replays = BTreeMap::new();
    for number in 0..count {
        let answer = stack.decide(&key(number), &body(number)).send().await;
        replays.insert(number, answer.expect(200).body);
    }
    replays
}

/// Asks until there is a decision, as a client with the advice `same-key` does.
async fn ask(stack: &Stack, number: usize) -> Bytes {
    loop {
        match stack.decide(&key(number), &body(number)).try_send().await {
            Ok(answer) => match answer.status.as_u16() {
                200 | 201 => return answer.body,
                202 | 500..=599 => {}
                _ => panic!("{answer:?}"),
            },
            Err(error) => panic!("the gateway does not die: {error}"),
        }
        time::sleep(BACKOFF).await;
    }
}

fn key(number: usize) -> String {
    format!("5c1d7f0a-93e4-4c8a-a0c2-{number:012}")
}

fn subject(number: usize) -> String {
    format!("acct-{number}")
}

fn body(number: usize) -> String {
    let subject = subject(number);
    format!(
        r#"{{"policy":"credit-limit","subject":"{subject}","facts":{{"amount":{number},"currency":"USD"}}}}"#
    )
}
