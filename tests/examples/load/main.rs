//! Load and soak on the local stack: `tests/load`.
//!
//! Arrivals are open-loop: they come at their rate, by a Poisson process from a seed, however long answers take, and latency counts from the
//! moment at which a request was meant to arrive. So a stall is seen by everybody whom it would have kept waiting, not by one client only.
//! `--flat N` is another run: N requests as fast as they are answered, and the memory of every function process at points on the way.
//!
//! The embedded engine does some hundreds of transactions a second on a good day: this shows behaviour under load, not DynamoDB's.

#![expect(clippy::unwrap_used, reason = "a run fails by panicking")]

mod arguments;
mod arrivals;
mod flat;
mod quantiles;
mod soak;

use arguments::{Arguments, Run};

fn main() {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}\n{}", arguments::USAGE);
            std::process::exit(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        match arguments.run {
            Run::Soak(soak) => soak::run(&arguments.stack, soak).await,
            Run::Flat(requests) => flat::run(&arguments.stack, requests).await,
        }
    });
}
