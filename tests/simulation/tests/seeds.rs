//! Thousands of histories. `DECIDE_ONCE_SEED=7` runs one of them, `DECIDE_ONCE_SEEDS=100000` more of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::env;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use decide_once_simulation::{Plan, check, shrink, simulate};

/// As many as take half a minute.
const SEEDS: u64 = 10_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap())
}

/// What a seed violates, told as its smallest timeline.
fn found(seed: u64) -> Option<String> {
    let plan = Plan::of(seed);
    check(&simulate(&plan)).err()?;
    let run = simulate(&shrink(&plan));
    let mut told = format!("{}", run.plan);
    for entry in &run.entries {
        writeln!(told, "{entry}").unwrap();
    }
    let violation = check(&run).err();
    Some(format!("{told}{}", violation.unwrap()))
}

#[test]
fn ten_thousand_histories_hold_every_tenet() {
    let (first, count) = match number("DECIDE_ONCE_SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("DECIDE_ONCE_SEEDS").unwrap_or(SEEDS)),
    };
    let (next, begun) = (AtomicU64::new(first), Instant::now());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            if let Some(told) = found(seed) {
                panic!("{told}\nagain: cargo run -p decide-once-simulation -- --seed {seed}");
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..thread::available_parallelism().unwrap().get())
            .map(|_| scope.spawn(work))
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    let took = begun.elapsed().as_secs_f64();
    println!("{count} histories in {took:.1} s");
}
