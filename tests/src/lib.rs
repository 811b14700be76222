//! What tests of the whole thing share.
//!
//! [`Stack`] runs the real command `decide-once` as a process of its own, on a free port, and ends it with the test.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness fails by panicking, where the test is"
)]

pub mod answer;
pub mod binary;
pub mod conformance;
pub mod fixtures;
pub mod request;
pub mod samples;
pub mod signal;
pub mod stack;
pub mod wait;

mod output;

pub use answer::Answer;
pub use request::Request;
pub use stack::{Stack, StackProcess};
pub use wait::eventually;
