//! The embedded store, its proxy and its stream pump, as a client sees them: through the unchanged AWS SDK, over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod engine;
mod proxy;
mod pump;
mod support;
