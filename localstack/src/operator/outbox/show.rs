//! `outbox show`: where one event stands.

use decide_once_protocol::json::{self, Value};
use decide_once_protocol::outbox::{Delivery, OutboxRow};
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::Read;

use super::read;
use crate::operator::{
    Ended, OperatorError, args::ShowRowArgs, connection::Connection, fields::Fields,
    screen::Screen, span, unreadable::unreadable,
};

pub(in crate::operator) async fn run(
    connection: &Connection,
    asked: &ShowRowArgs,
    screen: &Screen,
) -> Result<Ended, OperatorError> {
    match read(connection, &asked.event).await? {
        Read::Found(row) => {
            let fields = fields(&row, asked.data, connection.now());
            fields.show(screen)?;
            Ok(Ended::Well)
        }
        Read::Absent => {
            eprintln!(
                "decide-once: there is no event {}: it never was, or its retention after delivery has ended",
                asked.event
            );
            Ok(Ended::Short)
        }
        Read::Unreadable(why) => {
            eprintln!(
                "decide-once: the event {} {}",
                asked.event,
                unreadable(&why)
            );
            Ok(Ended::Short)
        }
    }
}

fn fields(row: &OutboxRow, with_data: bool, now: Timestamp) -> Fields {
    let OutboxRow { event, delivery } = row;
    let ago = |at: Timestamp| format!("{} ago", span::show(at.until(now)));
    let mut fields = Fields::default();
    fields.add("event", "event", event.id.as_str());
    fields.add("type", "type", &event.kind);
    match delivery {
        Delivery::Undelivered(marker) => {
            fields.add("state", "state", "undelivered");
            fields.instant("since", "since", marker.since, &ago(marker.since));
            fields.add("marker", "marker", &marker.encode());
        }
        Delivery::Delivered { at } => {
            fields.add("state", "state", "delivered");
            fields.instant("delivered", "deliveredAt", *at, &ago(*at));
        }
        Delivery::Quarantined { since, reason } => {
            fields.add("state", "state", "quarantined");
            fields.instant("since", "since", *since, &ago(*since));
            fields.add("reason", "reason", reason);
        }
    }
    let kept = match delivery.ttl() {
        Some(ttl) => Timestamp::from_millis(ttl.as_secs().saturating_mul(1_000)),
        None => None,
    };
    match kept {
        Some(until) => fields.instant("kept until", "keptUntil", until, ""),
        None => fields.add_as(
            "kept until",
            "its sink has it".to_owned(),
            "keptUntil",
            Value::Null,
        ),
    }
    fields.instant("committed", "committedAt", event.time, &ago(event.time));
    fields.add("decision", "decisionId", event.id.decision().as_str());
    fields.add("policy", "policy", event.pin.id.as_str());
    let version = event.pin.version.get();
    fields.add_as(
        "policy version",
        version.to_string(),
        "policyVersion",
        Value::from(i64::from(version)),
    );
    if with_data {
        let text = event.to_cloud_event();
        let value = json::parse(text.as_bytes()).unwrap_or(Value::Null);
        fields.add_as("cloud event", text, "cloudEvent", value);
    }
    fields
}
