//! Crash points: named places where the local stack can make a worker die or stall. Feature `local` only.
//!
//! A point is armed by a file of its name in the directory that [`DIRECTORY`] names; it says what is to happen, as
//! [`Action`] is written. The worker that can rename the file is the one it happens to, so that a point that is armed
//! once happens once. A worker that holds does so until its time is up or the renamed file is gone.

use std::cell::Cell;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Names the directory of armed points.
pub const DIRECTORY: &str = "DECIDE_ONCE_LOCAL_CRASH_POINTS";

/// The points there are. The first three are the decide path's, in its order, the next two the publish path's, the last ones the
/// consume path's.
pub const POINTS: [&str; 7] = [
    "after_reserve",
    "before_commit",
    "after_commit",
    "after_send",
    "after_mark",
    "before_effect",
    "after_effect",
];

/// Long, so that the names are found in a binary that has them: a short string is folded into code.
pub const PREFIX: &str = "decide-once-crash-point:";

/// What follows the point and a dot in the name of a file that a worker has taken.
pub const HELD: &str = "held-";

/// How often a worker that holds looks whether it may go on.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What happens at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The process ends at once, as by SIGKILL.
    Kill,
    /// The handler panics; the process lives on.
    Panic,
    /// The worker stands still for as long, or until it is let go.
    Hold(Duration),
}

thread_local! {
    /// Where the worker that this thread polls is to be stranded.
    static STRANDS: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Polls a worker that goes no further than `point`, if it gets there, and tells whether it did: for simulations, which drop it then.
pub fn stranding<T>(point: &'static str, poll: impl FnOnce() -> T) -> (T, bool) {
    STRANDS.set(Some(point));
    let polled = poll();
    (polled, STRANDS.take().is_none())
}

/// Does what is armed for the point, if anything is.
///
/// # Panics
/// As told.
pub async fn reached(point: &'static str) {
    let Some(name) = point.strip_prefix(PREFIX) else {
        return;
    };
    if STRANDS.get() == Some(name) {
        STRANDS.set(None);
        std::future::pending().await
    }
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let taken = directory.join(format!("{name}.{HELD}{}", own_number()));
    if std::fs::rename(directory.join(name), &taken).is_err() {
        return; // not armed, or another worker was first
    }
    let action = std::fs::read_to_string(&taken)
        .ok()
        .and_then(|text| text.parse().ok());
    if let Some(Action::Hold(longest)) = action {
        let end = Instant::now() + longest;
        while Instant::now() < end && taken.exists() {
            sleep(LOOK_EVERY).await;
        }
    }
    drop(std::fs::remove_file(&taken));
    match action {
        Some(Action::Kill) => std::process::abort(),
        Some(Action::Panic) => panic!("the crash point {name} was armed to panic"),
        Some(Action::Hold(_)) | None => {}
    }
}

/// Of this use of a point among all processes.
fn own_number() -> String {
    static USES: AtomicU32 = AtomicU32::new(0);
    let use_of_this_process = USES.fetch_add(1, Ordering::Relaxed);
    format!("{}-{use_of_this_process}", std::process::id())
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill => f.write_str("kill"),
            Self::Panic => f.write_str("panic"),
            Self::Hold(longest) => write!(f, "hold {}", longest.as_millis()),
        }
    }
}

/// The text is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the action must be kill, panic, or hold with a number of milliseconds")]
pub struct NoAction;

impl FromStr for Action {
    type Err = NoAction;

    fn from_str(text: &str) -> Result<Self, NoAction> {
        match text.split_once(' ') {
            None if text == "kill" => Ok(Self::Kill),
            None if text == "panic" => Ok(Self::Panic),
            Some(("hold", millis)) => {
                let millis = millis.parse().map_err(|_| NoAction)?;
                Ok(Self::Hold(Duration::from_millis(millis)))
            }
            None | Some(_) => Err(NoAction),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_reads_as_it_is_written() {
        for action in [
            Action::Kill,
            Action::Panic,
            Action::Hold(Duration::from_millis(2_500)),
        ] {
            assert_eq!(action.to_string().parse(), Ok(action));
        }
        for text in ["", "kill 1", "hold", "hold on", "Kill"] {
            assert_eq!(text.parse::<Action>(), Err(NoAction), "{text}");
        }
    }
}
