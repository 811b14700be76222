//! Rows, and what became of them in short.

use std::num::NonZeroUsize;

use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::{SendError, Sink};
use decide_once_sinks::requests::Limits;
use decide_once_tests::samples;

/// As in the documents.
pub(crate) const LIMITS: Limits = Limits {
    entries: NonZeroUsize::new(10).unwrap(),
    bytes: Limits::DEFAULT_BYTES,
};

/// Rows of this many subjects.
pub(crate) fn rows(number: u32) -> Vec<OutboxRow> {
    let row = |number| {
        let mut row = samples::row(number);
        row.event.subject = format!("subject-{number}");
        row
    };
    (0..number).map(row).collect()
}

/// Sends these rows and tells of each `sent`, `poison` or `not available`, and why.
pub(crate) async fn send(sink: &impl Sink, rows: &[OutboxRow]) -> Vec<String> {
    let rows: Vec<_> = rows.iter().collect();
    let verdicts = sink.send(&rows).await;
    assert_eq!(verdicts.len(), rows.len());
    verdicts
        .into_iter()
        .map(|verdict| match verdict {
            Ok(()) => "sent".to_owned(),
            Err(SendError::Poison(why)) => format!("poison: {why}"),
            Err(SendError::Unavailable(why)) => format!("not available: {why}"),
        })
        .collect()
}

/// What is told of an event that an answer does not mention.
pub(crate) const UNTOLD: &str = "not available: it told nothing of this event";
