//! The command `decide-once` as a process: how it starts and ends, what happens when its processes die, what the front and the local-only
//! API answer. What the decide function answers is tested in the package `decide-once-tests`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ends;
mod front;
mod local_api;
mod processes;
mod starts;

use std::path::PathBuf;

use decide_once_tests::Stack;

fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_decide-once"))
}

async fn start(args: &[&str]) -> Stack {
    Stack::start_binary(&binary(), args).await
}
