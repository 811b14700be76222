//! Crash points: named places where the local stack can make a worker die or stall. Feature `local` only.
//!
//! A point is armed by a file of its name in the directory that `DECIDE_ONCE_LOCAL_CRASH_POINTS` names; it says what is to
//! happen: `kill`, or `hold <milliseconds>`. The worker that removes the file is the one it happens to, so that a point that
//! is armed once happens once.

use std::path::Path;
use std::time::Duration;

/// Names the directory of armed points.
pub const DIRECTORY: &str = "DECIDE_ONCE_LOCAL_CRASH_POINTS";

/// Does what is armed for the point, if anything is.
pub async fn reached(point: &'static str) {
    let Some(name) = point.strip_prefix(PREFIX) else {
        return;
    };
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let armed = Path::new(&directory).join(name);
    let Ok(action) = std::fs::read_to_string(&armed) else {
        return;
    };
    if std::fs::remove_file(&armed).is_err() {
        return; // another worker was first
    }
    match action
        .trim()
        .strip_prefix("hold ")
        .and_then(|millis| millis.parse().ok())
    {
        Some(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
        None => std::process::abort(),
    }
}

/// Long, so that the names are found in a binary that has them: a short string is folded into code.
pub const PREFIX: &str = "decide-once-crash-point:";
