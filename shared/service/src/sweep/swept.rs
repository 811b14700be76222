//! What a sweep has done.

use std::time::Duration;

use decide_once_protocol::trace::TraceParent;

use crate::metrics::{Meter, Metric};
use crate::publish::{Fate, Stop};
use crate::resume::Fates;

/// What a sweep has seen and done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Swept {
    /// How long the oldest undelivered row waits, when the sweep began; nothing if there is none.
    pub oldest_undelivered: Option<Duration>,
    /// How long the oldest operation waits that somebody should go on with.
    pub oldest_due: Option<Duration>,
    /// What became of operations.
    pub operations: Fates,
    /// What became of rows.
    pub rows: Rows,
    /// Whether all was looked at; if not, the next sweep goes on from here.
    pub complete: bool,
}

/// What became of rows. Each is counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The sink acknowledged it, and the row says so.
    pub delivered: u32,
    /// The sink refuses it, and the row says so.
    pub quarantined: u32,
    /// Somebody else had marked or redriven it when it was marked.
    pub overtaken: u32,
    /// It was not undelivered any more when it was read.
    pub done_meanwhile: u32,
    /// It cannot be read, and is left.
    pub unreadable: u32,
    /// It was sent and is not done, or was not begun: it is still there for the next sweep.
    pub left: u32,
    /// Of each that was delivered its lag.
    pub lags: Vec<Duration>,
    /// The traces of those that were sent, or should have been.
    pub traces: Vec<TraceParent>,
    /// Whether some were left because the sink is taken for down.
    pub sink_down: bool,
    /// Whether some were left because the invocation's time is up.
    pub out_of_time: bool,
}

impl Swept {
    /// What the streams had missed, and is finished now: events and operations.
    #[must_use]
    pub const fn recovered(&self) -> u32 {
        self.rows.delivered + self.operations.succeeded + self.operations.failed
    }

    /// What is measured of the sweep.
    pub fn meter(&self) -> Meter {
        Meter::default()
            .count(Metric::Delivered, self.rows.delivered)
            .times(Metric::DeliveryLag, &self.rows.lags)
            .count(Metric::Overtaken, self.rows.overtaken)
            .count(Metric::Quarantined, self.rows.quarantined)
            .count(Metric::Recovered, self.recovered())
            .time(Metric::OldestUndelivered, self.oldest_undelivered)
            .time(Metric::OldestDue, self.oldest_due)
    }
}

impl Rows {
    pub(super) fn count(&mut self, outcome: &Result<Fate, Stop>) {
        match outcome {
            Ok(Fate::Delivered { lag }) => {
                self.lags.push(*lag);
                self.delivered += 1;
            }
            Ok(Fate::Quarantined) => self.quarantined += 1,
            Ok(Fate::Overtaken) => self.overtaken += 1,
            Ok(_) => self.done_meanwhile += 1,
            Err(why) => {
                self.left += 1;
                self.sink_down |= *why == Stop::SinkDown;
                self.out_of_time |= *why == Stop::OutOfTime;
            }
        }
    }
}
