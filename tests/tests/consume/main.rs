//! Consuming over the store in memory: what a consumer that dies, stalls or meets others leaves behind.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod leased;
mod support;
mod together;
