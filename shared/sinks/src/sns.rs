//! Events by SNS: a message of a topic for each, standard or FIFO.
//!
//! A FIFO topic keeps each subject's order and drops what it has had within five minutes; see [`crate::sqs`].

use std::num::NonZeroUsize;

use aws_sdk_sns::Client;
use aws_sdk_sns::error::BuildError;
use aws_sdk_sns::types::{BatchResultErrorEntry, MessageAttributeValue, PublishBatchRequestEntry};
use decide_once_aws::Ahead;
use decide_once_protocol::envelope::Envelope;
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::{SendError, Sink};

use crate::aws::failure;
use crate::aws::ids::{id_of, verdicts};
use crate::message::{self, ATTRIBUTE};
use crate::requests::{Batches, Entry, Limits, send_all};
use crate::verdict::{Verdict, all};

/// Codes of an entry that are about the entry itself, where SNS says that it is the sender's fault
/// (<https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html>).
const POISON: [&str; 3] = [
    "InvalidParameter",
    "InvalidParameterValue",
    "ParameterValueInvalid",
];

/// A topic. Made once for a process: its client holds the connections.
#[derive(Clone, Debug)]
pub struct SnsSink {
    client: Ahead<Client>,
    topic: String,
    limits: Limits,
}

impl SnsSink {
    /// A sink that publishes to the topic of this ARN, a FIFO one if it ends so.
    #[must_use]
    pub fn new(client: impl Into<Ahead<Client>>, topic: String, limits: Limits) -> Self {
        Self {
            client: client.into(),
            topic,
            limits,
        }
    }

    fn entry(
        &self,
        position: usize,
        entry: &Entry<'_>,
    ) -> Result<PublishBatchRequestEntry, BuildError> {
        let [name, data_type, value] = ATTRIBUTE;
        let attribute = MessageAttributeValue::builder()
            .data_type(data_type)
            .string_value(value)
            .build()?;
        let (group, deduplication) =
            message::fifo(self.topic.ends_with(".fifo"), entry.row).unzip();
        PublishBatchRequestEntry::builder()
            .id(id_of(position))
            .message(&entry.text)
            .message_attributes(name, attribute)
            .set_message_group_id(group)
            .set_message_deduplication_id(deduplication)
            .build()
    }
}

impl Batches for SnsSink {
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
        let publish = self.client.publish_batch().topic_arn(&self.topic);
        match publish
            .set_publish_batch_request_entries(Some(requested))
            .send()
            .await
        {
            Ok(answer) => {
                // An entry without a message id is no acknowledgement.
                let done = answer.successful().iter();
                let done = done.filter_map(|done| done.message_id().and(done.id()));
                let failed = answer.failed().iter();
                let failed = failed.map(|failed| (failed.id(), refusal(failed)));
                verdicts(entries.len(), done, failed)
            }
            Err(error) => all(entries.len(), &failure::of_request(&error, entries)),
        }
    }
}

impl Sink for SnsSink {
    fn at_once(&self) -> NonZeroUsize {
        self.limits.entries
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Verdict> {
        send_all(self, rows).await
    }
}

fn refusal(entry: &BatchResultErrorEntry) -> SendError {
    let code = entry.code();
    if entry.sender_fault() && POISON.contains(&code.trim_end_matches("Exception")) {
        failure::poison(code)
    } else {
        failure::of_code(code)
    }
}
