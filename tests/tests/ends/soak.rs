//! Many requests through `submit`, twice, while a random process of any function dies every 200 ms: the balances are the decisions.
//!
//! `DECIDE_ONCE_LINES` says how many (`tests/submit-soak` takes 5,000), `DECIDE_ONCE_SEED` repeats the choice of processes; what each of them is
//! doing when it dies is up to the machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use decide_once_protocol::inbox::CloudEvent;
use decide_once_tests::{
    Stack, binary, eventually,
    killer::{SOON_AGAIN, kill_for_ever},
    seed::{self, Seed},
};
use serde_json::Value;
use tokio::{process::Command, task::JoinHandle};

/// Unless the environment says otherwise: what a run of all tests has time for.
const LINES: usize = 1_500;

const KILL_EVERY: Duration = Duration::from_millis(200);
const SUBJECTS: usize = 40;

/// Far beyond what it takes.
const LIMIT: Duration = Duration::from_secs(900);

/// Sums by subject and name.
type Sums = BTreeMap<String, BTreeMap<String, i64>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_a_file_are_decided_once_while_a_random_process_dies_every_200_ms() {
    let lines: usize = env::var("DECIDE_ONCE_LINES").map_or(LINES, |lines| lines.parse().unwrap());
    let seed = seed::of_this_run();
    let args = [&["--concurrency", "4"], &SOON_AGAIN[..]].concat();
    let stack = Arc::new(Stack::start(&args).await);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("requests.jsonl");
    let written: Vec<_> = (0..lines).map(line).collect();
    fs::write(&file, written.join("\n")).unwrap();

    let start = Instant::now();
    let victim = Arc::clone(&stack);
    let killer = tokio::spawn(async move {
        kill_for_ever(&victim, KILL_EVERY, Seed::new(seed)).await;
    });
    let first = submit(&stack, &file, &directory.path().join("first.jsonl")).await;
    let decided = start.elapsed();
    let second = submit(&stack, &file, &directory.path().join("second.jsonl")).await;
    stop(killer).await;
    let submitted = start.elapsed();

    assert_eq!(first.len(), lines);
    assert_eq!(first, second, "the same line, the same decision");
    let distinct: BTreeSet<_> = first.values().collect();
    assert_eq!(distinct.len(), lines, "a decision each");

    let events = settled(&stack).await;
    let by_id: BTreeMap<&str, &Value> = events
        .iter()
        .map(|event| (event["id"].as_str().unwrap(), event))
        .collect();
    let of_decisions: BTreeSet<_> = by_id
        .values()
        .map(|event| event["decisionid"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(of_decisions, distinct.into_iter().cloned().collect());

    let balances = stack.balances().await;
    let sums: Sums = balances
        .iter()
        .map(|(subject, balance)| {
            (
                subject.clone(),
                serde_json::from_value(balance["sums"].clone()).unwrap(),
            )
        })
        .collect();
    assert_eq!(sums, expected(lines), "relative effects: each once");
    for (subject, standing) in standings(&by_id) {
        assert_eq!(
            balances[subject]["standing"]["by"], standing["id"],
            "absolute effects: the last decision stands"
        );
        assert_eq!(
            balances[subject]["standing"]["decision"],
            standing["data"]["decision"]
        );
    }
    let asked: BTreeSet<_> = by_id
        .values()
        .filter(|event| {
            event["type"]
                .as_str()
                .unwrap()
                .ends_with("review-requested")
        })
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect();
    let reviews = stack.reviews().await;
    let told: BTreeSet<_> = reviews
        .iter()
        .map(|review| review["review"]["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, asked, "effects elsewhere: all of them");
    assert_eq!(reviews.len(), asked.len(), "a key each");
    for queue in ["consume-dead", "intake-dead"] {
        assert!(stack.messages(queue).await.is_empty(), "{queue}");
    }

    let calls: u64 = reviews
        .iter()
        .map(|review| review["calls"].as_u64().unwrap())
        .sum();
    let restarts: u32 = stack
        .processes()
        .await
        .iter()
        .map(|process| process.restarts)
        .sum();
    eprintln!(
        "{lines} lines decided in {decided:?}, both runs in {submitted:?}, settled after {:?}; {restarts} processes died, {} events of {} arrived \
         twice, {calls} calls for {} reviews",
        start.elapsed(),
        events.len() - by_id.len(),
        by_id.len(),
        reviews.len(),
    );
    assert!(restarts > 10, "only {restarts} processes died");
}

/// Refunds of 1 to 5 euros, of which every tenth is for a person to look at; reservations of 1 to 3; credit decisions.
fn line(number: usize) -> String {
    let subject = format!("subject-{}", number % SUBJECTS);
    let request = match number % 5 {
        0 | 1 => {
            let amount = amount(number);
            format!(
                r#"{{"policy":"refund-approval","subject":"{subject}","facts":{{"orderId":"R-{number}","line":1,"amount":{amount},"paid":{amount},"currency":"EUR","purchasedAt":"2026-11-20T10:00:00Z","reason":"{}"}}}}"#,
                if is_reviewed(number) {
                    "other"
                } else {
                    "damaged"
                }
            )
        }
        2 => format!(
            r#"{{"policy":"inventory-reservation","subject":"{subject}","facts":{{"orderId":"I-{number}","lines":[{{"sku":"tea","quantity":{},"available":9}}]}}}}"#,
            quantity(number)
        ),
        _ => format!(
            r#"{{"policy":"credit-limit","subject":"{subject}","facts":{{"amount":{number},"openDisputes":{}}}}}"#,
            number % 4
        ),
    };
    format!(r#"{{"key":"soak-{number}","request":{request}}}"#)
}

fn amount(number: usize) -> i64 {
    i64::try_from(100 * (1 + number % 5)).unwrap()
}

fn quantity(number: usize) -> i64 {
    i64::try_from(1 + number % 3).unwrap()
}

const fn is_reviewed(number: usize) -> bool {
    number.is_multiple_of(10)
}

/// What the balances must be, from the lines alone.
fn expected(lines: usize) -> Sums {
    let mut sums = Sums::new();
    for number in 0..lines {
        let (sum, by) = match number % 5 {
            0 | 1 if is_reviewed(number) => continue,
            0 | 1 => ("refunded:EUR", amount(number)),
            2 => ("reserved", quantity(number)),
            _ => ("decided", 1),
        };
        let of_subject = sums
            .entry(format!("subject-{}", number % SUBJECTS))
            .or_default();
        *of_subject.entry(sum.to_owned()).or_default() += by;
    }
    sums
}

/// The last credit decision of each subject: by time, then by id.
fn standings<'a>(events: &BTreeMap<&'a str, &'a Value>) -> BTreeMap<&'a str, &'a Value> {
    let mut last: BTreeMap<&str, &Value> = BTreeMap::new();
    let place = |event: &Value| {
        let event = CloudEvent::parse(&event.to_string()).unwrap();
        (event.time.unwrap(), event.name.id().to_owned())
    };
    for event in events.values() {
        if event["type"] != "com.example.credit-limit.decided" {
            continue;
        }
        let subject = event["subject"].as_str().unwrap();
        let known = last.entry(subject).or_insert(event);
        if place(event) > place(known) {
            *known = event;
        }
    }
    last
}

/// One run of the command, again as long as lines are not finished; the decision of each line.
async fn submit(stack: &Stack, file: &Path, results: &Path) -> BTreeMap<u64, String> {
    let limit = Instant::now() + LIMIT;
    loop {
        let run = Command::new(binary::decide_once())
            .arg("submit")
            .arg(file)
            .args([
                "--url",
                stack.url(),
                "--concurrency",
                "16",
                "--patience",
                "60",
                "--results",
            ])
            .arg(results)
            .output()
            .await
            .unwrap();
        match run.status.code() {
            Some(0) => break,
            Some(3) if Instant::now() < limit => {}
            _ => panic!("{run:?}"),
        }
    }
    let written = fs::read_to_string(results).unwrap();
    // The first line says whose they are.
    let results = written.lines().skip(1).map(|line| {
        let result: Value = serde_json::from_str(line).unwrap();
        let decision = result["decisionId"].as_str().unwrap().to_owned();
        (result["line"].as_u64().unwrap(), decision)
    });
    results.collect()
}

async fn stop(killer: JoinHandle<()>) {
    killer.abort();
    assert!(killer.await.unwrap_err().is_cancelled());
}

/// Every event that the sink has received, once nothing is under way any more: neither to the sink nor from the queue.
async fn settled(stack: &Stack) -> Vec<Value> {
    let limit = Instant::now() + LIMIT;
    let mut before = usize::MAX;
    loop {
        // Two sweeps at least, so that nothing is left that a stream has missed.
        let _ = stack.post("/_local/schedules/sweep").send().await;
        let metrics = stack.metrics().await;
        let events = stack.events().await;
        let queue = &metrics["queues"]["consume"];
        let busy = metrics["streams"]["publish"]["iteratorAgeMs"] != 0
            || queue["visible"] != 0
            || queue["inFlight"] != 0
            || metrics["functions"]["publish"]["inFlight"] != 0;
        if !busy && events.len() == before {
            return events;
        }
        before = events.len();
        assert!(Instant::now() < limit, "{queue}");
        eventually("the queue's end", async || {
            stack.messages("consume").await.is_empty().then_some(())
        })
        .await;
    }
}
