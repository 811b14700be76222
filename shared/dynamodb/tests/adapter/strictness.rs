//! Reading is strict: what no version writes is corrupt, by the attribute's name, and is never guessed at.

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_dynamodb::items::{Item, TRACE, V, decision, mark, operation, outbox};
use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{Mark, MarkState};
use decide_once_protocol::outbox::{Delivery, OutboxRow};
use decide_once_protocol::writes::{Existing, Unreadable};
use decide_once_tests::samples::{self, NOW, at};

fn corrupt(attribute: &str) -> Unreadable {
    Unreadable::Corrupt {
        attribute: attribute.to_owned(),
    }
}

fn number(digits: &str) -> AttributeValue {
    AttributeValue::N(digits.to_owned())
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Without an attribute that is not `optional`, or with one of the wrong type, an item is corrupt there and nowhere else.
fn every_attribute_is_required<T: std::fmt::Debug>(
    name: &str,
    item: &Item,
    decode: impl Fn(&Item) -> Result<T, Unreadable>,
    optional: &[&str],
) {
    let unread = ["ttlSec"];
    for attribute in item
        .keys()
        .filter(|attribute| !unread.contains(&attribute.as_str()))
    {
        let mut broken = item.clone();
        broken.insert(attribute.clone(), AttributeValue::Bool(true));
        assert_eq!(
            decode(&broken).unwrap_err(),
            corrupt(attribute),
            "{name}: {attribute}: true"
        );
        if !optional.contains(&attribute.as_str()) {
            broken.remove(attribute);
            assert!(decode(&broken).is_err(), "{name} without {attribute}");
        }
    }
}

#[test]
fn a_missing_or_mistyped_attribute_is_corrupt() {
    for (name, record) in samples::records() {
        let item = operation::encode(&record);
        every_attribute_is_required(name, &item, operation::decode, &["updated", "forgiven"]);
    }
    let item = decision::encode(&samples::decision());
    every_attribute_is_required("decision", &item, decision::decode, &[]);
    let row = samples::row(0);
    every_attribute_is_required("row", &outbox::encode(&row), outbox::decode, &[]);
    for state in mark_states() {
        let item = mark::encode(&mark_of(state));
        every_attribute_is_required("mark", &item, mark::decode, &[]);
    }
}

/// A trace decides nothing, so that a broken one keeps nobody from an item.
#[test]
fn a_trace_that_cannot_be_read_is_none() {
    let (record, row) = (samples::queued(), samples::row(0));
    for broken in [text("00-abc"), text(""), number("7")] {
        let mut item = operation::encode(&record);
        item.insert(TRACE.to_owned(), broken.clone());
        assert_eq!(operation::decode(&item).unwrap(), record);
        let mut item = outbox::encode(&row);
        item.insert(TRACE.to_owned(), broken);
        assert_eq!(outbox::decode(&item).unwrap(), row);
    }
}

fn mark_of(state: MarkState) -> Mark {
    let id = samples::mark_id();
    Mark { id, state }
}

fn mark_states() -> [MarkState; 2] {
    let owner = OwnerToken::from_random([1; 16]);
    let lapses = at(NOW);
    [
        MarkState::Claimed { owner, lapses },
        MarkState::Done { until: at(NOW) },
    ]
}

/// What is both claimed and done is neither.
#[test]
fn a_mark_of_two_states_is_corrupt() {
    let [claimed, done] = mark_states().map(|state| mark::encode(&mark_of(state)));
    for attribute in ["claim", "lapses"] {
        let mut both = done.clone();
        both.insert(attribute.to_owned(), claimed[attribute].clone());
        assert_eq!(mark::decode(&both).unwrap_err(), corrupt(attribute));
    }
}

#[test]
fn a_missing_item_is_absent_and_a_broken_one_is_not() {
    assert_eq!(operation::existing(None), Existing::Absent);
    let why = corrupt(V);
    assert_eq!(
        operation::existing(Some(&Item::new())),
        Existing::Unreadable(why)
    );
}

#[test]
fn a_newer_version_is_told_before_anything_else_is_looked_at() {
    let item = Item::from([(V.to_owned(), number("2")), ("op".to_owned(), number("1"))]);
    let newer = Unreadable::Newer { version: 2 };
    assert_eq!(operation::decode(&item).unwrap_err(), newer);
    assert_eq!(decision::decode(&item).unwrap_err(), newer);
    assert_eq!(outbox::decode(&item).unwrap_err(), newer);
}

#[test]
fn a_version_that_never_was_is_corrupt() {
    for version in ["0", "-1", "1.5", "4294967296"] {
        let item = Item::from([(V.to_owned(), number(version))]);
        assert_eq!(
            operation::decode(&item).unwrap_err(),
            corrupt(V),
            "{version}"
        );
    }
}

#[test]
fn an_attribute_that_nobody_knows_is_tolerated() {
    let (_, record) = samples::records().swap_remove(0);
    let mut item = operation::encode(&record);
    item.insert("future".to_owned(), AttributeValue::Bool(true));
    assert_eq!(operation::decode(&item).unwrap(), record);
}

#[test]
fn a_record_with_another_states_attribute_is_corrupt() {
    for (name, record) in samples::records() {
        let item = operation::encode(&record);
        for attribute in ["till", "answer", "failure", "cause"] {
            let mut broken = item.clone();
            if broken.insert(attribute.to_owned(), text("x")).is_none() {
                let why = operation::decode(&broken).unwrap_err();
                assert_eq!(why, corrupt(attribute), "{name} with {attribute}");
            }
        }
    }
}

#[test]
fn a_row_that_stands_in_two_places_is_corrupt() {
    let row = samples::row(0);
    let delivered = OutboxRow {
        delivery: Delivery::Delivered { at: at(NOW) },
        ..row.clone()
    };
    let mut item = outbox::encode(&row);
    item.extend(outbox::encode(&delivered));
    assert_eq!(outbox::decode(&item).unwrap_err(), corrupt("deliveredAt"));
}

#[test]
fn a_row_in_another_partition_than_its_own_is_corrupt() {
    let mut item = outbox::encode(&samples::row(0));
    item.insert("shard".to_owned(), text("99"));
    assert_eq!(outbox::decode(&item).unwrap_err(), corrupt("shard"));
}

#[test]
fn a_value_that_no_version_writes_is_corrupt() {
    let owner = "AQEBAQEBAQEBAQEBAQEBAQ";
    let broken = [
        ("stands", text("PROCESSING/2")),
        ("stands", text(&format!("DONE/2/{owner}"))),
        ("stands", text(&format!("PROCESSING/02/{owner}"))),
        ("stands", text(&format!("PROCESSING/4294967296/{owner}"))),
        ("stands", text("PROCESSING/2/short")),
        ("till", number("-1")),
        ("till", number("253402300800000")),
        ("keyExpiry", number("1.5")),
        ("forgiven", number("-1")),
        ("op", text("not-an-operation-id")),
        ("tenant", text("")),
        ("decision", text("A")),
        ("pin", text("credit-limit/0/x")),
        ("members", text("2")),
        (
            "prints",
            AttributeValue::B(aws_sdk_dynamodb::primitives::Blob::new([1; 64])),
        ),
        (
            "prints",
            AttributeValue::B(aws_sdk_dynamodb::primitives::Blob::new([2; 65])),
        ),
    ];
    for (attribute, value) in broken {
        let mut item = operation::encode(&samples::record(samples::processing()));
        item.insert(attribute.to_owned(), value.clone());
        let why = operation::decode(&item).unwrap_err();
        assert_eq!(why, corrupt(attribute), "{value:?}");
    }
}
