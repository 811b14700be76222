//! How far long work has come, on stderr and only for people.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Work that is done sooner needs no word about it.
const QUIET: Duration = Duration::from_secs(1);

/// How often there is news.
const PACE: Duration = Duration::from_millis(200);

/// A line that is written over again and again, and gone at the end. Nothing if stderr is not a terminal.
pub(super) struct Progress {
    what: &'static str,
    of: Option<usize>,
    next: Instant,
    shown: bool,
    terminal: bool,
}

impl Progress {
    /// Work that is called `what`, of so many steps if that is known.
    pub(super) fn new(what: &'static str, of: Option<usize>) -> Self {
        Self {
            what,
            of,
            next: Instant::now() + QUIET,
            shown: false,
            terminal: io::stderr().is_terminal(),
        }
    }

    /// So many steps are done.
    pub(super) fn at(&mut self, done: usize) {
        if !self.terminal || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PACE;
        self.shown = true;
        let of = self.of.map(|of| format!(" of {of}")).unwrap_or_default();
        eprint!("\r\x1b[K{} {done}{of}", self.what);
        let _ = io::stderr().flush();
    }

    /// Makes room for a line of another.
    pub(super) fn clear(&mut self) {
        if self.shown {
            eprint!("\r\x1b[K");
            self.shown = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
