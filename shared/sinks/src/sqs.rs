//! Events by SQS: a message of a queue for each, standard or FIFO.
//!
//! A FIFO queue orders by group, which is a subject's hash, so that one subject's backlog is nobody else's, and drops what
//! it has had within five minutes. What it goes by is the event's id and the marker that the row is sent under: a second
//! send under the same marker is dropped, a redrive is not. The CloudEvents id stays the same in both.

use std::num::NonZeroUsize;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::BuildError;
use aws_sdk_sqs::types::{
    BatchResultErrorEntry, MessageAttributeValue, SendMessageBatchRequestEntry,
};
use decide_once_aws::Ahead;
use decide_once_protocol::envelope::Envelope;
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::{SendError, Sink};

use crate::aws::failure;
use crate::aws::ids::{id_of, verdicts};
use crate::message::{self, ATTRIBUTE};
use crate::requests::{Batches, Entry, Limits, send_all};
use crate::verdict::{Verdict, all};

/// Codes of an entry that are about the entry itself, where SQS says that it is the sender's fault
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html>). A body that is too
/// long for the queue is an `InvalidParameterValue`.
const POISON: [&str; 3] = [
    "InvalidMessageContents",
    "InvalidParameterValue",
    "MessageTooLong",
];

/// A queue. Made once for a process: its client holds the connections.
#[derive(Clone, Debug)]
pub struct SqsSink {
    client: Ahead<Client>,
    queue: String,
    limits: Limits,
}

impl SqsSink {
    /// A sink that sends to the queue of this URL, a FIFO one if it ends so.
    #[must_use]
    pub fn new(client: impl Into<Ahead<Client>>, queue: String, limits: Limits) -> Self {
        Self {
            client: client.into(),
            queue,
            limits,
        }
    }

    fn entry(
        &self,
        position: usize,
        entry: &Entry<'_>,
    ) -> Result<SendMessageBatchRequestEntry, BuildError> {
        let [name, data_type, value] = ATTRIBUTE;
        let attribute = MessageAttributeValue::builder()
            .data_type(data_type)
            .string_value(value)
            .build()?;
        let (group, deduplication) =
            message::fifo(self.queue.ends_with(".fifo"), entry.row).unzip();
        SendMessageBatchRequestEntry::builder()
            .id(id_of(position))
            .message_body(&entry.text)
            .message_attributes(name, attribute)
            .set_message_group_id(group)
            .set_message_deduplication_id(deduplication)
            .build()
    }
}

impl Batches for SqsSink {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn envelope(&self) -> Envelope {
        Envelope::Message
    }

    fn render(row: &OutboxRow) -> String {
        message::body(row)
    }

    async fn request(&self, entries: &[Entry<'_>]) -> Vec<Verdict> {
        let requested = entries.iter().enumerate();
        let requested: Result<Vec<_>, _> = requested
            .map(|(position, entry)| self.entry(position, entry))
            .collect();
        let Ok(requested) = requested else {
            let why = "the request could not be made".to_owned();
            return all(entries.len(), &SendError::Unavailable(why));
        };
        let batch = self.client.send_message_batch().queue_url(&self.queue);
        match batch.set_entries(Some(requested)).send().await {
            Ok(answer) => {
                // An entry without a message id is no acknowledgement.
                let done = answer.successful().iter();
                let done = done.filter(|done| !done.message_id().is_empty());
                let failed = answer.failed().iter();
                let failed = failed.map(|failed| (failed.id(), refusal(failed)));
                verdicts(entries.len(), done.map(|done| done.id()), failed)
            }
            Err(error) => all(entries.len(), &failure::of_request(&error, entries)),
        }
    }
}

impl Sink for SqsSink {
    fn at_once(&self) -> NonZeroUsize {
        self.limits.entries
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Verdict> {
        send_all(self, rows).await
    }
}

fn refusal(entry: &BatchResultErrorEntry) -> SendError {
    // Older answers name their codes `AWS.SimpleQueueService.…`.
    let code = entry.code();
    let name = code.rsplit('.').next().unwrap_or(code);
    if entry.sender_fault() && POISON.contains(&name) {
        failure::poison(code)
    } else {
        failure::of_code(code)
    }
}
