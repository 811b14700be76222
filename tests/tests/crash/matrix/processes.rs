//! The answers of real processes: a stack on a durable engine for several crashes, its clock steered from moment to moment.

use std::time::Duration;

use decide_once_protocol::outbox::Delivery;
use decide_once_simulation::{
    matrix::{Cell, Kept, LEASE_LAPSES, Moment},
    plan::{Crash, Part},
};
use decide_once_tests::{Answer, Request, Stack, eventually};

use super::Row;
use crate::support::{Tables, fresh_key, kill_at};

/// As `credit-limit` keeps them.
const KEPT: Kept = Kept {
    result: Duration::from_secs(24 * 3_600),
    key: Duration::from_secs(72 * 3_600),
};

/// A caller that comes back more often than that is not advised well.
const MOST: usize = 4;

/// What comes of these crashes at each moment. Nobody sweeps, so that what is seen is the caller's own doing.
pub(super) async fn rows(crashes: Vec<Crash>) -> Vec<Row> {
    let data = tempfile::tempdir().unwrap();
    let args = [
        "--data",
        data.path().to_str().unwrap(),
        "--concurrency",
        "1",
        "--sweep-every",
        "0",
        "--queue-visibility-ms",
        "300",
    ];
    let stack = Stack::start(&args).await;
    let tables = Tables::of(&stack).await;
    let mut rows = Vec::new();
    for crash in crashes {
        let mut cells = Vec::new();
        for moment in Moment::ALL {
            cells.push(cell(&stack, &tables, crash, moment).await);
        }
        rows.push((crash, cells));
    }
    rows
}

async fn cell(stack: &Stack, tables: &Tables, crash: Crash, moment: Moment) -> Cell {
    let key = fresh_key();
    let deaths = deaths(stack, crash.part).await;
    kill_at(stack, crash.point).await;
    let first = match crash.part {
        Part::Evaluate => post(stack, &key).header("prefer", "respond-async"),
        Part::Decide | Part::Publish | Part::Consume => post(stack, &key),
    };
    let expected = match crash.part {
        Part::Decide => 502,
        Part::Evaluate => 202,
        Part::Publish | Part::Consume => 201,
    };
    let _ = first.send().await.expect(expected);
    eventually("the crash, and the stream's going on", async || {
        let died = self::deaths(stack, crash.part).await > deaths;
        (died && !is_evaluating(stack).await).then_some(())
    })
    .await;
    advance(stack, moment.after(KEPT)).await;
    let told = returns(stack, &key).await;
    comes_to_rest(stack, tables, &key).await;
    let decisions = tables.decisions_of(&key).await;
    let rows = tables.outbox().await;
    let events = rows
        .iter()
        .filter(|row| decisions.contains(&row.row.event.id.decision()))
        .count();
    Cell {
        told,
        decisions: decisions.len(),
        events,
        effects: effects(stack, &key).await,
    }
}

/// The caller comes back, and again past each lease, as long as it is advised to.
async fn returns(stack: &Stack, key: &str) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let answer = post(stack, key).send().await;
        let again = matches!(answer.status.as_u16(), 202 | 500..=599);
        assert!(!again || answer.json()["retry"] == "same-key", "{answer:?}");
        told.push(said(&answer));
        if !again || told.len() == MOST {
            return told;
        }
        advance(stack, LEASE_LAPSES).await;
    }
}

/// Each key has an account of its own, so that its effects can be told.
fn post(stack: &Stack, key: &str) -> Request {
    let body = format!(
        r#"{{"policy":"credit-limit","subject":"of-{key}","facts":{{"amount":12500,"currency":"USD"}}}}"#
    );
    stack.decide(key, &body)
}

fn said(answer: &Answer) -> String {
    let status = answer.status.as_u16();
    let body = answer.json();
    let code = body["type"]
        .as_str()
        .and_then(|kind| kind.rsplit(':').next());
    match code {
        Some(code) => format!("{status} {code}"),
        None => status.to_string(),
    }
}

async fn advance(stack: &Stack, by: Duration) {
    if !by.is_zero() {
        stack.advance(by.as_secs()).await;
    }
}

/// How many processes of a function have been replaced.
async fn deaths(stack: &Stack, part: Part) -> u32 {
    let (processes, function) = (stack.processes().await, part.to_string());
    let of_it = processes
        .iter()
        .filter(|process| process.function == function);
    of_it.map(|process| process.restarts).sum()
}

async fn is_evaluating(stack: &Stack) -> bool {
    let metrics = stack.metrics().await;
    metrics["functions"]["evaluate"]["inFlight"] != 0
        || metrics["streams"]["evaluate"]["iteratorAgeMs"] != 0
}

/// Every event of the key's decisions is delivered and has been consumed. The sweeper has its turn, because a clock that is moved past a
/// stream's retention may leave nothing in it.
async fn comes_to_rest(stack: &Stack, tables: &Tables, key: &str) {
    let _ = stack.sweep().await;
    eventually("the delivery of all events", async || {
        let decisions = tables.decisions_of(key).await;
        let rows = tables.outbox().await;
        let mut of_key = rows
            .iter()
            .filter(|row| decisions.contains(&row.row.event.id.decision()));
        let delivered = of_key.all(|row| matches!(row.row.delivery, Delivery::Delivered { .. }));
        (delivered && effects(stack, key).await >= decisions.len()).then_some(())
    })
    .await;
    stack.drained("consume").await;
}

async fn effects(stack: &Stack, key: &str) -> usize {
    let balances = stack.balances().await;
    let sum = balances
        .get(&format!("of-{key}"))
        .and_then(|balance| balance["sums"]["decided"].as_u64());
    usize::try_from(sum.unwrap_or(0)).unwrap()
}
