//! Events of queues and buses, as consume and intake read them.

use decide_once_lambda::sqs::{SqsEvent, SqsMessage};
use decide_once_protocol::inbox::CloudEvent;
use decide_once_protocol::json::{self, Value};
use fn_consume::{Effect, Message, effect_of};
use fn_intake::{Ask, IntakeEvent, of_bus, of_message};
use serde_json::json;

use crate::cloud_event::text;

/// * A message is an event or is not; an event has an effect within bounds, or none.
/// * An event is the same however it comes: bare, from a topic, from a bus.
/// * What is asked is the same in every form that a message may have.
///
/// # Panics
/// One of these does not hold.
pub fn target(data: &[u8]) {
    if let Ok(event) = serde_json::from_slice::<SqsEvent>(data) {
        for record in &event.records {
            consumed(record);
        }
    }
    match serde_json::from_slice(data) {
        Ok(IntakeEvent::Queue(event)) => {
            for record in &event.records {
                for pointer in [None, Some("/subject")] {
                    asked(of_message(record, pointer).ok());
                }
            }
        }
        Ok(IntakeEvent::Bus(event)) => {
            for pointer in [None, Some("/subject")] {
                asked(of_bus(&event, pointer).ok());
            }
        }
        Err(_) => {}
    }
}

fn consumed(record: &SqsMessage) {
    let message = Message::read(record);
    assert_eq!(message.id, record.message_id);
    let Ok(event) = &message.event else {
        assert_eq!(
            message.lane(),
            ("", message.id),
            "what is no event is alone"
        );
        return;
    };
    match effect_of(event) {
        Ok(Some(Effect::Add { sum, by })) => assert!(by >= 0 && sum.len() < 100, "{sum} {by}"),
        Ok(Some(Effect::Stand { decision, .. })) => assert!((1..=64).contains(&decision.len())),
        Ok(Some(Effect::Review) | None) | Err(_) => {}
    }
    let bare = text(event);
    let body = json::parse(bare.as_bytes()).unwrap();
    let bus = json::object([
        ("id", Value::from("b-1")),
        ("source", "x".into()),
        ("detail-type", "t".into()),
        ("detail", body),
    ]);
    let bus = bus.to_json();
    for body in [&bare, &bus, &topic(&bare), &topic(&bus)] {
        let again = sent(None, body);
        let again = Message::read(&again);
        assert_eq!(again.event.as_ref().ok(), Some(event), "{body}");
    }
    assert_eq!(CloudEvent::parse(&bare).as_ref(), Ok(event));
}

fn asked(ask: Option<Ask>) {
    let Some(Ask { key, request }) = ask else {
        return;
    };
    let body = request.canonical();
    let key_text = Value::from(key.as_str()).to_json();
    let both = format!(r#"{{"key":{key_text},"request":{body}}}"#);
    let bus = format!(r#"{{"id":{key_text},"source":"x","detail-type":"t","detail":{body}}}"#);
    let line = key.header_value();
    for message in [
        sent(Some(&line), &body),
        sent(Some(&line), &both),
        sent(None, &both),
        sent(None, &bus),
        sent(None, &topic(&both)),
    ] {
        let again = of_message(&message, None).unwrap_or_else(|why| panic!("{message:?}: {why:?}"));
        assert_eq!(
            (&again.key, &again.request),
            (&key, &request),
            "{message:?}"
        );
    }
}

fn topic(message: &str) -> String {
    json!({ "Type": "Notification", "TopicArn": "arn", "Message": message }).to_string()
}

fn sent(key: Option<&str>, body: &str) -> SqsMessage {
    let attributes = key.map_or_else(
        || json!({}),
        |key| json!({ "Idempotency-Key": { "stringValue": key, "dataType": "String" } }),
    );
    let message = json!({ "messageId": "m1", "body": body, "messageAttributes": attributes });
    serde_json::from_value(message).unwrap()
}
