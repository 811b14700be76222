//! A message of the queue, as an event.

use decide_once_lambda::content::{self, Content};
use decide_once_lambda::sqs::SqsMessage;
use decide_once_protocol::inbox::CloudEvent;
use decide_once_protocol::trace::TraceParent;
use decide_once_service::consume::EffectError;

/// A message.
#[derive(Debug)]
pub struct Message<'a> {
    /// What the queue calls this copy.
    pub id: &'a str,
    /// How often it came.
    pub receives: Option<u32>,
    /// The event, or why it is none.
    pub event: Result<CloudEvent, EffectError>,
}

impl<'a> Message<'a> {
    /// Reads a structured-mode CloudEvent: as it is, or from a topic, or from a bus.
    #[must_use]
    pub fn read(message: &'a SqsMessage) -> Self {
        Self {
            id: &message.message_id,
            receives: message.receives(),
            event: event(&message.body).map_err(EffectError::Poison),
        }
    }

    /// The trace of its event.
    pub(crate) fn trace(&self) -> Option<TraceParent> {
        self.event.as_ref().ok()?.trace
    }

    /// Messages of one lane are handled in single file: those of one subject of one tenant. What is no event is alone.
    #[must_use]
    pub fn lane(&self) -> (&str, &str) {
        match &self.event {
            Ok(event) => (
                event.name.source(),
                event.subject.as_deref().unwrap_or_default(),
            ),
            Err(_) => ("", self.id),
        }
    }
}

fn event(body: &str) -> Result<CloudEvent, String> {
    let content =
        content::of_body(body).map_err(|why| format!("its message is not JSON: {why}"))?;
    let event = match content {
        Content::Plain(event) | Content::Bus { detail: event, .. } => event,
    };
    CloudEvent::from_json(event).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;

    fn message(body: &str) -> SqsMessage {
        serde_json::from_value(json!({ "messageId": "m1", "body": body })).unwrap()
    }

    const EVENT: &str =
        r#"{"specversion":"1.0","id":"e.0","source":"s","type":"t","subject":"acct-42"}"#;

    #[test]
    fn an_event_is_read_from_a_queue_a_topic_or_a_bus() {
        let topic =
            json!({ "Type": "Notification", "TopicArn": "arn", "Message": EVENT }).to_string();
        let bus = format!(r#"{{"id":"b","source":"x","detail-type":"t","detail":{EVENT}}}"#);
        for body in [EVENT, &topic, &bus] {
            let message = message(body);
            let read = Message::read(&message);
            assert_eq!(read.event.as_ref().unwrap().name.id(), "e.0", "{body}");
            assert_eq!(read.lane(), ("s", "acct-42"));
        }
    }

    #[test]
    fn what_is_no_event_is_poison_and_says_why_without_its_content() {
        for body in ["", "secret", r#"{"secret":1}"#, "[7]"] {
            let message = message(body);
            let read = Message::read(&message);
            let why = read.event.as_ref().unwrap_err().to_string();
            assert!(!why.contains("secret"), "{why}");
            assert_eq!(read.lane(), ("", "m1"));
        }
    }
}
