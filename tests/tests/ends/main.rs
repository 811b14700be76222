//! The other ends: consumers that deduplicate, queues that ask, files that are submitted; with real processes that die.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod consuming;
mod duplicates;
mod intake;
mod soak;
mod submitting;
mod support;
mod traces;
