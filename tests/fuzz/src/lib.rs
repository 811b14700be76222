//! Fuzz targets: every reader of what arrives from outside or from a table, with what must hold for any bytes.
//!
//! A target is a plain function of bytes that panics where its invariant is broken. Two things run it: libFuzzer, through the
//! harnesses in `harness/` (`tests/fuzz/run`), and the test `inputs`, which has the committed corpora and a few thousand seeded
//! mutations of them in every run of the tests. What a fuzzer finds becomes a file of the corpus and a named test of its own.

#![expect(
    clippy::unwrap_used,
    reason = "a target says by panicking that its invariant is broken"
)]

mod bytes;
pub mod cloud_event;
pub mod gateway;
pub mod items;
pub mod json;
pub mod key;
pub mod policy;
pub mod queue;
pub mod request;
pub mod stream;
pub mod values;

/// A reader with its invariant.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its corpus and of its harness.
    pub name: &'static str,
    /// Panics if these bytes break the invariant.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 10] = [
    target("cloud_event", cloud_event::target),
    target("gateway", gateway::target),
    target("items", items::target),
    target("json", json::target),
    target("key", key::target),
    target("policy", policy::target),
    target("queue", queue::target),
    target("request", request::target),
    target("stream", stream::target),
    target("values", values::target),
];

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}
