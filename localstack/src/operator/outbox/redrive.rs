//! `outbox redrive`: have events sent again.
//!
//! A redrive is one conditional update of an existing row ([`Outbox::redrive`]): it makes the row undelivered under a marker that it never
//! had, which the outbox's stream carries to the publisher. The event's id and content stay. So nothing here can be left half done, and an
//! interrupted run is simply run again.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use decide_once_protocol::ids::EventId;
use decide_once_protocol::json::{Value, object};
use decide_once_protocol::outbox::{Delivery, Marker};
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::{Ids as _, Marked, Outbox, Read};
use decide_once_service::system::SystemIds;

use super::read;
use crate::one_line;
use crate::operator::counts::{count, summary};
use crate::operator::merged::{Merged, Quarantined};
use crate::operator::{
    Ended, OperatorError, args::RedriveArgs, connection::Connection, progress::Progress,
    screen::Screen, unreadable::unreadable,
};

/// A store that fails so often in a row is down, and the rest would only wait for it.
const FAILURES_IN_A_ROW: u32 = 5;

/// Markers of one instant are told apart by three digits.
const NUMBERS: u32 = 1_000;

pub(in crate::operator) async fn run(
    connection: &Connection,
    asked: &RedriveArgs,
    screen: &Screen,
) -> Result<Ended, OperatorError> {
    let events = if asked.quarantined {
        quarantined(connection, asked).await?
    } else {
        asked.events.clone()
    };
    if asked.quarantined && !events.is_empty() && !asked.dry_run && !asked.yes {
        confirm(events.len())?;
    }
    let mut redrive = Redrive {
        connection,
        asked,
        screen,
        done: 0,
        skipped: 0,
        failed: 0,
    };
    let ended = redrive.all(&events).await;
    redrive.summary()?;
    ended?;
    Ok(if redrive.failed == 0 {
        Ended::Well
    } else {
        Ended::Short
    })
}

/// What the index says, oldest first.
async fn quarantined(
    connection: &Connection,
    asked: &RedriveArgs,
) -> Result<Vec<EventId>, OperatorError> {
    let until = asked.older_than.map(|span| connection.now().minus(span));
    let limit = asked.limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let store = &connection.store;
    let mut rows = Merged::new(Quarantined { store });
    let mut progress = Progress::new("looking for quarantined events:", None);
    let mut events = Vec::new();
    let outbox = connection.outbox();
    while events.len() < limit {
        match rows.next().await.map_err(|error| outbox.failed(error))? {
            Some((event, since)) if until.is_none_or(|until| since <= until) => events.push(event),
            Some(_) | None => break,
        }
        progress.at(events.len());
    }
    Ok(events)
}

fn confirm(events: usize) -> Result<(), OperatorError> {
    if !io::stdin().is_terminal() {
        return Err(OperatorError::NotConfirmed);
    }
    eprint!("Have {events} quarantined events sent again? [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        Err(OperatorError::NotConfirmed)
    }
}

struct Redrive<'a> {
    connection: &'a Connection,
    asked: &'a RedriveArgs,
    screen: &'a Screen,
    done: usize,
    skipped: usize,
    failed: usize,
}

/// What became of one event.
enum Fate {
    /// It is undelivered again, or would be.
    Redriven,
    /// It is not quarantined any more, as one expects of a second run.
    Skipped,
    /// It is not there, or cannot be read.
    Not(String),
}

impl Redrive<'_> {
    async fn all(&mut self, events: &[EventId]) -> Result<(), OperatorError> {
        let mut progress = Progress::new("redriving:", Some(events.len()));
        let mut in_a_row = 0;
        for (number, event) in (1..).zip(events) {
            let fate = match self.one(event).await {
                Ok(fate) => {
                    in_a_row = 0;
                    fate
                }
                // Every further one would say the same.
                Err(
                    error @ (OperatorError::NoTable { .. }
                    | OperatorError::Refused { .. }
                    | OperatorError::Output(_)),
                ) => return Err(error),
                Err(error) => {
                    in_a_row += 1;
                    Fate::Not(format!(
                        "it is not known whether it was redriven: {}",
                        one_line(&error)
                    ))
                }
            };
            progress.clear();
            self.tell(event, fate)?;
            progress.at(number);
            if in_a_row == FAILURES_IN_A_ROW {
                return Err(OperatorError::GaveUp {
                    failures: in_a_row,
                    left: events.len().saturating_sub(number),
                });
            }
        }
        Ok(())
    }

    async fn one(&self, event: &EventId) -> Result<Fate, OperatorError> {
        // Read strongly: an index may still have what a first run has redriven.
        let row = match read(self.connection, event).await? {
            Read::Found(row) => row,
            Read::Absent => return Ok(Fate::Not(GONE.to_owned())),
            Read::Unreadable(why) => return Ok(Fate::Not(unreadable(&why))),
        };
        if self.asked.quarantined && !matches!(row.delivery, Delivery::Quarantined { .. }) {
            return Ok(Fate::Skipped);
        }
        if self.asked.dry_run {
            return Ok(Fate::Redriven);
        }
        let fresh = fresh(&row.delivery, self.connection.now());
        let marked = self.connection.store.redrive(event, fresh).await;
        match marked.map_err(|error| self.connection.outbox().failed(error))? {
            Marked::Done => Ok(Fate::Redriven),
            Marked::NotThere => Ok(Fate::Not(GONE.to_owned())),
        }
    }

    fn tell(&mut self, event: &EventId, fate: Fate) -> Result<(), OperatorError> {
        let (result, why) = match fate {
            Fate::Redriven if self.asked.dry_run => {
                self.done += 1;
                ("would be redriven", None)
            }
            Fate::Redriven => {
                self.done += 1;
                ("redriven", None)
            }
            Fate::Skipped => {
                self.skipped += 1;
                ("not quarantined any more", None)
            }
            Fate::Not(why) => {
                self.failed += 1;
                ("failed", Some(why))
            }
        };
        let note = why.as_deref().unwrap_or_default();
        self.screen.line(&format!("{event:28}  {result}  {note}"))?;
        self.screen.object(|| {
            let mut line = object([
                ("event", Value::from(event.as_str())),
                ("result", Value::from(result)),
            ]);
            if let Some(why) = &why {
                line.insert("reason", why.as_str());
            }
            line
        })?;
        Ok(())
    }

    fn summary(&self) -> Result<(), OperatorError> {
        let would = if self.asked.dry_run { "would be " } else { "" };
        let mut line = format!("{} {would}redriven", self.done);
        if self.skipped > 0 {
            line += &format!(", {} not quarantined any more", self.skipped);
        }
        if self.failed > 0 {
            line += &format!(", {} failed", self.failed);
        }
        self.screen.line(&line)?;
        self.screen.object(|| {
            summary(object([
                ("dryRun", Value::from(self.asked.dry_run)),
                ("redriven", count(self.done)),
                ("skipped", count(self.skipped)),
                ("failed", count(self.failed)),
            ]))
        })?;
        Ok(())
    }
}

/// What is said of a row that is not there. None is made.
const GONE: &str =
    "there is no such event: it never was, or its retention after delivery has ended";

/// A marker that the row never had: later than the one that it has, whatever the clocks say.
fn fresh(delivery: &Delivery, now: Timestamp) -> Marker {
    let since = match delivery {
        Delivery::Undelivered(marker) => {
            now.max(marker.since.plus(std::time::Duration::from_millis(1)))
        }
        Delivery::Delivered { at } => now.max(*at),
        Delivery::Quarantined { since, .. } => now.max(*since),
    };
    let [high, low, ..] = SystemIds.owner();
    Marker {
        since,
        number: u32::from(u16::from_be_bytes([high, low])) % NUMBERS,
    }
}

#[cfg(test)]
mod tests {
    use decide_once_service::{ports::Clock as _, system::SystemClock};

    use super::*;

    #[test]
    fn a_fresh_marker_is_later_than_the_old_one_whatever_the_clock_says() {
        let now = SystemClock.now();
        let ahead = Marker {
            since: now.plus(std::time::Duration::from_secs(60)),
            number: 999,
        };
        let marker = fresh(&Delivery::Undelivered(ahead), now);
        assert!(marker.encode() > ahead.encode());
        assert_eq!(Marker::decode(&marker.encode()), Some(marker));
        let delivered = Delivery::Delivered { at: now };
        assert_eq!(fresh(&delivered, now).since, now);
    }
}
