//! The stored forms of version 1, committed. Two releases run at once during a deploy, and records outlive both: what was written
//! once is read for ever, and what is written today is what yesterday's release reads.
//!
//! These files only grow. Another layout is another version with files of its own.

use crate::json::{from_json, to_json};
use decide_once_dynamodb::items::{Item, claim, decision, mark, operation, outbox};
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::inbox::{Mark, MarkState};
use decide_once_protocol::outbox::{Delivery, Event, OutboxRow};
use decide_once_protocol::record::{Hold, Keep, Record, State};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::trace::TraceParent;
use decide_once_tests::samples::{self, NOW, at};
use serde_json::{Value, json};

/// Fails with the whole file as it would have to be, unless both directions agree with the file.
fn agrees<T: PartialEq + std::fmt::Debug>(
    file: &str,
    golden: &str,
    expected: &[(&'static str, T)],
    encode: impl Fn(&T) -> Item,
    decode: impl Fn(&Item) -> T,
) {
    let golden: Value = serde_json::from_str(golden).unwrap();
    let written: Value = expected
        .iter()
        .map(|(name, value)| ((*name).to_owned(), to_json(&encode(value))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert!(written == golden, "{file} would be\n{written:#}");
    for (name, value) in expected {
        assert_eq!(&decode(&from_json(&golden[name])), value, "{name}");
    }
}

/// As a request was queued that came in a trace.
fn queued_in_a_trace() -> Record {
    let queued = samples::queued();
    let carried = queued.carried().unwrap().clone().traced(trace());
    let state = State::Processing {
        hold: Hold::Queued,
        keep: Keep::Carrying(carried),
    };
    Record { state, ..queued }
}

fn trace() -> Option<TraceParent> {
    TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
}

#[test]
fn records_of_every_state_are_as_version_1_wrote_them() {
    let mut records = samples::records();
    records.push(("queued-in-a-trace", queued_in_a_trace()));
    agrees(
        "operations-v1.json",
        include_str!("../../golden/operations-v1.json"),
        &records,
        operation::encode,
        |item| operation::decode(item).unwrap(),
    );
}

#[test]
fn decisions_are_as_version_1_wrote_them() {
    let kept = samples::decision();
    let for_ever = DecisionItem {
        retained_until: None,
        ..kept.clone()
    };
    let elsewhere = OperationId::parse(&"a".repeat(52)).unwrap();
    let of_another_operation = DecisionItem {
        operation: elsewhere,
        ..kept.clone()
    };
    agrees(
        "decisions-v1.json",
        include_str!("../../golden/decisions-v1.json"),
        &[
            ("kept", kept),
            ("kept-for-ever", for_ever),
            ("of-another-operation", of_another_operation),
        ],
        decision::encode,
        |item| decision::decode(item).unwrap(),
    );
}

#[test]
fn outbox_rows_are_as_version_1_wrote_them() {
    let undelivered = samples::row(0);
    let delivered = OutboxRow {
        delivery: Delivery::Delivered {
            at: at(NOW + 2_000),
        },
        ..undelivered.clone()
    };
    let reason = "the sink answered 422".to_owned();
    let quarantined = OutboxRow {
        delivery: Delivery::Quarantined {
            since: at(NOW + 2_000),
            reason,
        },
        ..undelivered.clone()
    };
    let traced = OutboxRow {
        event: Event {
            trace: trace(),
            ..undelivered.event.clone()
        },
        ..undelivered.clone()
    };
    agrees(
        "outbox-v1.json",
        include_str!("../../golden/outbox-v1.json"),
        &[
            ("undelivered", undelivered),
            ("undelivered-in-a-trace", traced),
            ("delivered", delivered),
            ("quarantined", quarantined),
        ],
        outbox::encode,
        |item| outbox::decode(item).unwrap(),
    );
}

#[test]
fn marks_are_as_version_1_wrote_them() {
    let mark_of = |state| Mark {
        id: samples::mark_id(),
        state,
    };
    let claimed = MarkState::Claimed {
        owner: OwnerToken::from_random([1; 16]),
        lapses: at(NOW + 30_000),
    };
    let done = MarkState::Done {
        until: at(NOW + 2_419_200_000),
    };
    agrees(
        "inbox-v1.json",
        include_str!("../../golden/inbox-v1.json"),
        &[("claimed", mark_of(claimed)), ("done", mark_of(done))],
        mark::encode,
        |item| mark::decode(item).unwrap(),
    );
}

#[test]
fn claims_are_as_version_1_wrote_them() {
    let golden: Value = serde_json::from_str(include_str!("../../golden/claims-v1.json")).unwrap();
    let written = json!({
        "expiring": to_json(&claim::encode(&samples::claim("order", Some(at(NOW + 34_560_000_000))))),
        "for-ever": to_json(&claim::encode(&samples::claim("order", None))),
    });
    assert!(written == golden, "claims-v1.json would be\n{written:#}");
    for name in ["expiring", "for-ever"] {
        let holder = claim::holder(&from_json(&golden[name])).unwrap();
        assert_eq!(holder, DecisionId::from_random([7; 16]), "{name}");
    }
}
