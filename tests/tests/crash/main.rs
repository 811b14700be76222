//! Processes that die for real: the whole stack, its workers killed, held and cut off at every point of their path, and
//! clients that retry as the answers tell them. Checked through HTTP, the tables and what the sink received.
//!
//! Every test has a stack of its own, with time and faults of its own.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod blackouts;
mod chaos;
mod deciding;
mod matrix;
mod outages;
mod publishing;
mod queued;
mod regions;
mod restarts;
mod stream;
mod support;
