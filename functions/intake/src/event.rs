//! What wakes the function: a batch of a queue, or an event of a bus.

use decide_once_lambda::sqs::SqsEvent;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// An event, told apart by its shape.
#[derive(Debug)]
pub enum IntakeEvent {
    /// Of SQS.
    Queue(SqsEvent),
    /// Of EventBridge, as its text: a number that is read by the runtime's JSON reader may be rounded.
    Bus(String),
}

#[derive(Deserialize)]
struct Shape {
    #[serde(rename = "Records")]
    records: Option<serde::de::IgnoredAny>,
}

impl<'de> Deserialize<'de> for IntakeEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let shape: Shape = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        if shape.records.is_some() {
            let event = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
            Ok(Self::Queue(event))
        } else {
            Ok(Self::Bus(raw.get().to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_queue_and_a_bus_are_told_apart_and_a_buss_text_stays_as_it_is() {
        let queue = r#"{"Records":[{"messageId":"m1","body":"{}"}]}"#;
        let event: IntakeEvent = serde_json::from_str(queue).unwrap();
        assert!(matches!(event, IntakeEvent::Queue(event) if event.records.len() == 1));
        let bus = r#"{"id":"b","detail-type":"t","source":"s","detail":{"amount":1.10000000000000000001}}"#;
        let event: IntakeEvent = serde_json::from_str(bus).unwrap();
        assert!(matches!(event, IntakeEvent::Bus(text) if text == bus));
    }
}
