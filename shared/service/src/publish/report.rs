//! What became of a batch.

use std::time::Duration;

use crate::metrics::{Meter, Metric};
use crate::ports::{SendError, StoreError};

/// How a change was done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The sink acknowledged it, and the row says so.
    Delivered {
        /// How long that took from its commit, or its redrive.
        lag: Duration,
    },
    /// The sink refuses it, and the row says so.
    Quarantined,
    /// Sent, but the row no longer carried the marker: somebody else marked, redrove or removed it meanwhile.
    Overtaken,
    /// This process has done with it before, behind a change that failed.
    Repeated,
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

/// Why a change is not done. It must be handed in again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The sink did not take it.
    #[error(transparent)]
    Sink(#[from] SendError),
    /// The event was sent, but it is not known to be marked: it will be sent again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Not begun: not enough of the invocation is left for another event.
    #[error("the invocation's time is up")]
    OutOfTime,
    /// Not begun: the sink has failed so often that it is left alone for a while.
    #[error("the sink is taken for down and is left alone for a while")]
    SinkDown,
    /// Not begun: the store did not take another event's mark.
    #[error("the store takes no marks; what is sent now would be sent again")]
    StoreDown,
    /// Not begun: an earlier event of its subject is not done.
    #[error("an earlier event of its subject is not done")]
    Behind,
}

/// What became of a batch. Each change is counted once, so that the counts add up to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Report {
    /// How many [`Fate::Delivered`].
    pub delivered: u32,
    /// How many [`Fate::Quarantined`].
    pub quarantined: u32,
    /// How many [`Fate::Overtaken`].
    pub overtaken: u32,
    /// How many [`Fate::Repeated`].
    pub repeated: u32,
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
    /// How many were sent, and are not known to be delivered and marked.
    pub failed: u32,
    /// How many were not begun.
    pub held: u32,
    /// Of each that was delivered its lag.
    pub lags: Vec<Duration>,
    /// The sequence number of the first change that is not done, and why: it and all behind it will be handed in again.
    pub stopped: Option<(String, Stop)>,
}

impl Report {
    /// Counts the next change of the batch.
    pub(super) fn count(&mut self, sequence: &str, outcome: Result<Fate, Stop>) {
        let counter = match &outcome {
            Ok(Fate::Delivered { lag }) => {
                self.lags.push(*lag);
                &mut self.delivered
            }
            Ok(Fate::Quarantined) => &mut self.quarantined,
            Ok(Fate::Overtaken) => &mut self.overtaken,
            Ok(Fate::Repeated) => &mut self.repeated,
            Ok(Fate::Marked) => &mut self.marked,
            Ok(Fate::Unchanged) => &mut self.unchanged,
            Ok(Fate::Expired) => &mut self.expired,
            Ok(Fate::Removed) => &mut self.removed,
            Ok(Fate::Unreadable) => &mut self.unreadable,
            Err(Stop::Sink(_) | Stop::Store(_)) => &mut self.failed,
            Err(Stop::OutOfTime | Stop::SinkDown | Stop::StoreDown | Stop::Behind) => {
                &mut self.held
            }
        };
        *counter += 1;
        if let (Err(stop), None) = (outcome, &self.stopped) {
            self.stopped = Some((sequence.to_owned(), stop));
        }
    }

    /// The number of changes that were counted: all of the batch.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.delivered
            + self.quarantined
            + self.overtaken
            + self.repeated
            + self.marked
            + self.unchanged
            + self.expired
            + self.removed
            + self.unreadable
            + self.failed
            + self.held
    }

    /// What is measured of the batch.
    pub fn meter(&self) -> Meter {
        Meter::default()
            .count(Metric::Delivered, self.delivered)
            .times(Metric::DeliveryLag, &self.lags)
            .count(Metric::Overtaken, self.overtaken)
            .count(Metric::Quarantined, self.quarantined)
            .count(Metric::NotDelivered, self.failed)
    }
}
