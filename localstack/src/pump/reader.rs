//! Reads a shard in order, from where the checkpoint says, over expired iterators and trimmed records.

use std::time::Duration;

use super::checkpoint::Position;
use super::config::StartingPosition;
use super::record::StreamRecord;
use super::stream::{PAGE, Start, Stream, StreamClient, StreamError};

/// A place in a shard, and what it takes to go on from there.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) stream: Stream,
    client: StreamClient,
    starting: StartingPosition,
    /// The last record read.
    position: Option<Position>,
    /// Records up to this time, in Unix milliseconds, are read or known to be gone.
    seen_ms: Option<i64>,
    iterator: Option<String>,
}

/// What a read brought.
#[derive(Debug)]
pub(super) struct Read {
    /// Records within the stream's retention.
    pub(super) records: Vec<StreamRecord>,
    /// The stretch of time, at most, whose records are gone.
    pub(super) lost: Duration,
    /// Whether the shard's end is reached for now.
    pub(super) at_end: bool,
}

impl Read {
    /// Nothing this time; worth a pause before the next try.
    fn nothing(lost: Duration) -> Self {
        Self {
            records: Vec::new(),
            lost,
            at_end: true,
        }
    }
}

impl Reader {
    pub(super) fn new(
        client: StreamClient,
        stream: Stream,
        checkpoint: Option<Position>,
        starting: StartingPosition,
    ) -> Self {
        Self {
            stream,
            client,
            starting,
            seen_ms: checkpoint.as_ref().map(|position| position.created_ms),
            position: checkpoint,
            iterator: None,
        }
    }

    /// Where the reader is: at the last record that it read or passed over.
    pub(super) fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    /// Reads on. Records older than `horizon_ms` (Unix milliseconds) are gone in DynamoDB; the engine keeps them, so
    /// they are passed over here.
    ///
    /// # Errors
    /// The stream cannot be read for now. What AWS has an answer to is none: an expired iterator is opened anew, and a
    /// trimmed position goes on at the oldest record that is left.
    pub(super) async fn read(&mut self, horizon_ms: i64) -> Result<Read, StreamError> {
        match self.read_page(horizon_ms).await {
            Err(StreamError::IteratorExpired) => Ok(Read::nothing(Duration::ZERO)),
            Err(StreamError::Trimmed) => {
                self.position = None;
                self.starting = StartingPosition::TrimHorizon;
                Ok(Read::nothing(self.skip_to(horizon_ms, horizon_ms)))
            }
            result => result,
        }
    }

    async fn read_page(&mut self, horizon_ms: i64) -> Result<Read, StreamError> {
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => {
                let start = match &self.position {
                    Some(position) => Start::After(&position.sequence_number),
                    None => Start::At(self.starting),
                };
                self.client.iterator(&self.stream, start).await?
            }
        };
        let page = self.client.records(&self.stream, &iterator).await?;
        self.iterator = page.next;
        let at_end = page.records.len() < PAGE;
        if let Some(last) = page.records.last() {
            self.position = Some(Position {
                sequence_number: last.sequence().to_owned(),
                created_ms: last.created_ms(),
            });
        }
        let (trimmed, records): (Vec<_>, Vec<_>) = page
            .records
            .into_iter()
            .partition(|record| record.created_ms() < horizon_ms);
        let lost = trimmed.first().map_or(Duration::ZERO, |first| {
            self.skip_to(horizon_ms, first.created_ms())
        });
        if let Some(last) = records.last() {
            self.seen_ms = Some(last.created_ms());
        }
        Ok(Read {
            records,
            lost,
            at_end,
        })
    }

    /// How much time lies between what was seen, or else `otherwise_ms`, and the horizon: whatever changed in it is
    /// gone.
    fn skip_to(&mut self, horizon_ms: i64, otherwise_ms: i64) -> Duration {
        let from = self.seen_ms.replace(horizon_ms).unwrap_or(otherwise_ms);
        Duration::from_millis(u64::try_from(horizon_ms - from).unwrap_or(0))
    }
}
