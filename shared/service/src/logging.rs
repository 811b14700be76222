//! Logs: JSON lines on standard output, as Lambda collects them.

use tracing_subscriber::EnvFilter;

/// Starts logging; the level is `RUST_LOG`'s, else `info`. A second call does nothing.
pub fn init() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let started = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(filter)
        .with_current_span(false)
        .without_time()
        .try_init();
    // Only fails where somebody else has set up logging before, as the local stack does.
    drop(started);
}
