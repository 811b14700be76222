//! The operator's commands, run as processes against a running stack: what they show, what they do, and what they say when they cannot.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod errors;
mod operations;
mod outbox;
mod support;
