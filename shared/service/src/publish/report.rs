//! What became of a batch.

use crate::ports::{SendError, StoreError};

/// What became of a change. Every one has exactly one, so that the counts add up to the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The sink acknowledged it, and the row says so.
    Delivered,
    /// The sink refuses it, and the row says so.
    Quarantined,
    /// Sent, but the row no longer carried the marker: somebody else marked, redrove or removed it meanwhile.
    Overtaken,
    /// It only took a marker away: this publisher's own mark, or another's.
    Marked,
    /// It left the marker as it was, or a row without one.
    Unchanged,
    /// TTL deleted a row.
    Expired,
    /// Somebody deleted a row.
    Removed,
    /// It cannot be read, and is left.
    Unreadable,
}

/// Why a batch ended before its last change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// Not enough of the invocation is left for another event.
    #[error("the invocation's time is up")]
    OutOfTime,
    /// The sink did not take it.
    #[error(transparent)]
    Sink(#[from] SendError),
    /// The event was sent, but it is not known to be marked: it will be sent again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What became of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Report {
    /// How many [`Fate::Delivered`].
    pub delivered: u32,
    /// How many [`Fate::Quarantined`].
    pub quarantined: u32,
    /// How many [`Fate::Overtaken`].
    pub overtaken: u32,
    /// How many [`Fate::Marked`].
    pub marked: u32,
    /// How many [`Fate::Unchanged`].
    pub unchanged: u32,
    /// How many [`Fate::Expired`].
    pub expired: u32,
    /// How many [`Fate::Removed`].
    pub removed: u32,
    /// How many [`Fate::Unreadable`].
    pub unreadable: u32,
    /// The sequence number of the first change that is not done, and why: it and all behind it must be handed in again.
    pub stopped: Option<(String, Stop)>,
}

impl Report {
    pub(super) const fn count(&mut self, fate: Fate) {
        let counter = match fate {
            Fate::Delivered => &mut self.delivered,
            Fate::Quarantined => &mut self.quarantined,
            Fate::Overtaken => &mut self.overtaken,
            Fate::Marked => &mut self.marked,
            Fate::Unchanged => &mut self.unchanged,
            Fate::Expired => &mut self.expired,
            Fate::Removed => &mut self.removed,
            Fate::Unreadable => &mut self.unreadable,
        };
        *counter += 1;
    }

    pub(super) fn stop(&mut self, sequence: &str, why: Stop) {
        self.stopped = Some((sequence.to_owned(), why));
    }

    /// Whether an event was sent, whatever became of its mark.
    pub(super) const fn has_sent(&self) -> bool {
        self.delivered + self.quarantined + self.overtaken > 0
    }
}
