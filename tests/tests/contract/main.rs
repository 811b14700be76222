//! The HTTP contract (design.md §2) case by case: expiry, size, patience, limits and refusals. What needs no process runs over the store in
//! memory; the rest over the stack.
//!
//! Tests are named after the cases in which this went wrong elsewhere.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod described;
mod docs;
mod expiry;
mod limits;
mod logs;
mod metrics;
mod patience;
mod profiles;
mod refusals;
mod remembered;
mod size;
