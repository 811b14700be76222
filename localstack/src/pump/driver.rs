//! The loop: read, filter, gather, deliver, move the checkpoint.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Instant;

use tokio::sync::watch;
use tokio::time::sleep;

use super::answer::{self, BatchResult};
use super::batch::{self, Gathering};
use super::checkpoint::Position;
use super::config::PumpConfig;
use super::destination::DestinationRecord;
use super::invoke::{Invoke, InvokeError, OnFailure};
use super::reader::Reader;
use super::record::StreamRecord;
use super::retry::{self, Attempt, Condition};
use super::state::{Progress, whole_seconds};
use super::stream::{Stream, StreamClient, StreamError};

/// A pump with all that it works on.
pub(super) struct Driver<I, F> {
    pub(super) config: PumpConfig,
    pub(super) client: StreamClient,
    pub(super) function: I,
    pub(super) on_failure: F,
    pub(super) progress: watch::Sender<Progress>,
}

impl<I: Invoke, F: OnFailure> Driver<I, F> {
    /// Runs until its task is aborted. A stream that cannot be read is tried again, from the checkpoint.
    pub(super) async fn run(self) {
        let mut failures = 0;
        loop {
            let Err(error) = self.follow(&mut failures).await;
            tracing::warn!(%error, table = self.config.table, "the stream cannot be read for now");
            self.note(|progress| progress.shown.trouble = Some(error.to_string()));
            failures += 1;
            sleep(self.config.backoff.after(failures)).await;
        }
    }

    /// Follows the stream from the checkpoint on, until it cannot be read.
    async fn follow(&self, failures: &mut u32) -> Result<Infallible, StreamError> {
        let config = &self.config;
        let stream = self.client.find(&config.table).await?;
        let checkpoint = config.checkpoint.load(&stream);
        let mut reader = Reader::new(
            self.client.clone(),
            stream,
            checkpoint,
            config.starting_position,
        );
        let mut gathering = Gathering::new(config.batch_size, config.batching_window);
        loop {
            let at_end = self.gather(&mut reader, &mut gathering).await?;
            *failures = 0;
            if let Some(batch) = gathering.take(Instant::now()) {
                self.deliver(batch, &reader.stream).await;
            } else if at_end {
                sleep(config.poll_every).await;
            }
            // With nothing left to do before it, all that was read is done, what the filters held back included.
            if gathering.is_empty()
                && let Some(position) = reader.position()
            {
                self.move_checkpoint(&reader.stream, position.clone());
            }
            self.note_oldest(gathering.oldest());
        }
    }

    /// Reads until a batch is full or the shard's end is reached, and returns whether it is.
    async fn gather(
        &self,
        reader: &mut Reader,
        gathering: &mut Gathering,
    ) -> Result<bool, StreamError> {
        while !gathering.is_full() {
            let read = reader.read(self.config.horizon_ms()).await?;
            let total = read.records.len();
            let passed: Vec<_> = read
                .records
                .into_iter()
                .filter(|record| self.config.filters.pass(record.event()))
                .collect();
            if !read.lost.is_zero() {
                let lost_seconds = whole_seconds(read.lost);
                tracing::error!(
                    lost_seconds,
                    table = self.config.table,
                    "the stream has trimmed changes that were not read; the sweeper must find their rows"
                );
            }
            self.note(|progress| {
                progress.shown.trouble = None;
                progress.shown.filtered += count(total - passed.len());
                progress.lost += read.lost;
            });
            gathering.add(passed, Instant::now());
            if read.at_end {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends a batch until each of its records is done or given up.
    async fn deliver(&self, batch: Vec<StreamRecord>, stream: &Stream) {
        let mut waiting = VecDeque::from([Attempt::first(batch)]);
        let mut failures = 0;
        while let Some(attempt) = waiting.pop_front() {
            self.note_oldest(attempt.records.first());
            let (expired, live) = retry::expire(attempt, self.config.oldest_allowed_ms());
            if let Some(expired) = expired {
                self.give_up(expired, Condition::RecordAgeExceeded, stream)
                    .await;
            }
            let Some(attempt) = live else { continue };
            let Some(result) = self.invoke(&attempt.records).await else {
                // It did not start, which the function is not to blame for: no retry is used up.
                waiting.push_front(attempt);
                failures += 1;
                sleep(self.config.backoff.after(failures)).await;
                continue;
            };
            let settled = retry::settle(attempt, result, &self.config.retry);
            self.note(|progress| {
                progress.shown.invocations += 1;
                progress.shown.delivered += count(settled.done.len());
                progress.shown.failed_invocations += u64::from(result != BatchResult::Succeeded);
            });
            if let Some(last) = settled.done.last() {
                self.move_checkpoint(stream, position_of(last));
            }
            if let Some((discarded, condition)) = settled.discarded {
                self.give_up(discarded, condition, stream).await;
            }
            failures = if settled.again.is_empty() {
                0
            } else {
                failures + 1
            };
            for again in settled.again.into_iter().rev() {
                waiting.push_front(again);
            }
            if failures > 0 {
                sleep(self.config.backoff.after(failures)).await;
            }
        }
    }

    /// `None` if the function did not start.
    async fn invoke(&self, records: &[StreamRecord]) -> Option<BatchResult> {
        match self.function.invoke(batch::event(records)).await {
            Ok(answer) if self.config.report_batch_item_failures => {
                Some(answer::read(&answer, records))
            }
            Ok(_) => Some(BatchResult::Succeeded),
            Err(InvokeError::Failed) => Some(BatchResult::FunctionError),
            Err(InvokeError::NotInvoked) => None,
        }
    }

    /// Tells the destination first and moves on then, so that nothing is given up silently.
    async fn give_up(&self, attempt: Attempt, condition: Condition, stream: &Stream) {
        let records = attempt.records.len();
        tracing::error!(
            records,
            ?condition,
            table = self.config.table,
            "records of the stream are given up"
        );
        if let Some(record) = DestinationRecord::new(&attempt, condition, &self.config, stream) {
            self.on_failure.discarded(record).await;
        }
        self.note(|progress| progress.shown.discarded += count(records));
        if let Some(last) = attempt.records.last() {
            self.move_checkpoint(stream, position_of(last));
        }
    }

    fn move_checkpoint(&self, stream: &Stream, position: Position) {
        let sequence_number = position.sequence_number.clone();
        if self.progress.borrow().shown.checkpoint.as_ref() == Some(&sequence_number) {
            return;
        }
        if let Err(error) = self.config.checkpoint.save(stream, position) {
            tracing::warn!(%error, "the stream's checkpoint cannot be saved; a restart would deliver again");
        }
        self.note(|progress| progress.shown.checkpoint = Some(sequence_number));
    }

    fn note_oldest(&self, oldest: Option<&StreamRecord>) {
        let oldest_ms = oldest.map(StreamRecord::created_ms);
        self.progress.send_if_modified(|progress| {
            let changed = progress.oldest_ms != oldest_ms;
            progress.oldest_ms = oldest_ms;
            changed
        });
    }

    fn note(&self, change: impl FnOnce(&mut Progress)) {
        self.progress.send_modify(change);
    }
}

fn position_of(record: &StreamRecord) -> Position {
    Position {
        sequence_number: record.sequence().to_owned(),
        created_ms: record.created_ms(),
    }
}

fn count(records: usize) -> u64 {
    u64::try_from(records).unwrap_or(u64::MAX)
}
