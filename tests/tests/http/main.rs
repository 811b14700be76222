//! The decide function as its callers see it: over HTTP, on the real local stack, with its processes and its store.
//!
//! Tests are named after the cases in which this went wrong elsewhere.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod banner;
mod command_line;
mod concurrency;
mod events;
mod keys;
mod reads;
mod refusals;
mod replays;
mod round_trips;
mod spelling;
mod store_faults;
mod support;
