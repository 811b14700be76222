//! How far a run is, in one line that is written over: only where somebody watches.

use std::{
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

use super::Summary;

/// Often enough to see that it moves.
const EVERY: Duration = Duration::from_millis(100);

/// The line, on standard error.
#[derive(Debug)]
pub(super) struct Progress {
    total: usize,
    begun: Instant,
    /// When it was written last; `None` if nobody watches.
    shown: Option<Instant>,
}

impl Progress {
    pub(super) fn begin(total: usize) -> Self {
        let now = Instant::now();
        Self {
            total,
            begun: now,
            shown: io::stderr().is_terminal().then_some(now),
        }
    }

    pub(super) fn advance(&mut self, summary: &Summary, running: usize) {
        let due = self.shown.is_some_and(|shown| shown.elapsed() >= EVERY);
        if due {
            self.shown = Some(Instant::now());
            let text = text(summary, self.total, running, self.begun.elapsed());
            // Whoever has closed it does not watch.
            let _ = write!(io::stderr(), "\r\x1b[2K{text}");
        }
    }

    /// Leaves the line empty.
    pub(super) fn end(self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

fn text(summary: &Summary, total: usize, running: usize, elapsed: Duration) -> String {
    let over = summary.total();
    let refused = match summary.refused() {
        0 => String::new(),
        refused => format!(", {refused} refused"),
    };
    let seconds = elapsed.as_secs();
    format!("{over} of {total} lines, {running} under way{refused}, {seconds} s")
}
