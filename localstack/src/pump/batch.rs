//! Gathers records into batches.
//!
//! Rule from AWS, "Batching behavior": the function is invoked when the batch is full, when its event would pass 6 MB,
//! or when the batching window is over, which starts with the batch's first record.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use super::record::StreamRecord;

/// Lambda's limit for the payload of a synchronous invocation, in bytes.
const LARGEST_EVENT: usize = 6 * 1024 * 1024;
/// What an event takes besides its records.
const ENVELOPE: usize = br#"{"Records":[]}"#.len();

/// Records that wait for their batch.
#[derive(Debug)]
pub(super) struct Gathering {
    waiting: VecDeque<StreamRecord>,
    first_at: Option<Instant>,
    batch_size: usize,
    window: Duration,
}

impl Gathering {
    pub(super) fn new(batch_size: usize, window: Duration) -> Self {
        Self {
            waiting: VecDeque::new(),
            first_at: None,
            batch_size,
            window,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a batch is full already, so that there is no reason to read on.
    pub(super) fn is_full(&self) -> bool {
        self.fitting() < self.waiting.len() || self.waiting.len() >= self.batch_size
    }

    pub(super) fn oldest(&self) -> Option<&StreamRecord> {
        self.waiting.front()
    }

    pub(super) fn add(&mut self, records: Vec<StreamRecord>, now: Instant) {
        if !records.is_empty() {
            self.first_at.get_or_insert(now);
        }
        self.waiting.extend(records);
    }

    /// The next batch, if one is due. Never empty.
    pub(super) fn take(&mut self, now: Instant) -> Option<Vec<StreamRecord>> {
        let first_at = self.first_at?;
        if !self.is_full() && now.duration_since(first_at) < self.window {
            return None;
        }
        let fitting = self.fitting();
        let batch: Vec<_> = self.waiting.drain(..fitting).collect();
        // "If you configure a batching window, the next window begins as soon as the previous function invocation
        // completes"; what is left over starts its own now.
        self.first_at = (!self.waiting.is_empty()).then_some(now);
        (!batch.is_empty()).then_some(batch)
    }

    /// How many records the next batch can take; one that is too large by itself still goes alone.
    fn fitting(&self) -> usize {
        let mut size = ENVELOPE;
        let mut count = 0;
        for record in self.waiting.iter().take(self.batch_size) {
            let with_comma = record.size() + 1;
            if count > 0 && size + with_comma > LARGEST_EVENT {
                break;
            }
            size += with_comma;
            count += 1;
        }
        count
    }
}

/// The event that the function gets.
pub(super) fn event(records: &[StreamRecord]) -> Bytes {
    let records: Vec<_> = records.iter().map(StreamRecord::event).collect();
    Bytes::from(serde_json::json!({ "Records": records }).to_string())
}

#[cfg(test)]
mod tests {
    use super::super::record::{numbered, sized};
    use super::*;

    #[test]
    fn a_full_batch_goes_at_once_and_a_small_one_when_its_window_is_over() {
        let start = Instant::now();
        let window = Duration::from_secs(5);
        let mut gathering = Gathering::new(3, window);
        gathering.add(numbered(1..=4), start);
        assert_eq!(gathering.take(start), Some(numbered(1..=3)));
        assert_eq!(gathering.take(start + window / 2), None);
        assert_eq!(gathering.take(start + window), Some(numbered(4..=4)));
        assert_eq!(gathering.take(start + window * 2), None);
        assert!(gathering.is_empty());
    }

    #[test]
    fn without_a_window_nothing_waits() {
        let mut gathering = Gathering::new(100, Duration::ZERO);
        gathering.add(numbered(1..=1), Instant::now());
        assert_eq!(gathering.take(Instant::now()), Some(numbered(1..=1)));
    }

    #[test]
    fn an_event_stays_below_lambdas_payload_limit() {
        let start = Instant::now();
        let mut gathering = Gathering::new(100, Duration::from_secs(300));
        gathering.add(sized(10, LARGEST_EVENT / 4), start);
        assert!(gathering.is_full());
        assert_eq!(gathering.take(start).map(|batch| batch.len()), Some(3));
    }
}
