//! The publish path at the service's level: batches of changes, a sink that answers as it is told, rows in memory.
//!
//! The same with real processes is in `tests/crash`; what a status of a real sink means, in `shared/sinks`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batches;
mod changes;
mod marks;
mod outages;
mod queued;
mod seeded;
mod subjects;
mod support;
mod sweeping;
mod sweeps;
