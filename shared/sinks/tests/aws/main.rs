//! The sinks of AWS behind typed mocks of the SDK's clients: what an answer says of each event.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod eventbridge;
mod publisher;
mod sns;
mod sqs;
mod support;
