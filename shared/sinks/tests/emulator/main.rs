//! The sinks of AWS through the unchanged SDK, against an emulator that `tests/sinks-on-emulator` starts. What arrives is
//! read from a queue behind each of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod eventbridge;
mod sns;
mod sqs;
mod support;
