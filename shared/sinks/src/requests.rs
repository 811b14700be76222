//! Filling requests: so many events, and so many bytes.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::str::FromStr;

use decide_once_protocol::envelope::Envelope;
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::variables::{VariableError, optional};
use futures_util::future::join_all;

use crate::verdict::Verdict;

/// How much one request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most events.
    pub entries: NonZeroUsize,
    /// The most bytes, envelopes included.
    pub bytes: usize,
}

impl Limits {
    /// The most events that a request of EventBridge, SNS or SQS takes
    /// (<https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html>,
    /// <https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html>,
    /// <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html>).
    pub const MOST_ENTRIES: usize = 10;

    /// 256 KiB, which all three take, whatever the Region and the age of the topic or queue. SNS documents it as the
    /// default, SQS and EventBridge as what they took before they took 1 MiB
    /// (<https://aws.amazon.com/blogs/compute/more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb>).
    pub const DEFAULT_BYTES: usize = 256 * 1024;
}

impl Limits {
    /// What `SINK_BATCH_ENTRIES` and `SINK_BATCH_BYTES` say; each has a default.
    ///
    /// # Errors
    /// One of them is wrong.
    pub(crate) fn from_env() -> Result<Self, VariableError> {
        let defaults = Self::default();
        let entries: Option<Entries> = optional("SINK_BATCH_ENTRIES", "a number from 1 to 10")?;
        let bytes: Option<NonZeroUsize> =
            optional("SINK_BATCH_BYTES", "a number of bytes above 0")?;
        Ok(Self {
            entries: entries.map_or(defaults.entries, |Entries(entries)| entries),
            bytes: bytes.map_or(defaults.bytes, NonZeroUsize::get),
        })
    }
}

/// As many as a request takes.
struct Entries(NonZeroUsize);

impl FromStr for Entries {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let entries: NonZeroUsize = text.parse().map_err(|_| ())?;
        if entries.get() > Limits::MOST_ENTRIES {
            return Err(());
        }
        Ok(Self(entries))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: NonZeroUsize::MIN.saturating_add(Self::MOST_ENTRIES - 1),
            bytes: Self::DEFAULT_BYTES,
        }
    }
}

/// Splits events of these sizes, in their order, into requests within the limits. An event that is too large by itself is
/// alone in its request: what is to be said of it, the sink says.
#[must_use]
pub fn split(sizes: &[usize], limits: Limits) -> Vec<Range<usize>> {
    let mut requests: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0_usize;
    for (index, size) in sizes.iter().enumerate() {
        bytes = bytes.saturating_add(*size);
        match requests.last_mut() {
            Some(request) if request.len() < limits.entries.get() && bytes <= limits.bytes => {
                request.end = index + 1;
            }
            Some(_) | None => {
                requests.push(index..index + 1);
                bytes = *size;
            }
        }
    }
    requests
}

/// An event as it is sent.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) row: &'a OutboxRow,
    /// The CloudEvent.
    pub(crate) text: String,
    /// What the transport counts.
    pub(crate) size: usize,
}

/// A sink that takes several events with one request.
pub(crate) trait Batches: Sync {
    /// How much one takes.
    fn limits(&self) -> Limits;

    /// What goes around an event.
    fn envelope(&self) -> Envelope;

    /// The text of an event.
    fn render(row: &OutboxRow) -> String;

    /// Sends these with one request, and tells what became of each, in their order.
    fn request(&self, entries: &[Entry<'_>]) -> impl Future<Output = Vec<Verdict>> + Send;
}

/// Sends rows with as many requests as they need, all at once, and puts the verdicts together.
pub(crate) async fn send_all<B: Batches>(sink: &B, rows: &[&OutboxRow]) -> Vec<Verdict> {
    let envelope = sink.envelope();
    let entry = |row| {
        let text = B::render(row);
        let size = envelope.size(&row.event, &text);
        Entry { row, text, size }
    };
    let entries: Vec<Entry<'_>> = rows.iter().copied().map(entry).collect();
    let sizes: Vec<_> = entries.iter().map(|entry| entry.size).collect();
    let requests = split(&sizes, sink.limits());
    let sends = requests
        .into_iter()
        .map(|range| sink.request(&entries[range]));
    join_all(sends).await.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_by(entries: usize, bytes: usize, sizes: &[usize]) -> Vec<Range<usize>> {
        let entries = NonZeroUsize::MIN.saturating_add(entries - 1);
        split(sizes, Limits { entries, bytes })
    }

    #[test]
    fn requests_are_filled_by_count_and_by_bytes() {
        assert!(split_by(3, 100, &[]).is_empty());
        assert_eq!(split_by(3, 100, &[1; 7]), [0..3, 3..6, 6..7]);
        assert_eq!(split_by(9, 100, &[50, 50, 1, 99, 2]), [0..2, 2..4, 4..5]);
    }

    #[test]
    fn an_event_that_is_too_large_is_alone_and_takes_no_other_along() {
        assert_eq!(split_by(9, 100, &[1, 101, 1]), [0..1, 1..2, 2..3]);
        assert_eq!(split_by(9, 100, &[usize::MAX, usize::MAX]), [0..1, 1..2]);
    }

    #[test]
    fn every_event_is_in_one_request_in_order() {
        let sizes: Vec<_> = (0..200).map(|number| number * 7919 % 101).collect();
        for (entries, bytes) in [(1, 1), (10, 100), (10, 300), (500, 1_000)] {
            let requests = split_by(entries, bytes, &sizes);
            let events: Vec<_> = requests.iter().cloned().flatten().collect();
            assert_eq!(events, (0..200).collect::<Vec<_>>());
            assert!(requests.iter().all(|request| {
                let total: usize = sizes[request.clone()].iter().sum();
                request.len() <= entries && (total <= bytes || request.len() == 1)
            }));
        }
    }
}
