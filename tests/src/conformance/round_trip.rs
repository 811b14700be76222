//! What is written comes back as it was, also at the edges of what the types allow.

use decide_once_protocol::answer::{INLINE_LIMIT, RESULT_LIMIT, StoredAnswer, Verdict};
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::json::{self, Value};
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::members::Members;
use decide_once_protocol::outbox::{Event, OutboxRow};
use decide_once_protocol::record::{
    CARRIED_LIMIT, Carried, Expiry, Fence, FinalCode, FinalFailure, Hold, Identity, Keep,
    PolicyPin, Record, State,
};
use decide_once_protocol::request::{DecisionRequest, PolicyId, PolicyVersion, Subject};
use decide_once_protocol::scope::Tenant;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::trace::TraceParent;
use decide_once_protocol::writes::{Answer, Commit};
use decide_once_service::ports::{Outbox, Read, Store};

use super::{Harness, assert_stands, found, place, the_end};
use crate::samples::{self, NOW, at};

/// Of every kind, too.
pub async fn records_of_every_state_come_back_as_they_were<H: Harness>() {
    for (_, record) in samples::records() {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &record).await;
        assert_stands(&store, &record, found(&record)).await;
    }
}

/// Quotes of both kinds, the separators of the stored forms, line ends, and what needs four bytes.
const AWKWARD: &str = "\"quoted\" 'it''s' 1:2/3,4\n\\ \u{1F600} é e\u{301}";

/// Texts from empty to longer than an inline answer may be.
fn verdicts() -> Vec<Verdict> {
    let outcome = |length: usize| format!(r#"{{"text":"{}"}}"#, "x".repeat(length));
    let verdict = |rule: &str, outcome: String, event_types: Vec<String>| Verdict {
        rule: rule.to_owned(),
        outcome,
        event_types,
    };
    vec![
        verdict("", String::new(), Vec::new()),
        verdict("r", "{}".to_owned(), vec![String::new()]),
        verdict(
            AWKWARD,
            format!(r#"{{"{}":1}}"#, "'"),
            vec![AWKWARD.to_owned(); 20],
        ),
        verdict(
            "standard",
            outcome(INLINE_LIMIT),
            vec!["a".to_owned(), "b".to_owned()],
        ),
    ]
}

/// Records with members as many, as long and as late as can be.
pub async fn extreme_records_come_back_as_they_were<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (epoch, end) = (Timestamp::EPOCH, the_end());
    let facts: Vec<_> = (0..40).map(|n| format!(r#""fact-{n}":{n}"#)).collect();
    let body = format!(
        r#"{{"policy":"p","version":4294967295,"subject":"s","facts":{{{}}}}}"#,
        facts.join(",")
    );
    let request = DecisionRequest::parse(body.as_bytes()).unwrap();
    let sample = samples::record(samples::processing());
    let wide = Record {
        tenant: Tenant::parse(&"\u{1F600}".repeat(64)).unwrap(),
        identity: Identity {
            members: Members::of(b"salt", &request),
            ..sample.identity.clone()
        },
        pin: PolicyPin {
            id: PolicyId::parse(&"p".repeat(64)).unwrap(),
            version: PolicyVersion::new(u32::MAX).unwrap(),
            digest: [0xff; 32],
        },
        fence: Fence {
            owner: OwnerToken::from_random([0xff; 16]),
            attempt: u32::MAX,
        },
        forgiven: u32::MAX,
        created: epoch,
        updated: end,
        ..sample.clone()
    };
    let narrow = Record {
        fence: Fence {
            owner: OwnerToken::from_random([0; 16]),
            attempt: 1,
        },
        forgiven: 0,
        created: end,
        updated: end,
        ..sample
    };
    let expiry = Expiry {
        result: epoch,
        key: end,
    };
    let mut states = vec![
        State::Processing {
            hold: Hold::Leased(epoch),
            keep: Keep::Until(end),
        },
        State::Processing {
            hold: Hold::Leased(end),
            keep: Keep::Until(end),
        },
        State::Succeeded {
            answer: StoredAnswer {
                digest: [0; 32],
                inline: None,
            },
            expiry,
        },
    ];
    states.extend(verdicts().into_iter().map(|verdict| State::Succeeded {
        answer: StoredAnswer {
            digest: [0xff; 32],
            inline: Some(verdict),
        },
        expiry,
    }));
    states.extend(
        ["", AWKWARD, &"x".repeat(10_000)].map(|detail| State::FailedFinal {
            failure: FinalFailure {
                code: FinalCode::DecisionFailed,
                detail: detail.to_owned(),
            },
            expiry,
        }),
    );
    for state in states {
        for record in [&wide, &narrow] {
            let record = Record {
                state: state.clone(),
                ..record.clone()
            };
            place(&store, &record).await;
            assert_stands(&store, &record, found(&record)).await;
        }
    }
}

/// To the byte, with a key and facts of characters that are escaped.
pub async fn the_largest_request_that_is_carried_comes_back_as_it_was<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let key = IdempotencyKey::parse(&"\"'~".repeat(85)).unwrap();
    let request = |text: &str| {
        let facts = json::object([("text", Value::from(text))]);
        DecisionRequest {
            facts,
            ..samples::request()
        }
    };
    let room = CARRIED_LIMIT - request("").canonical().len();
    let text = "\u{1F600}'e\u{301}".repeat(room / 8) + &"x".repeat(room % 8);
    let carried = Carried::of(&key, &request(&text)).unwrap();
    assert_eq!(Carried::of(&key, &request(&(text.clone() + "x"))), None);
    assert_eq!(carried.request(), Ok(request(&text)));
    let carried = carried.traced(trace());
    let record = Record {
        state: State::Processing {
            hold: Hold::Queued,
            keep: Keep::Carrying(carried),
        },
        ..samples::queued()
    };
    place(&store, &record).await;
    assert_stands(&store, &record, found(&record)).await;
}

/// Up to the largest result, which is by reference.
pub async fn extreme_decisions_come_back_as_they_were<H: Harness>() {
    let large = Verdict {
        outcome: "x".repeat(RESULT_LIMIT),
        ..samples::verdict()
    };
    let late = the_end();
    let decisions = verdicts().into_iter().chain([large]).flat_map(|verdict| {
        let short = DecisionItem {
            verdict,
            key: IdempotencyKey::parse("k").unwrap(),
            subject: Subject::parse("s").unwrap(),
            retained_until: None,
            ..samples::decision()
        };
        let long = DecisionItem {
            tenant: Tenant::parse(&"t".repeat(256)).unwrap(),
            key: IdempotencyKey::parse(&"\"'~".repeat(85)).unwrap(),
            subject: Subject::parse(&"\u{1F600}".repeat(256)).unwrap(),
            evaluated_at: late,
            expiry: Expiry {
                result: Timestamp::EPOCH,
                key: late,
            },
            retained_until: Some(late),
            ..short.clone()
        };
        [short, long]
    });
    for decision in decisions {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &samples::record(samples::processing())).await;
        let commit = Commit {
            decision: decision.clone(),
            ..samples::commit(Vec::new())
        };
        assert_eq!(store.commit(&commit).await, Answer::Applied);
        let read = store.read_decision(&decision.id).await;
        assert_eq!(read, Ok(Read::Found(Box::new(decision))));
    }
}

fn trace() -> Option<TraceParent> {
    TraceParent::beginning_with("8476a536-e9f4-11e8-9739-2dfe598c3fcd")
}

/// Up to the largest event.
pub async fn extreme_rows_come_back_as_they_were<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    place(&store, &samples::record(samples::processing())).await;
    let row = |index: u32, text: &str, time: Timestamp| -> OutboxRow {
        let event = Event {
            kind: text.to_owned(),
            source: text.to_owned(),
            subject: text.to_owned(),
            data: text.to_owned(),
            time,
            ..samples::row(index).event
        };
        event.into_row(index)
    };
    let mut traced = row(2, "traced", at(NOW));
    traced.event.trace = trace();
    let events = vec![
        traced,
        row(0, "", Timestamp::EPOCH),
        row(1, AWKWARD, at(NOW)),
        row(u32::MAX, &"x".repeat(RESULT_LIMIT / 4), the_end()),
    ];
    let commit = Commit {
        events: events.clone(),
        ..samples::commit(Vec::new())
    };
    assert_eq!(store.commit(&commit).await, Answer::Applied);
    for row in events {
        let read = store.read_row(&row.event.id).await;
        assert_eq!(read, Ok(Read::Found(Box::new(row))));
    }
}
