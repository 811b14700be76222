//! The crash matrix: a process dies at each point there is, and its caller comes back at each moment that makes a difference.
//!
//! Here are the questions, and the answers of the simulation. The same questions are put to real processes by
//! `tests/tests/crash`, which writes both into `docs/crash-matrix.md`.

mod memory;

use std::fmt;
use std::time::Duration;

use decide_once_service::crash::POINTS;

pub use memory::cell;

use crate::plan::{Crash, Part};

/// When the caller comes back, seen from the crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// At once.
    AtOnce,
    /// While the lease of the dead worker, if it had one, still stands.
    Leased,
    /// When that lease has lapsed.
    Lapsed,
    /// When a result of before is no longer kept.
    ResultExpired,
    /// When the key of a finished operation is free again.
    KeyFree,
}

/// How long a policy keeps results and keys.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Results.
    pub result: Duration,
    /// Keys.
    pub key: Duration,
}

/// What came of one crash and one return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What the caller is told when it comes back, and then, half a minute later each time, while it is advised to come again.
    pub told: Vec<String>,
    /// How many decisions there are of the key in the end.
    pub decisions: usize,
    /// How many events they have.
    pub events: usize,
    /// How many effects these had.
    pub effects: usize,
}

/// Longer than the longest lease.
pub const LEASE_LAPSES: Duration = Duration::from_secs(31);

/// A bit more than the margin of a key's end.
const FREE: Duration = Duration::from_secs(6 * 60);

impl Moment {
    /// Each of them, in their order.
    pub const ALL: [Self; 5] = [
        Self::AtOnce,
        Self::Leased,
        Self::Lapsed,
        Self::ResultExpired,
        Self::KeyFree,
    ];

    /// How long after the crash it is.
    #[must_use]
    pub const fn after(self, kept: Kept) -> Duration {
        match self {
            Self::AtOnce => Duration::ZERO,
            Self::Leased => Duration::from_secs(10),
            Self::Lapsed => LEASE_LAPSES,
            Self::ResultExpired => kept.result.saturating_add(LEASE_LAPSES),
            Self::KeyFree => kept.key.saturating_add(FREE),
        }
    }
}

/// Each point of the service, in a function that gets there. `intake` and `sweep` go through the same use-cases and points as those here, and a
/// consumer whose effect is elsewhere has a suite of its own (`k01_…`, `n10_…` in `tests/tests/ends/consuming.rs`).
#[must_use]
pub fn crashes() -> Vec<Crash> {
    let parts = |point| match point {
        "after_reserve" | "before_commit" | "after_commit" => vec![Part::Decide, Part::Evaluate],
        "after_send" | "after_mark" => vec![Part::Publish],
        _ => vec![Part::Consume],
    };
    let each = POINTS
        .iter()
        .flat_map(|point| parts(point).into_iter().map(|part| Crash { point, part }));
    let mut crashes: Vec<_> = each.collect();
    crashes.sort_by_key(|crash| crash.part);
    crashes
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            told,
            decisions,
            events,
            effects,
        } = self;
        write!(
            f,
            "{} ({decisions}, {events}, {effects})",
            told.join(", then ")
        )
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AtOnce => "at once",
            Self::Leased => "leased",
            Self::Lapsed => "lapsed",
            Self::ResultExpired => "result expired",
            Self::KeyFree => "key free",
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Decide => "decide",
            Self::Evaluate => "evaluate",
            Self::Publish => "publish",
            Self::Consume => "consume",
        })
    }
}
