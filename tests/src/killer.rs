//! Processes that die while a stack works, and the flags by which what they leave is taken up soon.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::{Stack, seed::Seed, signal};

/// Short leases and visibilities, sweeps every other second, and nobody gives up.
pub const SOON_AGAIN: [&str; 10] = [
    "--sweep-every",
    "2",
    "--queue-visibility-ms",
    "1000",
    "--queue-receives",
    "1000",
    "--env",
    "LEASE_CAP_MS=1000",
    "--env",
    "RUST_LOG=error",
];

/// Kills a process of any function, every so often and from now on. The seed repeats the choice; what each of them is doing when it dies is up
/// to the machine.
pub async fn kill_for_ever(stack: &Stack, every: Duration, mut seed: Seed) {
    let mut pace = interval(every);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        pace.tick().await;
        let mut processes = stack.processes().await;
        processes.retain(|process| process.pid != 0); // to `kill`, 0 is one's own group
        let chosen = &processes[seed.index(processes.len())];
        signal::send("KILL", chosen.pid);
    }
}
