//! The emulator, if there is one, and the queues in it.

use std::{io::Write as _, time::Duration};

use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_sqs::types::{Message, QueueAttributeName};
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::Sink;
use decide_once_sinks::requests::Limits;
use decide_once_tests::{eventually, samples};

/// Set by `tests/sinks-on-emulator`, with the `AWS_*` variables that lead there.
const GATE: &str = "DECIDE_ONCE_EMULATOR";

/// The SDK's own settings from the standard variables; without an emulator it says so, past the capture of a test's output.
pub(crate) async fn emulator() -> Option<SdkConfig> {
    if std::env::var_os(GATE).is_none() {
        let said =
            b"SKIPPED: no emulator; `bash tests/sinks-on-emulator` starts one and runs this\n";
        std::io::stderr().write_all(said).unwrap();
        return None;
    }
    Some(aws_config::load_defaults(BehaviorVersion::latest()).await)
}

/// Rows of this many subjects.
pub(crate) fn rows(number: u32) -> Vec<OutboxRow> {
    let row = |number| {
        let mut row = samples::row(number);
        row.event.subject = format!("subject-{number}");
        row
    };
    (0..number).map(row).collect()
}

/// Sends rows, all of which are to be acknowledged.
pub(crate) async fn sent(sink: &impl Sink, rows: &[OutboxRow]) {
    let verdicts = sink.send(&rows.iter().collect::<Vec<_>>()).await;
    assert_eq!(verdicts, vec![Ok(()); rows.len()]);
}

/// The bytes of events, sorted: a standard queue has no order.
pub(crate) fn sorted(mut events: Vec<String>) -> Vec<String> {
    events.sort();
    events
}

/// What rows are to arrive as.
pub(crate) fn events(rows: &[OutboxRow]) -> Vec<String> {
    rows.iter().map(|row| row.event.to_cloud_event()).collect()
}

/// As in the documents.
pub(crate) fn limits() -> Limits {
    Limits::default()
}

/// A queue of the emulator.
#[derive(Debug)]
pub(crate) struct Queue {
    client: aws_sdk_sqs::Client,
    pub(crate) url: String,
}

impl Queue {
    /// Makes one, a FIFO one if it ends so.
    pub(crate) async fn create(emulator: &SdkConfig, name: &str) -> Self {
        let client = aws_sdk_sqs::Client::new(emulator);
        let mut create = client.create_queue().queue_name(name);
        if name.ends_with(".fifo") {
            create = create.attributes(QueueAttributeName::FifoQueue, "true");
        }
        let created = create.send().await.unwrap();
        Self {
            client,
            url: created.queue_url.unwrap(),
        }
    }

    pub(crate) async fn arn(&self) -> String {
        let asked = self.client.get_queue_attributes().queue_url(&self.url);
        let told = asked
            .attribute_names(QueueAttributeName::QueueArn)
            .send()
            .await;
        told.unwrap().attributes.unwrap()[&QueueAttributeName::QueueArn].clone()
    }

    /// The next so many messages, each taken off the queue.
    pub(crate) async fn received(&self, messages: usize) -> Vec<Message> {
        let mut received = Vec::new();
        eventually("the messages", async || {
            received.extend(self.receive(Duration::from_secs(1)).await);
            (received.len() >= messages).then_some(())
        })
        .await;
        assert_eq!(received.len(), messages);
        received
    }

    /// Whether nothing is left.
    pub(crate) async fn is_empty(&self) -> bool {
        self.receive(Duration::ZERO).await.is_empty()
    }

    async fn receive(&self, wait: Duration) -> Vec<Message> {
        let receive = self.client.receive_message().queue_url(&self.url);
        let received = receive
            .max_number_of_messages(10)
            .message_attribute_names("All")
            .wait_time_seconds(wait.as_secs().try_into().unwrap())
            .send()
            .await
            .unwrap();
        let messages = received.messages.unwrap_or_default();
        for message in &messages {
            let delete = self.client.delete_message().queue_url(&self.url);
            let handle = message.receipt_handle.clone().unwrap();
            delete.receipt_handle(handle).send().await.unwrap();
        }
        messages
    }
}

/// The bodies of messages, in their order.
pub(crate) fn bodies(messages: Vec<Message>) -> Vec<String> {
    messages
        .into_iter()
        .map(|message| message.body.unwrap())
        .collect()
}
