//! Delivering rows: sends that are under way at once, subjects in single file, pauses and their end.
//!
//! A row is sent, then marked; never the other way round. Anything but an acknowledgement is "not sent", and is sent again
//! after a pause, up to [`Pace::attempts`](super::Pace) and within the invocation's time. The next row of its subject waits
//! until it is marked, or refused for good: a poison row is set aside, and those behind it go on without it. A mark that
//! fails ends the delivery: whatever is sent while the store takes no marks is sent again.

use std::collections::HashSet;
use std::time::Duration;

use decide_once_protocol::lanes::Lanes;
use decide_once_protocol::outbox::{Marker, OutboxRow};
use decide_once_protocol::time::Timestamp;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;

use super::{Fate, Publisher, Stop};
use crate::crash_point;
use crate::ports::{Clock, Marked, Outbox, SendError, Sink};

/// A row that is to be sent, and marked where it carries this marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<'a> {
    /// The row, undelivered.
    pub row: &'a OutboxRow,
    /// Its marker.
    pub seen: Marker,
}

/// Where one row stands in a delivery.
#[derive(Clone, Debug, Default)]
struct Course {
    sends: u32,
    outcome: Option<Result<Fate, Stop>>,
}

impl<O: Outbox, S: Sink, C: Clock> Publisher<O, S, C> {
    /// Delivers rows, and tells what became of each, in their order. Of a subject's rows the earlier one comes first in
    /// `due`.
    pub async fn deliver(&self, due: &[Due<'_>], deadline: Timestamp) -> Vec<Result<Fate, Stop>> {
        let mut lanes = Lanes::of(due.iter().map(|due| &due.row.event));
        let mut courses = vec![Course::default(); due.len()];
        let (mut sends, mut pauses) = (FuturesUnordered::new(), FuturesUnordered::new());
        // The first is always begun, however short the function's timeout: else it would never be.
        let mut least = Duration::ZERO;
        let mut marks_fail = false;
        let halt = loop {
            let mut halt = None;
            while lanes.has_ready() && sends.len() < self.pace.concurrency.get() {
                if marks_fail {
                    halt = Some(Stop::StoreDown);
                } else if self.time_left(deadline) < least {
                    halt = Some(Stop::OutOfTime);
                } else if !self.breaker().admits(self.clock.now()) {
                    halt = Some(Stop::SinkDown);
                }
                if halt.is_some() {
                    break;
                }
                least = self.pace.longest;
                let rows = lanes.take(self.sink.at_once().get());
                sends.push(self.send(due, rows));
            }
            if sends.is_empty() && (pauses.is_empty() || halt.is_some()) {
                break halt;
            }
            // In this order, so that a delivery is a function of what happens to it; neither can keep the other waiting.
            tokio::select! {
                biased;
                Some(row) = pauses.next() => lanes.again(row),
                Some(sent) = sends.next() => for (row, outcome) in sent {
                    let course: &mut Course = &mut courses[row];
                    course.sends += 1;
                    match &outcome {
                        Ok(_) => lanes.done(row),
                        Err(Stop::Sink(_)) => {
                            let left = self.time_left(deadline);
                            if let Some(pause) = self.pace.pause(course.sends, left) {
                                pauses.push(after(pause, row));
                            }
                        }
                        Err(_) => marks_fail = true,
                    }
                    course.outcome = Some(outcome);
                },
            }
        };
        outcomes(courses, &lanes, &halt.unwrap_or(Stop::Behind))
    }

    /// Sends these rows with one call of the sink, and marks what it has a verdict on.
    async fn send(&self, due: &[Due<'_>], rows: Vec<usize>) -> Vec<(usize, Result<Fate, Stop>)> {
        let handed: Vec<_> = rows.iter().map(|row| due[*row].row).collect();
        let mut verdicts = self.sink.send(&handed).await;
        let untold = || {
            Err(SendError::Unavailable(
                "it told nothing of this event".to_owned(),
            ))
        };
        verdicts.resize_with(rows.len(), untold);
        let none = verdicts
            .iter()
            .all(|verdict| matches!(verdict, Err(SendError::Unavailable(_))));
        if none {
            self.breaker().failed(self.clock.now());
        } else {
            self.breaker().answered();
        }
        let marks = rows
            .into_iter()
            .zip(verdicts)
            .map(async |(row, verdict)| (row, self.mark(due[row], verdict).await));
        join_all(marks).await
    }

    async fn mark(&self, due: Due<'_>, verdict: Result<(), SendError>) -> Result<Fate, Stop> {
        let (id, seen) = (&due.row.event.id, due.seen);
        let (marked, fate) = match verdict {
            Ok(()) => {
                crash_point!("after_send");
                let at = self.clock.now();
                let marked = self.outbox.mark_delivered(id, seen, at).await?;
                let lag = seen.since.until(at);
                (marked, Fate::Delivered { lag })
            }
            Err(SendError::Poison(reason)) => {
                tracing::error!(event = %id, reason, "the sink refuses an event; it is quarantined");
                let at = self.clock.now();
                let marked = self.outbox.quarantine(id, seen, &reason, at).await?;
                (marked, Fate::Quarantined)
            }
            Err(unavailable @ SendError::Unavailable(_)) => return Err(unavailable.into()),
        };
        crash_point!("after_mark");
        Ok(match marked {
            Marked::Done => fate,
            Marked::NotThere => Fate::Overtaken,
        })
    }

    fn time_left(&self, deadline: Timestamp) -> Duration {
        self.clock.now().until(deadline)
    }
}

async fn after(pause: Duration, row: usize) -> usize {
    tokio::time::sleep(pause).await;
    row
}

/// Rows that were not begun were held up by their own subject, or else by what ended it all.
fn outcomes(courses: Vec<Course>, lanes: &Lanes, halt: &Stop) -> Vec<Result<Fate, Stop>> {
    let failed = |(row, course): (usize, &Course)| {
        matches!(course.outcome, Some(Err(_))).then(|| lanes.lane(row))
    };
    let closed: HashSet<_> = courses.iter().enumerate().filter_map(failed).collect();
    let held = |row| {
        let behind = closed.contains(&lanes.lane(row));
        Err(if behind { Stop::Behind } else { halt.clone() })
    };
    let courses = courses.into_iter().enumerate();
    courses
        .map(|(row, course)| course.outcome.unwrap_or_else(|| held(row)))
        .collect()
}
