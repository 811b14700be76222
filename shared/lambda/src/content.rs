//! What a message is about, out of what a topic or a bus has put around it.

use decide_once_protocol::json::{self, JsonError, Object, Value};

/// What was inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// What the sender wrote.
    Plain(Value),
    /// The detail of an event of EventBridge, and the bus's own id of it
    /// (<https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html>). A producer that sends it again makes another id.
    Bus {
        /// The id.
        id: String,
        /// The detail.
        detail: Value,
    },
}

/// Reads the body of a message: as it is, or as SNS delivers it without raw message delivery
/// (<https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html>), or as a rule of EventBridge does.
///
/// # Errors
/// It is not JSON that has one meaning.
pub fn of_body(body: &str) -> Result<Content, JsonError> {
    let value = json::parse(body.as_bytes())?;
    match notification(&value) {
        Some(message) => Ok(of_value(json::parse(message.as_bytes())?)),
        None => Ok(of_value(value)),
    }
}

/// As [`of_body`], of JSON that no topic has delivered.
#[must_use]
pub fn of_value(value: Value) -> Content {
    match value {
        Value::Object(mut object) if is_of_a_bus(&object) => {
            let id = match object.remove("id") {
                Some(Value::String(id)) => id,
                Some(_) | None => String::new(),
            };
            let detail = object.remove("detail").unwrap_or(Value::Null);
            Content::Bus { id, detail }
        }
        value => Content::Plain(value),
    }
}

fn notification(value: &Value) -> Option<&str> {
    let object = value.as_object()?;
    let is_notification =
        object.get("Type")?.as_str()? == "Notification" && object.contains("TopicArn");
    is_notification.then(|| object.get("Message")?.as_str())?
}

/// Neither a CloudEvent nor a decision request has a member of this name.
fn is_of_a_bus(object: &Object) -> bool {
    ["detail-type", "detail", "source", "id"]
        .into_iter()
        .all(|name| object.contains(name))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const EVENT: &str =
        r#"{"specversion":"1.0","id":"e.0","source":"s","type":"t","data":{"n":1.10}}"#;

    fn event() -> Value {
        json::parse(EVENT.as_bytes()).unwrap()
    }

    fn bus() -> String {
        format!(
            r#"{{"version":"0","id":"b1","detail-type":"t","source":"decide-once","account":"0","time":"2026-12-01T00:00:00Z","detail":{EVENT}}}"#
        )
    }

    fn topic(message: &str) -> String {
        let message = Value::from(message).to_json();
        format!(
            r#"{{"Type":"Notification","MessageId":"n","TopicArn":"arn","Message":{message},"Timestamp":"t"}}"#
        )
    }

    #[test]
    fn an_event_is_the_same_whoever_delivers_it() {
        assert_eq!(of_body(EVENT).unwrap(), Content::Plain(event()));
        assert_eq!(of_body(&topic(EVENT)).unwrap(), Content::Plain(event()));
        let of_bus = Content::Bus {
            id: "b1".to_owned(),
            detail: event(),
        };
        assert_eq!(of_body(&bus()).unwrap(), of_bus);
        assert_eq!(of_body(&topic(&bus())).unwrap(), of_bus);
    }

    #[test]
    fn what_is_not_json_is_said_to_be_none() {
        assert!(of_body("").is_err());
        assert!(of_body(&topic("no json")).is_err());
        assert!(of_body(r#"{"id":1,"id":2}"#).is_err());
    }
}
