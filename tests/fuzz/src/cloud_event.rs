//! Events as a consumer gets them.

use decide_once_protocol::inbox::CloudEvent;
use decide_once_protocol::json::{Value, object};

/// An event that was read has a name, and written from what was read it is the same event.
///
/// # Panics
/// That does not hold.
pub fn target(data: &[u8]) {
    let Some(event) = std::str::from_utf8(data)
        .ok()
        .and_then(|text| CloudEvent::parse(text).ok())
    else {
        return;
    };
    assert!(!event.name.source().is_empty() && !event.name.id().is_empty());
    let again = CloudEvent::parse(&text(&event));
    assert_eq!(again.as_ref(), Ok(&event));
}

/// The event as structured-mode JSON.
pub(crate) fn text(event: &CloudEvent) -> String {
    let mut whole = object([
        ("specversion", Value::from("1.0")),
        ("id", event.name.id().into()),
        ("source", event.name.source().into()),
        ("type", event.kind.as_str().into()),
    ]);
    if let Some(subject) = &event.subject {
        whole.insert("subject", subject.as_str());
    }
    if let Some(time) = event.time {
        whole.insert("time", time.to_rfc3339());
    }
    if let Some(trace) = event.trace {
        whole.insert("traceparent", trace.to_string());
    }
    whole.insert("data", event.data.clone());
    whole.to_json()
}
