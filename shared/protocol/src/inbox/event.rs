//! An event as a consumer gets it: a structured-mode CloudEvent
//! (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>).

use std::fmt;

use crate::hash::EmptyPart;
use crate::json::{self, JsonError, Object, Value};
use crate::outbox::TRACE;
use crate::time::Timestamp;
use crate::trace::TraceParent;

/// What an event is called: CloudEvents makes (source, id) unique for each distinct event, and the same for a duplicate. `Debug` shows the
/// id only: a source may name a tenant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventName {
    source: Box<str>,
    id: Box<str>,
}

/// An event. `Debug` shows its id and type only.
#[derive(Clone, PartialEq, Eq)]
pub struct CloudEvent {
    /// What it is called.
    pub name: EventName,
    /// The CloudEvents type.
    pub kind: String,
    /// The CloudEvents subject.
    pub subject: Option<String>,
    /// When it came into being.
    pub time: Option<Timestamp>,
    /// The CloudEvents data; `null` where there is none.
    pub data: Value,
    /// The trace that it belongs to; one that cannot be read is none.
    pub trace: Option<TraceParent>,
}

/// A text is no CloudEvent. Never quotes it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// It is not JSON that has one meaning.
    #[error("the message is not acceptable JSON: {0}")]
    Json(#[from] JsonError),
    /// It is JSON, but not an object.
    #[error("the message is not a JSON object")]
    NotAnObject,
    /// An attribute is missing, or is not what CloudEvents 1.0 has there.
    #[error(
        "the message is not a CloudEvent 1.0 in structured mode: its {0:?} is missing or wrong"
    )]
    Attribute(&'static str),
}

impl EventName {
    /// The name of an event.
    ///
    /// # Errors
    /// A part is empty: then different events would fall together.
    pub fn new(source: &str, id: &str) -> Result<Self, EmptyPart> {
        let domain = "decide-once/event-name";
        match [source, id].iter().position(|part| part.is_empty()) {
            Some(position) => Err(EmptyPart { domain, position }),
            None => Ok(Self {
                source: source.into(),
                id: id.into(),
            }),
        }
    }

    /// The CloudEvents source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The CloudEvents id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Debug for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventName({})", self.id)
    }
}

impl fmt::Debug for CloudEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudEvent")
            .field("id", &self.name.id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl CloudEvent {
    /// Reads an event.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, EventError> {
        Self::from_json(json::parse(text.as_bytes())?)
    }

    /// Reads an event that was inside of something else.
    ///
    /// # Errors
    /// It is none.
    pub fn from_json(event: Value) -> Result<Self, EventError> {
        let Value::Object(mut event) = event else {
            return Err(EventError::NotAnObject);
        };
        if required(&mut event, "specversion")? != "1.0" {
            return Err(EventError::Attribute("specversion"));
        }
        let (source, id) = (required(&mut event, "source")?, required(&mut event, "id")?);
        let time = optional(&mut event, "time")?
            .map(|text| instant(&text).ok_or(EventError::Attribute("time")));
        Ok(Self {
            name: EventName {
                source: source.into(),
                id: id.into(),
            },
            kind: required(&mut event, "type")?,
            subject: optional(&mut event, "subject")?,
            time: time.transpose()?,
            data: event.remove("data").unwrap_or(Value::Null),
            trace: match event.remove(TRACE) {
                Some(Value::String(text)) => TraceParent::parse(&text),
                Some(_) | None => None,
            },
        })
    }
}

fn required(event: &mut Object, name: &'static str) -> Result<String, EventError> {
    optional(event, name)?.ok_or(EventError::Attribute(name))
}

/// Where an attribute is there it is not empty.
fn optional(event: &mut Object, name: &'static str) -> Result<Option<String>, EventError> {
    match event.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
        Some(_) => Err(EventError::Attribute(name)),
    }
}

/// RFC 3339, to the millisecond.
fn instant(text: &str) -> Option<Timestamp> {
    let instant: jiff::Timestamp = text.parse().ok()?;
    Timestamp::from_millis(instant.as_millisecond())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::golden;
    use crate::outbox::Event;

    #[test]
    fn what_the_publisher_sends_is_read_back() {
        let sent = Event {
            trace: TraceParent::beginning_with("8476a536-e9f4-11e8-9739-2dfe598c3fcd"),
            ..golden::event()
        };
        let read = CloudEvent::parse(&sent.to_cloud_event()).unwrap();
        assert_eq!(
            (read.name.source(), read.name.id()),
            (sent.source.as_str(), sent.id.as_str())
        );
        assert_eq!((read.kind, read.subject), (sent.kind, Some(sent.subject)));
        assert_eq!((read.time, read.trace), (Some(sent.time), sent.trace));
        assert_eq!(read.data, json::parse(sent.data.as_bytes()).unwrap());
    }

    #[test]
    fn a_trace_that_cannot_be_read_is_none() {
        for trace in ["7", "null", r#""""#, r#""00-abc""#] {
            let text = format!(
                r#"{{"specversion":"1.0","id":"1","source":"s","type":"t","traceparent":{trace}}}"#
            );
            assert_eq!(CloudEvent::parse(&text).unwrap().trace, None, "{trace}");
        }
    }

    #[test]
    fn what_is_no_event_says_which_attribute_is_wrong() {
        let whole = r#"{"specversion":"1.0","id":"1","source":"s","type":"t"}"#;
        assert_eq!(CloudEvent::parse(whole).unwrap().data, Value::Null);
        for (from, to, wrong) in [
            ("1.0", "0.3", "specversion"),
            (r#""id":"1","#, "", "id"),
            (r#""id":"1""#, r#""id":"""#, "id"),
            (r#""id":"1""#, r#""id":1"#, "id"),
            (r#""source":"s""#, r#""source":null"#, "source"),
            (r#""type":"t""#, r#""type":"t","time":"yesterday""#, "time"),
            (r#""type":"t""#, r#""type":"t","subject":7"#, "subject"),
        ] {
            let text = whole.replace(from, to);
            assert_eq!(
                CloudEvent::parse(&text).unwrap_err(),
                EventError::Attribute(wrong),
                "{text}"
            );
        }
        assert_eq!(
            CloudEvent::parse("[]").unwrap_err(),
            EventError::NotAnObject
        );
        let twice = whole.replace(r#""id":"1""#, r#""id":"1","id":"2""#);
        assert!(matches!(
            CloudEvent::parse(&twice),
            Err(EventError::Json(_))
        ));
    }

    #[test]
    fn neither_source_nor_content_is_shown() {
        let text = r#"{"specversion":"1.0","id":"e1","source":"urn:t-alpha","type":"t","subject":"acct-42","data":{"amount":1}}"#;
        let shown = format!("{:?}", CloudEvent::parse(text).unwrap());
        assert_eq!(shown, r#"CloudEvent { id: "e1", kind: "t", .. }"#);
        let name = EventName::new("urn:t-alpha", "e1").unwrap();
        assert_eq!(format!("{name:?}"), "EventName(e1)");
    }
}
