//! Stored items of any content, as DynamoDB's JSON.

use std::fmt::Debug;

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_dynamodb::items::{
    Item, TTL, V, change, claim, decision, mark, mismatches, operation, outbox,
};
use decide_once_protocol::writes::Unreadable;
use decide_once_service::publish::Image;

/// No item brings a decoder down, and what a decoder takes it has understood: it reads the same when it is written again, and every attribute
/// of the layout comes back as it was.
///
/// # Panics
/// One of these does not hold.
pub fn target(json: &[u8]) {
    let Ok(item) = serde_json::from_slice::<serde_dynamo::Item>(json).map(Item::from) else {
        return;
    };
    understood(&item, &OPERATION, operation::decode, operation::encode);
    understood(&item, &DECISION, decision::decode, decision::encode);
    understood(&item, &OUTBOX, outbox::decode, outbox::encode);
    understood(&item, &MARK, mark::decode, mark::encode);
    // What only looks.
    let _ = claim::holder(&item);
    let _ = mismatches::total(Some(&item));
    let _ = outbox::decode_index_entry(&item);
    let _ = outbox::decode_quarantined_entry(&item);
    as_an_image(json, &item);
}

/// A layout: its attributes, and those that need not come back.
struct Layout {
    attributes: &'static [&'static str],
    /// Follows from the others; a reader takes it as it is, and a writer writes what follows.
    derived: &'static [&'static str],
    /// Need not be there, because its absence says the same.
    optional: &'static [&'static str],
}

const OPERATION: Layout = Layout {
    attributes: &[
        operation::OP,
        V,
        operation::TENANT,
        operation::DECISION,
        operation::PIN,
        operation::PRINTS,
        operation::MEMBERS,
        operation::STANDS,
        operation::CREATED,
        operation::UPDATED,
        operation::FORGIVEN,
        operation::KEY_EXPIRY,
        operation::TILL,
        operation::ANSWER,
        operation::FAILURE,
        operation::CAUSE,
        operation::CARRIED,
        operation::LANE,
        operation::DUE,
        TTL,
    ],
    derived: &[operation::LANE, operation::DUE, TTL],
    optional: &[operation::UPDATED, operation::FORGIVEN],
};

const DECISION: Layout = Layout {
    attributes: &[
        decision::ID,
        V,
        decision::TENANT,
        decision::OP,
        decision::PIN,
        decision::CONTENT,
        decision::TIMES,
    ],
    derived: &[],
    optional: &[decision::OP],
};

const OUTBOX: Layout = Layout {
    attributes: &[
        outbox::EVENT,
        V,
        outbox::PIN,
        outbox::CONTENT,
        outbox::UNDELIVERED,
        outbox::SHARD,
        outbox::DELIVERED_AT,
        outbox::QUARANTINED,
        outbox::QUARANTINE_SHARD,
        outbox::REASON,
        TTL,
    ],
    derived: &[TTL],
    optional: &[],
};

const MARK: Layout = Layout {
    attributes: &[mark::ID, V, mark::CLAIM, mark::LAPSES, mark::KEPT_UNTIL],
    derived: &[],
    optional: &[],
};

fn understood<T: PartialEq + Debug>(
    item: &Item,
    layout: &Layout,
    decode: impl Fn(&Item) -> Result<T, Unreadable>,
    encode: impl Fn(&T) -> Item,
) {
    let Ok(value) = decode(item) else {
        return;
    };
    let written = encode(&value);
    assert_eq!(decode(&written).as_ref(), Ok(&value));
    for name in layout.attributes {
        match (item.get(*name), written.get(*name)) {
            (Some(read), Some(written)) if layout.derived.contains(name) => {
                assert_eq!(read.is_s(), written.is_s(), "{name} of {value:?}");
            }
            (Some(read), Some(written)) => {
                assert!(
                    same(read, written),
                    "{name}: {read:?} came back as {written:?}"
                );
            }
            (Some(read), None) => {
                let is_needless = layout.optional.contains(name);
                assert!(is_needless, "{name}: {read:?} is lost of {value:?}");
            }
            (None, Some(_)) => {
                let is_expected = *name == TTL;
                assert!(is_expected, "{name} came from nowhere in {value:?}");
            }
            (None, None) => {}
        }
    }
}

/// DynamoDB keeps one spelling of a number; here there may be others.
fn same(read: &AttributeValue, written: &AttributeValue) -> bool {
    match (read, written) {
        (AttributeValue::N(read), AttributeValue::N(written)) => {
            read.parse::<i64>().ok() == written.parse().ok()
        }
        (read, written) => read == written,
    }
}

/// As a stream hands it on.
fn as_an_image(json: &[u8], item: &Item) {
    let image = || serde_json::from_slice::<serde_json::Value>(json).ok();
    if let Some(image) = image() {
        let announced = operation::announced(&image);
        let named = item.get(operation::OP).and_then(|op| op.as_s().ok());
        assert_eq!(
            announced.as_ref().map(|id| id.as_str()),
            announced.as_ref().and(named.map(String::as_str)),
            "evaluate is called for what the item is of"
        );
    }
    let images = change::Images {
        old: image(),
        new: image(),
    };
    let change = change::written("1".to_owned(), images);
    match (outbox::decode(item), change.after) {
        (Ok(row), Image::Row(read)) => assert_eq!(*read, row),
        (Err(why), Image::Unreadable { why: told, .. }) => assert_eq!(told, why),
        (row, after) => panic!("{row:?} was taken for {after:?}"),
    }
}
