//! Publishing: a batch of the outbox's stream, on one screen.
//!
//! ```text
//! newly undelivered ─► send ─► acknowledged  ─► mark delivered (UpdateItem)       1 send + 1 round trip
//!                           ─► poison        ─► quarantine (UpdateItem), alarm    1 send + 1 round trip
//!                           ─► not available ─► the batch ends here               1 send
//! removed, marked, unchanged ─► nothing, counted                                  none
//! unreadable                 ─► left as it stands, alarm                          none
//! ```
//!
//! Write units of a delivered event, while its row is below 1 KB: 1 (the row) + 1 (it leaves the sparse index). Of a
//! quarantined one: 1 more (it enters the other index). No read: what commits with a decision never changes, so the
//! image of a new marker *is* the row; where it was marked meanwhile, the mark's condition says so and the consumer has
//! a duplicate, with the same id.
//!
//! **The first failure ends the batch.** Lambda hands in everything from the lowest failed sequence number on again, so
//! whatever would be sent behind it would be sent twice, once for each retry; and when a sink is down, the next event
//! fares no better. So an outage costs one send a retry, burns nothing of the rows, which count no attempts, and leaves
//! them in order.
//!
//! **What cannot be read is left**, whether a newer version wrote it or none did, like an operation record that cannot
//! be read: code that does not understand a row does not judge it. It stays undelivered, without TTL, in the index in
//! which the sweeper of a version that can read it finds it, and whose oldest entry has an alarm. To fail it instead
//! would hold up everybody's events for as long as a rollout, or a rollback, lasts.

mod change;
mod report;

use std::time::Duration;

use decide_once_protocol::outbox::{Marker, OutboxRow};
use decide_once_protocol::time::Timestamp;

pub use change::{Change, Image};
pub use report::{Fate, Report, Stop};

use crate::crash_point;
use crate::ports::{Clock, Marked, Outbox, SendError, Sink};
use change::Asks;

/// The publish path over its ports. Made once for a process.
#[derive(Debug)]
pub struct Publisher<O, S, C> {
    /// The outbox's rows.
    pub outbox: O,
    /// Where events go.
    pub sink: S,
    /// The worker's clock.
    pub clock: C,
    /// The longest that one event may take, sink and mark together. With less time left no further one is begun: killed
    /// between both, it would be sent again, and with it everything that the batch has done before.
    pub longest: Duration,
}

impl<O: Outbox, S: Sink, C: Clock> Publisher<O, S, C> {
    /// Delivers what a batch of changes asks for, in its order, and tells from where on it must be handed in again.
    pub async fn publish(&self, batch: &[Change], deadline: Timestamp) -> Report {
        let mut report = Report::default();
        for change in batch {
            let outcome = match change.asks() {
                Asks::Nothing(fate) => Ok(fate),
                // The first is always begun, however short the function's timeout: else it would never be.
                Asks::Delivery(..)
                    if report.has_sent() && self.clock.now().until(deadline) < self.longest =>
                {
                    Err(Stop::OutOfTime)
                }
                Asks::Delivery(row, marker) => self.deliver(row, marker).await,
            };
            match outcome {
                Ok(fate) => report.count(fate),
                Err(stop) => {
                    report.stop(&change.sequence, stop);
                    break;
                }
            }
        }
        report
    }

    /// Sends, then marks; never the other way round. Anything but an acknowledgement is "not sent".
    async fn deliver(&self, row: &OutboxRow, seen: Marker) -> Result<Fate, Stop> {
        let id = &row.event.id;
        let (marked, fate) = match self.sink.send(row).await {
            Ok(()) => {
                crash_point!("after_send");
                let at = self.clock.now();
                (
                    self.outbox.mark_delivered(id, seen, at).await?,
                    Fate::Delivered,
                )
            }
            Err(SendError::Poison(reason)) => {
                tracing::error!(event = %id, reason, "the sink refuses an event; it is quarantined");
                let at = self.clock.now();
                (
                    self.outbox.quarantine(id, seen, &reason, at).await?,
                    Fate::Quarantined,
                )
            }
            Err(unavailable @ SendError::Unavailable(_)) => return Err(unavailable.into()),
        };
        crash_point!("after_mark");
        Ok(match marked {
            Marked::Done => fate,
            Marked::NotThere => Fate::Overtaken,
        })
    }
}
