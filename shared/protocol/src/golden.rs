//! The bytes that are promised: an answer and an event, against committed files.
//!
//! A change of these files breaks replays of what is stored, and consumers' deduplication by content. A new form is a new
//! record version beside the old one.

#![expect(clippy::unwrap_used, reason = "tests")]

use crate::answer::Verdict;
use crate::decision::DecisionItem;
use crate::ids::DecisionId;
use crate::key::IdempotencyKey;
use crate::outbox::Event;
use crate::record::{Expiry, PolicyPin};
use crate::request::{PolicyId, PolicyVersion, Subject};
use crate::scope::{OperationName, Scope, Tenant};
use crate::time::Timestamp;

fn pin() -> PolicyPin {
    PolicyPin {
        id: PolicyId::parse("credit-limit").unwrap(),
        version: PolicyVersion::new(3).unwrap(),
        digest: [0xab; 32],
    }
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

#[test]
fn a_decision_has_the_bytes_that_were_promised() {
    let key = IdempotencyKey::parse(r#"say "hi" \o/"#).unwrap();
    let scope = Scope {
        tenant: Tenant::parse("t-alpha").unwrap(),
        operation: OperationName::parse("decide").unwrap(),
        key: key.clone(),
    };
    let item = DecisionItem {
        id: DecisionId::from_random([7; 16]),
        tenant: scope.tenant.clone(),
        operation: scope.operation_id(),
        key,
        subject: Subject::parse("acct-42 é \u{1f600}").unwrap(),
        pin: pin(),
        verdict: Verdict {
            rule: "standard".to_owned(),
            outcome: r#"{"decision":"approve","limit":25000}"#.to_owned(),
            event_types: vec!["com.example.a".to_owned(), "com.example.b".to_owned()],
        },
        evaluated_at: at(1_796_083_200_250),
        expiry: Expiry {
            result: at(1_796_169_600_250),
            key: at(1_796_342_400_250),
        },
        retained_until: None,
    };
    let golden = include_bytes!("../golden/answer-v1.json");
    assert_eq!(item.render().bytes, golden.trim_ascii_end());
}

/// The event of the golden file.
pub(crate) fn event() -> Event {
    Event {
        id: DecisionId::from_random([7; 16]).event(1),
        kind: "com.example.credit-limit.decided".to_owned(),
        source: "urn:decide-once:t-alpha".to_owned(),
        subject: "acct-42 \"é\"".to_owned(),
        time: at(1_796_083_200_250),
        pin: pin(),
        data: r#"{"decision":"approve","nested":{}}"#.to_owned(),
        trace: None,
    }
}

#[test]
fn an_event_has_the_bytes_that_were_promised() {
    let golden = include_bytes!("../golden/event-v1.json");
    assert_eq!(event().to_cloud_event().as_bytes(), golden.trim_ascii_end());
}
