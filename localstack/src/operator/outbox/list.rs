//! `outbox list`: what its sink does not have, oldest first.
//!
//! The indexes tell ids and ages; type and reason are read from the rows that are shown, strongly, so that one which was delivered
//! meanwhile is not shown as if it were not. What is beyond the limit is counted only.

use decide_once_protocol::ids::EventId;
use decide_once_protocol::json::{Value, object};
use decide_once_protocol::outbox::{Delivery, OutboxRow};
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::Read;

use super::{behind, read};
use crate::operator::counts::{count, seconds, summary};
use crate::operator::merged::{Merged, Pages, Quarantined, Undelivered};
use crate::operator::{
    Ended, OperatorError, args::ListRowsArgs, connection::Connection, progress::Progress,
    screen::Screen, span, unreadable::unreadable,
};

pub(in crate::operator) async fn run(
    connection: &Connection,
    asked: &ListRowsArgs,
    screen: &Screen,
) -> Result<Ended, OperatorError> {
    let now = connection.now();
    let store = &connection.store;
    let mut listing = Listing {
        connection,
        screen,
        asked,
        now,
        seen: 0,
        shown: 0,
        unreadable: 0,
        oldest: None,
    };
    // Without `--older-than` also what a clock that is ahead of this one has written.
    let until = asked.older_than.map(|span| now.minus(span));
    if asked.quarantined {
        let rows = Merged::new(Quarantined { store });
        listing.all(rows, until, |(event, _)| event).await?;
    } else {
        let before = behind(until.unwrap_or(Timestamp::EPOCH.plus(std::time::Duration::MAX)));
        let rows = Merged::new(Undelivered { store, before });
        listing.all(rows, until, |(event, _)| event).await?;
    }
    listing.summary()
}

struct Listing<'a> {
    connection: &'a Connection,
    screen: &'a Screen,
    asked: &'a ListRowsArgs,
    now: Timestamp,
    seen: usize,
    shown: usize,
    unreadable: usize,
    oldest: Option<Timestamp>,
}

impl Listing<'_> {
    async fn all<P: Pages>(
        &mut self,
        mut entries: Merged<P>,
        until: Option<Timestamp>,
        event: impl Fn(&P::Entry) -> &EventId,
    ) -> Result<(), OperatorError> {
        let limit = usize::try_from(self.asked.limit).unwrap_or(usize::MAX);
        let mut progress = Progress::new("counting events:", None);
        let outbox = self.connection.outbox();
        while let Some(entry) = entries.next().await.map_err(|e| outbox.failed(e))? {
            let since = P::since(&entry);
            if until.is_some_and(|until| since > until) {
                break;
            }
            if self.shown < limit {
                progress.clear();
                if !self.row(event(&entry), since).await? {
                    continue;
                }
                self.shown += 1;
            }
            self.seen += 1;
            self.oldest.get_or_insert(since);
            progress.at(self.seen);
        }
        Ok(())
    }

    /// Shows a row, unless it stands elsewhere meanwhile.
    async fn row(&mut self, event: &EventId, since: Timestamp) -> Result<bool, OperatorError> {
        let (kind, reason) = match read(self.connection, event).await? {
            Read::Absent => return Ok(false),
            Read::Unreadable(why) => {
                self.unreadable += 1;
                ("?".to_owned(), Some(unreadable(&why)))
            }
            Read::Found(row) => {
                let OutboxRow { event, delivery } = *row;
                match delivery {
                    Delivery::Undelivered(_) if !self.asked.quarantined => (event.kind, None),
                    Delivery::Quarantined { reason, .. } if self.asked.quarantined => {
                        (event.kind, Some(reason))
                    }
                    Delivery::Undelivered(_)
                    | Delivery::Quarantined { .. }
                    | Delivery::Delivered { .. } => return Ok(false),
                }
            }
        };
        if self.shown == 0 {
            let reason = if self.asked.quarantined { "REASON" } else { "" };
            self.screen
                .line(&columns("EVENT", "SINCE", "AGE", "TYPE", reason))?;
        }
        let age = self.age(since);
        let instant = since.to_rfc3339_millis();
        let why = reason.as_deref().unwrap_or_default();
        self.screen
            .line(&columns(event.as_str(), &instant, &age, &kind, why))?;
        self.screen.object(|| {
            let mut row = object([
                ("event", Value::from(event.as_str())),
                ("state", Value::from(self.state())),
                ("since", Value::from(instant.as_str())),
                ("ageSeconds", seconds(since, self.now)),
                ("type", Value::from(kind.as_str())),
            ]);
            if let Some(reason) = &reason {
                row.insert("reason", reason.as_str());
            }
            row
        })?;
        Ok(true)
    }

    fn summary(&self) -> Result<Ended, OperatorError> {
        let state = self.state();
        let shown = if self.shown < self.seen {
            format!(", the first {} shown", self.shown)
        } else {
            String::new()
        };
        let oldest = self
            .oldest
            .map(|since| format!("; the oldest for {}", self.age(since)))
            .unwrap_or_default();
        self.screen
            .line(&format!("{} {state}{shown}{oldest}", self.seen))?;
        self.screen.object(|| {
            let mut counts = object([
                ("state", Value::from(state)),
                ("count", count(self.seen)),
                ("shown", count(self.shown)),
            ]);
            if let Some(oldest) = self.oldest {
                counts.insert("oldestSince", oldest.to_rfc3339_millis());
                counts.insert("oldestAgeSeconds", seconds(oldest, self.now));
            }
            summary(counts)
        })?;
        Ok(if self.unreadable == 0 {
            Ended::Well
        } else {
            Ended::Short
        })
    }

    const fn state(&self) -> &'static str {
        if self.asked.quarantined {
            "quarantined"
        } else {
            "undelivered"
        }
    }

    fn age(&self, since: Timestamp) -> String {
        span::show(since.until(self.now))
    }
}

fn columns(event: &str, since: &str, age: &str, kind: &str, reason: &str) -> String {
    format!("{event:28}  {since:24}  {age:>7}  {kind:36}  {reason}")
}
