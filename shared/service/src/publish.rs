//! Publishing: a batch of the outbox's stream, on one screen.
//!
//! ```text
//! newly undelivered ─► send ─► acknowledged  ─► mark delivered (UpdateItem)     1 send + 1 round trip
//!                           ─► poison        ─► quarantine (UpdateItem), alarm  1 send + 1 round trip
//!                           ─► not available ─► pause, send again (§ deliver)   1 send, each time
//! done behind a failure before ─► nothing, counted                              none
//! removed, marked, unchanged   ─► nothing, counted                              none
//! unreadable                   ─► left as it stands, alarm                      none
//! ```
//!
//! A send is a share of a request: a sink that takes ten events at once gets ten subjects' events with one.
//! Write units of a delivered event, while its row is below 1 KB: 1 (the row) + 1 (it leaves the sparse index). Of a
//! quarantined one: 1 more (it enters the other index). No read: what commits with a decision never changes, so the
//! image of a new marker *is* the row; where it was marked meanwhile, the mark's condition says so and the consumer has
//! a duplicate, with the same id.
//!
//! **What is not done is handed in again**, and everything behind it: Lambda goes on from the lowest failed sequence
//! number. What was done behind it is remembered by this process ([`Fate::Repeated`]); another one sends it again, with
//! the same id. An outage burns nothing of the rows, which count no attempts. A sink that is down ends the batch early
//! ([`Stop::SinkDown`]) and is asked once a cool-down whether it is back.
//!
//! **What cannot be read is left**, whether a newer version wrote it or none did, like an operation record that cannot
//! be read: code that does not understand a row does not judge it. It stays undelivered, without TTL, in the index in
//! which the sweeper of a version that can read it finds it, and whose oldest entry has an alarm. To fail it instead
//! would hold up everybody's events for as long as a rollout, or a rollback, lasts.

mod breaker;
mod change;
mod deliver;
mod pace;
mod recent;
mod report;

use std::sync::{Mutex, MutexGuard, PoisonError};

use decide_once_protocol::time::Timestamp;

pub use change::{Change, Image};
pub use deliver::Due;
pub use pace::Pace;
pub use report::{Fate, Report, Stop};

use crate::ports::{Clock, Outbox, Sink};
use breaker::Breaker;
use change::Asks;
use recent::Recent;

/// The publish path over its ports. Made once for a process: it knows how the sink has been.
#[derive(Debug)]
pub struct Publisher<O, S, C> {
    /// The outbox's rows.
    pub outbox: O,
    /// Where events go.
    pub sink: S,
    /// The worker's clock.
    pub clock: C,
    pace: Pace,
    breaker: Mutex<Breaker>,
    recent: Mutex<Recent>,
}

impl<O: Outbox, S: Sink, C: Clock> Publisher<O, S, C> {
    /// A publisher that takes the sink for well.
    pub fn new(outbox: O, sink: S, clock: C, pace: Pace) -> Self {
        Self {
            outbox,
            sink,
            clock,
            pace,
            breaker: Mutex::new(Breaker::new(pace.failures, pace.cool_down)),
            recent: Mutex::default(),
        }
    }

    /// Delivers what a batch of changes asks for, and tells from where on it must be handed in again.
    pub async fn publish(&self, batch: &[Change], deadline: Timestamp) -> Report {
        let asked: Vec<_> = batch.iter().map(|change| self.asks(change)).collect();
        let due: Vec<_> = asked
            .iter()
            .filter_map(|asks| asks.as_ref().err())
            .copied()
            .collect();
        let mut outcomes = self.deliver(&due, deadline).await.into_iter();
        let mut report = Report::default();
        for (change, asks) in batch.iter().zip(asked) {
            let outcome = match asks {
                Ok(fate) => Ok(fate),
                Err(due) => {
                    let outcome = outcomes.next().unwrap_or(Err(Stop::Behind));
                    if report.stopped.is_some() && outcome.is_ok() {
                        self.recent().learn(&due.row.event.id, due.seen);
                    }
                    outcome
                }
            };
            report.count(&change.sequence, outcome);
        }
        report
    }

    /// What a change asks for: nothing, because it shows this, or else a delivery.
    fn asks<'a>(&self, change: &'a Change) -> Result<Fate, Due<'a>> {
        match change.asks() {
            Asks::Nothing(fate) => Ok(fate),
            Asks::Delivery(row, seen) if self.recent().has(&row.event.id, seen) => {
                Ok(Fate::Repeated)
            }
            Asks::Delivery(row, seen) => Err(Due { row, seen }),
        }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
