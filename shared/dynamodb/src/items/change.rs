//! A change to the outbox, from a record of its stream.
//!
//! The images are in DynamoDB's JSON (`{"S":"…"}`), as Lambda hands them on. The marker is read by itself, so that the
//! row before the change, whoever wrote it, need not be understood to know whether it was undelivered.

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::Marker;
use decide_once_service::publish::{Change, Image};
use serde_json::Value;

use super::outbox::{EVENT, UNDELIVERED, decode};
use super::reader::corrupt;
use super::{Decoded, Item};

/// What the stream knows of a change, besides its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Images {
    /// The item before, if there was one.
    pub old: Option<Value>,
    /// The item since, if there is one.
    pub new: Option<Value>,
}

/// The change that a record of the stream shows.
#[must_use]
pub fn written(sequence: String, images: Images) -> Change {
    Change {
        sequence,
        before: images.old.and_then(|old| marker(&item(old).ok()?)),
        after: match images.new.map_or_else(|| Err(corrupt("NewImage")), item) {
            Ok(new) => match decode(&new) {
                Ok(row) => Image::Row(Box::new(row)),
                Err(why) => Image::Unreadable {
                    event: event(&new),
                    why,
                },
            },
            Err(why) => Image::Unreadable { event: None, why },
        },
    }
}

/// As [`written`], of a deletion.
#[must_use]
pub fn deleted(sequence: String, old: Option<Value>, expired: bool) -> Change {
    Change {
        sequence,
        before: old.and_then(|old| marker(&item(old).ok()?)),
        after: Image::Gone { expired },
    }
}

fn item(image: Value) -> Decoded<Item> {
    serde_json::from_value::<serde_dynamo::Item>(image)
        .map(Item::from)
        .map_err(|_| corrupt("NewImage"))
}

fn marker(item: &Item) -> Option<Marker> {
    Marker::decode(text(item, UNDELIVERED)?)
}

fn event(item: &Item) -> Option<EventId> {
    EventId::parse(text(item, EVENT)?)
}

fn text<'a>(item: &'a Item, name: &str) -> Option<&'a String> {
    item.get(name)
        .and_then(|value| AttributeValue::as_s(value).ok())
}
