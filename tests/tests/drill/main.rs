//! The store in trouble all the time, and away for a while: the unchanged functions behind the proxy, under a mix of everything that callers do.
//!
//! `DECIDE_ONCE_SEED` repeats the choices of requests and faults (what meets what is up to the machine), `DECIDE_ONCE_DRILL_SECONDS` says for
//! how long, `DECIDE_ONCE_AWAY_SECONDS` for how long of it the store is away: `tests/fault-drill` takes minutes, and 30 s.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod traffic;

use std::{
    env,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use decide_once_tests::{
    Stack,
    history::{Deaths, History, Told},
    killer::SOON_AGAIN,
    seed::{self, Seed},
};
use serde_json::json;
use tokio::{task::JoinSet, time::sleep};

use crate::{faults::Troubles, traffic::Traffic};

const CLIENTS: u64 = 10;

/// Far beyond what it takes to come to rest.
const REST: Duration = Duration::from_secs(300);

fn seconds(name: &str, otherwise: u64) -> Duration {
    let seconds = env::var(name).map_or(otherwise, |seconds| seconds.parse().unwrap());
    Duration::from_secs(seconds)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_decided_once_while_the_store_fails_and_goes_away_and_comes_back() {
    let seed = seed::of_this_run();
    let lasts = seconds("DECIDE_ONCE_DRILL_SECONDS", 9);
    let away = seconds("DECIDE_ONCE_AWAY_SECONDS", 4);
    // Short leases and visibilities: what a call that failed has left is taken up soon. No process is killed: each answer is the function's.
    let own = ["--concurrency", "8", "--env", "MISMATCH_BUDGET=0"];
    let stack = Stack::start(&[&own, &SOON_AGAIN[..]].concat()).await;
    let stack = Arc::new(stack);
    let history = Arc::new(History::new(Deaths::None));
    let troubles = Troubles::new(Arc::clone(&stack), seed);
    let armed = troubles.armed();
    let troubles = tokio::spawn(troubles.cause());
    let traffic = Traffic::new(Arc::clone(&stack), Arc::clone(&history));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let seed = Seed::new(seed.wrapping_add(client + 1));
        clients.spawn(traffic.clone().go_on(seed, lasts + away));
    }

    sleep(lasts / 2).await;
    store_is(&stack, "away").await;
    sleep(away / 2).await;
    let before = traffic.told(Told::Decided);
    sleep(away / 2).await;
    let during = traffic.told(Told::Decided) - before;
    store_is(&stack, "up").await;
    clients.join_all().await;
    assert!(!troubles.is_finished(), "there was no trouble any more");
    troubles.abort();
    let met = armed.load(Ordering::Relaxed) - faults::pending(&stack).await;
    eprintln!("{met} calls met a fault");
    assert!(met > 0);
    faults::heal(&stack).await;

    let account = history.check(&stack, REST).await;
    eprintln!("{traffic}\n{account:?}");
    assert!(traffic.told(Told::Later) > 0 && traffic.told(Told::Reused) > 0);
    // What was on its way when it went is answered long before: at most, for a machine that is busy.
    assert!(during <= CLIENTS, "{during} decisions without a store");
    assert!(stack.processes().await.iter().all(|it| it.restarts == 0));
    assert!(!stack.output().contains("record-corrupt"));
}

async fn store_is(stack: &Stack, state: &str) {
    let moved = stack.post("/_local/store").json(&json!({ "state": state }));
    let _ = moved.send().await.expect(200);
}
