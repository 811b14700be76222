//! What a message asks for: a key and a request, read strictly. The tenant is not a part of it.

use decide_once_lambda::content::{self, Content};
use decide_once_lambda::sqs::SqsMessage;
use decide_once_protocol::json::Value;
use decide_once_protocol::key::{IdempotencyKey, KeyError, parse_header};
use decide_once_protocol::request::{DecisionRequest, MAX_BODY_BYTES};
use decide_once_service::problem::{Kind, Problem};

/// The message attribute that has the key, in the spelling of the HTTP header.
pub(crate) const KEY_ATTRIBUTE: &str = "Idempotency-Key";

/// Said where there is no key. A message's own id would not do: a sender that sends once more makes another one.
const NO_KEY: &str = "the message has no key; put it into the message attribute Idempotency-Key, or send {\"key\":…,\"request\":{…}}, the same \
                      key whenever it is sent";

/// A request with its key.
#[derive(Debug)]
pub struct Ask {
    /// The caller's key.
    pub key: IdempotencyKey,
    /// What is to be decided.
    pub request: DecisionRequest,
}

/// Of a message of a queue: the attribute has the key and the body is the request, or the body has both. Where both have a key, it is one.
///
/// # Errors
/// The problem, as the HTTP API would answer it. Nothing is stored.
pub fn of_message(message: &SqsMessage, pointer: Option<&str>) -> Result<Ask, Box<Problem>> {
    let attribute = match message.attribute(KEY_ATTRIBUTE) {
        Some(line) => Some(header(line)?),
        None => None,
    };
    of_content(attribute, read(&message.body)?, pointer)
}

/// Of an event that a bus has handed to the function itself.
///
/// # Errors
/// As [`of_message`].
pub fn of_bus(event: &str, pointer: Option<&str>) -> Result<Ask, Box<Problem>> {
    of_content(None, read(event)?, pointer)
}

fn read(body: &str) -> Result<Content, Box<Problem>> {
    content::of_body(body).map_err(|why| {
        let detail = format!("the message is not acceptable JSON: {why}");
        Box::new(Problem::new(Kind::BodyInvalid, detail))
    })
}

fn of_content(
    attribute: Option<IdempotencyKey>,
    content: Content,
    pointer: Option<&str>,
) -> Result<Ask, Box<Problem>> {
    let (own, request) = match content {
        Content::Plain(body) => with_key(body)?,
        Content::Bus { id, detail } => {
            let key = match pointer {
                Some(pointer) => key_at(&detail, pointer)?,
                None => parsed(&id)?,
            };
            (Some(key), detail)
        }
    };
    let key = match (attribute, own) {
        (Some(one), Some(other)) if one != other => {
            let detail = "the message attribute and the body have different keys; send one";
            return Err(Box::new(Problem::new(Kind::KeyInvalid, detail)));
        }
        (Some(key), _) | (None, Some(key)) => key,
        (None, None) => return Err(Box::new(Problem::new(Kind::KeyMissing, NO_KEY))),
    };
    let request = request_of(request)?;
    Ok(Ask { key, request })
}

/// `{"key":…,"request":{…}}`, or the request alone: no request has a member of either name.
fn with_key(body: Value) -> Result<(Option<IdempotencyKey>, Value), Box<Problem>> {
    let Value::Object(mut members) = body else {
        return Ok((None, body));
    };
    if !members.contains("request") {
        return Ok((None, Value::Object(members)));
    }
    let request = members.remove("request").unwrap_or(Value::Null);
    let key = match members.remove("key") {
        None => None,
        Some(Value::String(key)) => Some(parsed(&key)?),
        Some(_) => return Err(invalid("the member /key is not a string")),
    };
    if members.is_empty() {
        Ok((key, request))
    } else {
        let detail = "beside key and request the message has other members; leave them out";
        Err(Box::new(Problem::new(Kind::BodyInvalid, detail)))
    }
}

fn key_at(detail: &Value, pointer: &str) -> Result<IdempotencyKey, Box<Problem>> {
    let key = detail.pointer(pointer).and_then(Value::as_str);
    let missing = || {
        let detail =
            format!("the event's detail has no string at {pointer}, where its key should be");
        Box::new(Problem::new(Kind::KeyMissing, detail))
    };
    parsed(key.ok_or_else(missing)?)
}

fn request_of(request: Value) -> Result<DecisionRequest, Box<Problem>> {
    let bytes = request.to_json().len();
    if bytes > MAX_BODY_BYTES {
        let detail = format!("the request has {bytes} bytes; at most {MAX_BODY_BYTES} are taken");
        return Err(Box::new(Problem::new(Kind::BodyTooLarge, detail)));
    }
    DecisionRequest::from_json(request)
        .map_err(|why| Box::new(Problem::new(Kind::BodyInvalid, why.to_string())))
}

/// In the two spellings of the HTTP header.
fn header(line: &str) -> Result<IdempotencyKey, Box<Problem>> {
    parse_header(&[line.as_bytes()]).map_err(|why| match why {
        KeyError::Missing => Box::new(Problem::new(Kind::KeyMissing, NO_KEY)),
        KeyError::Invalid(why) => invalid(&format!(
            "the message attribute Idempotency-Key is not valid: {why}"
        )),
    })
}

/// As it is: in JSON, quotes are not a part of it.
fn parsed(key: &str) -> Result<IdempotencyKey, Box<Problem>> {
    IdempotencyKey::parse(key).map_err(|why| invalid(&format!("the key is not valid: {why}")))
}

fn invalid(detail: &str) -> Box<Problem> {
    Box::new(Problem::new(Kind::KeyInvalid, detail))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;

    const REQUEST: &str =
        r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500}}"#;

    fn ask(attribute: Option<&str>, body: &str) -> Result<Ask, Box<Problem>> {
        ask_at(None, attribute, body)
    }

    fn ask_at(
        pointer: Option<&str>,
        attribute: Option<&str>,
        body: &str,
    ) -> Result<Ask, Box<Problem>> {
        let attributes = attribute.map_or_else(
            || json!({}),
            |key| json!({ KEY_ATTRIBUTE: { "stringValue": key, "dataType": "String" } }),
        );
        let message = json!({ "messageId": "m1", "body": body, "messageAttributes": attributes });
        of_message(&serde_json::from_value(message).unwrap(), pointer)
    }

    fn wrapped(key: &str) -> String {
        format!(r#"{{"key":{},"request":{REQUEST}}}"#, json!(key))
    }

    fn bus() -> String {
        format!(r#"{{"id":"b-1","source":"x","detail-type":"t","detail":{REQUEST}}}"#)
    }

    #[test]
    fn the_key_is_in_the_attribute_or_in_the_body_or_the_event_has_one() {
        for (attribute, body, key) in [
            (Some("k-1"), REQUEST.to_owned(), "k-1"),
            (Some(r#""k 1""#), REQUEST.to_owned(), "k 1"),
            (None, wrapped("k 1"), "k 1"),
            (Some("k-1"), wrapped("k-1"), "k-1"),
            (None, bus(), "b-1"),
            (Some("b-1"), bus(), "b-1"),
        ] {
            let ask = ask(attribute, &body).unwrap();
            assert_eq!(ask.key.as_str(), key, "{attribute:?} {body}");
            assert_eq!(
                ask.request,
                DecisionRequest::parse(REQUEST.as_bytes()).unwrap()
            );
        }
        assert_eq!(
            ask_at(Some("/subject"), None, &bus()).unwrap().key.as_str(),
            "acct-42"
        );
        assert_eq!(of_bus(&bus(), None).unwrap().key.as_str(), "b-1");
    }

    #[test]
    fn what_is_refused_says_why_as_the_http_api_does() {
        let large = format!(
            r#"{{"policy":"p","subject":"s","facts":{{"text":"{}"}}}}"#,
            "x".repeat(MAX_BODY_BYTES)
        );
        let keyless = format!(r#"{{"request":{REQUEST}}}"#);
        let more = wrapped("k").replace(r#""key""#, r#""tenant":"t-beta","key""#);
        let twice = REQUEST.replace(r#""subject""#, r#""subject":"a","subject""#);
        for (attribute, body, kind) in [
            (None, REQUEST, Kind::KeyMissing),
            (None, &keyless, Kind::KeyMissing),
            (Some(""), REQUEST, Kind::KeyInvalid),
            (Some("a, b"), REQUEST, Kind::KeyInvalid),
            (None, r#"{"key":7,"request":{}}"#, Kind::KeyInvalid),
            (Some("k-2"), &wrapped("k-1"), Kind::KeyInvalid),
            (Some("k"), "not json", Kind::BodyInvalid),
            (Some("k"), "[]", Kind::BodyInvalid),
            (Some("k"), r#"{"policy":"p"}"#, Kind::BodyInvalid),
            (Some("k"), &twice, Kind::BodyInvalid),
            (Some("k"), &more, Kind::BodyInvalid),
            (Some("k"), &large, Kind::BodyTooLarge),
        ] {
            let refused = ask(attribute, body).unwrap_err();
            assert_eq!(refused.kind, kind, "{attribute:?}: {}", refused.detail);
        }
        let elsewhere = ask_at(Some("/orderId"), None, &bus()).unwrap_err();
        assert_eq!(elsewhere.kind, Kind::KeyMissing);
    }
}
