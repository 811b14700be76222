//! The adapter through the SDK, against recorded answers: no store, no network.

#![expect(clippy::unwrap_used, reason = "tests")]

mod cancellation;
mod golden;
mod inbox;
mod json;
mod outcome;
mod replay;
mod requests;
mod size;
mod strictness;
