//! Waiting for a condition, instead of for a time.

use std::time::{Duration, Instant};

/// How long anything may take here: far longer than it does, even on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(30);

/// Asks again and again until there is an answer.
///
/// # Panics
/// There is none within [`LIMIT`].
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(start.elapsed() < LIMIT, "gave up waiting for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
