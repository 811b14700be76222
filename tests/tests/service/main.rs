//! The decide path over the store in memory and a network that fails where it is told to: what becomes of a decision, of its events and of
//! every caller when workers stall, die, are late, or meet each other.
//!
//! Tests are named after the cases in which this went wrong elsewhere.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod concurrency;
mod deadlines;
mod failures;
mod late_workers;
mod measured;
mod queued;
mod unknowns;

use decide_once_tests::world as support;
