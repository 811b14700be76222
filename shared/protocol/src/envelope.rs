//! What a transport goes by: how large an event is, which others it is in order with, and whether it has had it before.
//!
//! The size is taken of the very text that is sent ([`Event::to_cloud_event`]), both before the commit, where an event that
//! is too large becomes the final failure `result-too-large`, and where requests to a sink are filled.

use crate::hash::{self, base32};
use crate::outbox::{Delivery, Event, MEDIA_TYPE, OutboxRow};
use crate::trace::TraceParent;

/// The one attribute of a message: name, data type, value. It tells a structured-mode CloudEvent from other messages.
pub const MESSAGE_ATTRIBUTE: [&str; 3] = ["content-type", "String", MEDIA_TYPE];

/// What `PutEvents` counts for an entry's time.
const EVENT_BRIDGE_TIME: usize = 14;

/// What goes around an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Envelope {
    /// Nothing that is counted: a body of HTTP, a value of Kafka.
    None,
    /// An entry of `PutEvents`: 14 for `Time`, and the bytes of `Source`, `DetailType` and `Detail`
    /// (<https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html>).
    EventBridge {
        /// Bytes of `Source`, which is the same for every entry.
        source: usize,
    },
    /// A message of SNS or SQS: the body, and name, data type and value of each attribute
    /// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html>).
    Message,
}

impl Envelope {
    /// The bytes of `event`, whose text is `rendered`, in this envelope.
    #[must_use]
    pub fn size(self, event: &Event, rendered: &str) -> usize {
        let beside = match self {
            Self::None => 0,
            Self::EventBridge { source } => EVENT_BRIDGE_TIME + source + event.kind.len(),
            Self::Message => MESSAGE_ATTRIBUTE.iter().map(|part| part.len()).sum(),
        };
        rendered.len() + beside
    }
}

/// How large an event may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventLimit {
    /// The most bytes, envelope included.
    pub bytes: usize,
    /// What goes around it.
    pub envelope: Envelope,
}

impl EventLimit {
    /// 255 KiB: the smallest limit that any of the sinks documents, the 256 KiB of a topic of SNS that nobody has set higher
    /// (<https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html>), less 1 KiB for what EventBridge wraps around
    /// an entry on its way to a target. The same for every sink, so that what is committed can go to another one.
    pub const DEFAULT_BYTES: usize = 255 * 1024;

    /// Why `event` is too large, if it is; without its content. There is always room for a trace: whether a caller sends one must not decide anything.
    #[must_use]
    pub fn refuses(self, event: &Event) -> Option<String> {
        let room = match event.trace {
            Some(_) => 0,
            None => TraceParent::MEMBER_LENGTH,
        };
        let size = self.envelope.size(event, &event.to_cloud_event()) + room;
        let Self { bytes, .. } = self;
        (size > bytes).then(|| {
            let kind = &event.kind;
            format!("the event {kind} has {size} bytes; at most {bytes} can be delivered")
        })
    }
}

impl Default for EventLimit {
    fn default() -> Self {
        Self {
            bytes: Self::DEFAULT_BYTES,
            envelope: Envelope::None,
        }
    }
}

impl Event {
    /// What a transport orders by: a hash of the source, which names the tenant, and the subject. A pseudonym of 52
    /// characters: it tells neither, though who guesses both can check it.
    #[must_use]
    pub fn group(&self) -> String {
        group_of(&self.source, &self.subject)
    }
}

/// As [`Event::group`], for who has received the event. Neither part is empty in an event.
#[must_use]
pub fn group_of(source: &str, subject: &str) -> String {
    let parts = [source.as_bytes(), subject.as_bytes()];
    base32(&hash::of_non_empty("decide-once/event-group", &parts))
}

impl OutboxRow {
    /// The id of this sending, for a transport that drops what it has had: the event's id and the marker. The same
    /// whenever the row is sent under one marker, and another after a redrive, which is meant to arrive.
    #[must_use]
    pub fn transport_id(&self) -> String {
        let id = &self.event.id;
        match self.delivery {
            Delivery::Undelivered(marker) => format!("{id}.{marker}"),
            Delivery::Delivered { .. } | Delivery::Quarantined { .. } => id.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::golden::event;
    use crate::outbox::Marker;
    use crate::time::Timestamp;

    #[test]
    fn an_entry_of_event_bridge_is_counted_as_documented() {
        let event = event();
        let text = event.to_cloud_event();
        let entry = Envelope::EventBridge { source: 11 };
        assert_eq!(
            entry.size(&event, &text),
            14 + "decide-once".len() + event.kind.len() + text.len()
        );
        assert_eq!(Envelope::None.size(&event, &text), text.len());
        let attribute = "content-type".len() + "String".len() + MEDIA_TYPE.len();
        assert_eq!(
            Envelope::Message.size(&event, &text),
            text.len() + attribute
        );
    }

    #[test]
    fn an_event_that_just_fits_is_taken_and_one_byte_more_is_not() {
        let untraced = event();
        let traced = Event {
            trace: TraceParent::beginning_with("8476a536-e9f4-11e8-9739-2dfe598c3fcd"),
            ..event()
        };
        let bytes = traced.to_cloud_event().len();
        let envelope = Envelope::None;
        let limit = |bytes| EventLimit { bytes, envelope };
        for event in [untraced, traced] {
            assert_eq!(limit(bytes).refuses(&event), None);
            let why = limit(bytes - 1).refuses(&event).unwrap();
            assert!(why.contains(&event.kind) && !why.contains(&event.subject));
        }
    }

    #[test]
    fn a_redrive_has_another_transport_id_and_a_second_send_has_not() {
        let row = event().into_row(1);
        let redriven = OutboxRow {
            delivery: Delivery::Undelivered(Marker {
                since: Timestamp::from_millis(2).unwrap(),
                number: 7,
            }),
            ..row.clone()
        };
        assert_eq!(
            row.transport_id(),
            format!("{}.001796083200250.001", row.event.id)
        );
        assert_eq!(row.transport_id(), row.clone().transport_id());
        assert_ne!(row.transport_id(), redriven.transport_id());
        assert_eq!(row.event.to_cloud_event(), redriven.event.to_cloud_event());
    }

    #[test]
    fn o16_a_group_is_of_one_tenants_subject_and_tells_neither() {
        let event = event();
        let group = event.group();
        assert_eq!(group.len(), 52);
        assert!(group.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let of = |source: &str, subject: &str| {
            let mut other = event.clone();
            source.clone_into(&mut other.source);
            subject.clone_into(&mut other.subject);
            other.group()
        };
        assert_eq!(of(&event.source, &event.subject), group);
        assert_ne!(of("urn:decide-once:t-beta", &event.subject), group);
        assert_ne!(of("ab", "c"), of("a", "bc"));
    }
}
