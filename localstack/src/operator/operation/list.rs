//! `operation list --stale`: what should have been decided by now.
//!
//! The queue's index tells ids and instants; each operation that is shown is read strongly, so that one which was decided meanwhile is not shown.

use decide_once_protocol::json::{Value, object};
use decide_once_protocol::record::{Due, Record};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Existing;

use super::{read, standing};
use crate::operator::counts::{count, seconds, summary};
use crate::operator::merged::{Merged, Stale};
use crate::operator::{
    Ended, OperatorError, args::ListOperationsArgs, connection::Connection, progress::Progress,
    screen::Screen, span, unreadable::unreadable,
};

pub(in crate::operator) async fn run(
    connection: &Connection,
    asked: &ListOperationsArgs,
    screen: &Screen,
) -> Result<Ended, OperatorError> {
    let now = connection.now();
    let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
    let store = &connection.store;
    let mut due = Merged::new(Stale { store, by: now });
    let mut progress = Progress::new("counting operations:", None);
    let (mut seen, mut shown, mut ended) = (0, 0, Ended::Well);
    let mut oldest = None;
    let table = connection.operations();
    while let Some((id, place)) = due.next().await.map_err(|error| table.failed(error))? {
        if shown < limit {
            progress.clear();
            match read(connection, &id).await? {
                Existing::Found(record) if record.due().is_some_and(|due| due.at <= now) => {
                    head(shown, screen)?;
                    row(&record, now, screen)?;
                }
                // Decided, or taken over, since the index was written.
                Existing::Found(_) | Existing::Absent => continue,
                Existing::Unreadable(why) => {
                    ended = Ended::Short;
                    head(shown, screen)?;
                    strange(&id, place, &unreadable(&why), now, screen)?;
                }
            }
            shown += 1;
        }
        seen += 1;
        oldest.get_or_insert(place.at);
        progress.at(seen);
    }
    let rest = if shown < seen {
        format!(", the first {shown} shown")
    } else {
        String::new()
    };
    let longest = oldest
        .map(|at| format!("; due the longest for {}", span::show(at.until(now))))
        .unwrap_or_default();
    screen.line(&format!("{seen} due{rest}{longest}"))?;
    screen.object(|| {
        let mut counts = object([
            ("state", Value::from("due")),
            ("count", count(seen)),
            ("shown", count(shown)),
        ]);
        if let Some(at) = oldest {
            counts.insert("oldestDueAt", at.to_rfc3339_millis());
            counts.insert("oldestDueSeconds", seconds(at, now));
        }
        summary(counts)
    })?;
    Ok(ended)
}

fn head(shown: usize, screen: &Screen) -> Result<(), OperatorError> {
    if shown == 0 {
        screen.line(&columns(
            "OPERATION",
            "STANDING",
            "DUE FOR",
            "ATTEMPTS",
            "CREATED",
        ))?;
    }
    Ok(())
}

fn row(record: &Record, now: Timestamp, screen: &Screen) -> Result<(), OperatorError> {
    let due = record.due().map_or(record.updated, |due| due.at);
    let standing = standing(record, now);
    let attempts = record.fence.attempt;
    let created = record.created.to_rfc3339_millis();
    screen.line(&columns(
        record.operation.as_str(),
        standing,
        &span::show(due.until(now)),
        &attempts.to_string(),
        &created,
    ))?;
    screen.object(|| {
        object([
            ("operationId", Value::from(record.operation.as_str())),
            ("state", Value::from(record.state.name().as_str())),
            ("standing", Value::from(standing)),
            ("attempts", Value::from(i64::from(attempts))),
            ("dueAt", Value::from(due.to_rfc3339_millis())),
            ("dueSeconds", seconds(due, now)),
            ("createdAt", Value::from(created.as_str())),
            ("updatedAt", Value::from(record.updated.to_rfc3339_millis())),
        ])
    })?;
    Ok(())
}

fn strange(
    id: &OperationId,
    place: Due,
    why: &str,
    now: Timestamp,
    screen: &Screen,
) -> Result<(), OperatorError> {
    let due = span::show(place.at.until(now));
    screen.line(&columns(id.as_str(), "?", &due, "?", why))?;
    screen.object(|| {
        object([
            ("operationId", Value::from(id.as_str())),
            ("dueAt", Value::from(place.at.to_rfc3339_millis())),
            ("dueSeconds", seconds(place.at, now)),
            ("reason", Value::from(why)),
        ])
    })?;
    Ok(())
}

fn columns(id: &str, standing: &str, due: &str, attempts: &str, created: &str) -> String {
    format!("{id:52}  {standing:9}  {due:>7}  {attempts:>8}  {created}")
}
