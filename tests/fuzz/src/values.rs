//! Stored values of any content: what is written is read back.

use std::fmt::Debug;

use decide_once_dynamodb::items::{Item, claim, decision, mark, operation, outbox};
use decide_once_protocol::answer::{StoredAnswer, Verdict};
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::hash::hex;
use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::inbox::{Mark, MarkState};
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::outbox::{Delivery, Event, Marker, OutboxRow};
use decide_once_protocol::record::{
    Carried, Expiry, Fence, FinalCode, FinalFailure, Hold, Keep, PolicyPin, Record, RetryCause,
    State,
};
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};
use decide_once_protocol::scope::Tenant;
use decide_once_protocol::trace::TraceParent;
use decide_once_protocol::writes::Unreadable;
use decide_once_tests::samples;

use crate::bytes::Bytes;

/// Each kind of item: `decode(encode(x)) = x`.
///
/// # Panics
/// That does not hold.
pub fn target(data: &[u8]) {
    let mut bytes = Bytes(data);
    match bytes.byte() % 5 {
        0 => comes_back(&record(&mut bytes), operation::encode, operation::decode),
        1 => comes_back(&decided(&mut bytes), decision::encode, decision::decode),
        2 => comes_back(&row(&mut bytes), outbox::encode, outbox::decode),
        3 => comes_back(&marked(&mut bytes), mark::encode, mark::decode),
        _ => {
            let expiry = bytes.flag().then(|| bytes.instant());
            let name = format!("n{}", bytes.text());
            let claimed = samples::claim(&name, expiry);
            assert_eq!(
                claim::holder(&claim::encode(&claimed)),
                Ok(claimed.decision)
            );
        }
    }
}

fn comes_back<T: PartialEq + Debug>(
    value: &T,
    encode: impl Fn(&T) -> Item,
    decode: impl Fn(&Item) -> Result<T, Unreadable>,
) {
    assert_eq!(decode(&encode(value)).as_ref(), Ok(value));
}

fn record(bytes: &mut Bytes<'_>) -> Record {
    let state = state(bytes);
    let is_queued = matches!(
        &state,
        State::Processing {
            hold: Hold::Queued,
            ..
        }
    );
    let created = bytes.instant();
    Record {
        tenant: bytes.parsed(|tenant| Tenant::parse(tenant).ok(), samples::tenant()),
        pin: pin(bytes),
        decision: DecisionId::from_random(bytes.array()),
        fence: Fence {
            owner: OwnerToken::from_random(bytes.array()),
            // Queued is attempt 0, and only that.
            attempt: if is_queued { 0 } else { bytes.number().max(1) },
        },
        forgiven: bytes.number(),
        created,
        updated: if bytes.flag() {
            created
        } else {
            bytes.instant()
        },
        ..samples::record(state)
    }
}

fn state(bytes: &mut Bytes<'_>) -> State {
    match bytes.byte() % 5 {
        0 => State::Processing {
            hold: Hold::Queued,
            keep: Keep::Carrying(carried(bytes)),
        },
        1 => State::Processing {
            hold: Hold::Leased(bytes.instant()),
            keep: keep(bytes),
        },
        2 => State::Succeeded {
            answer: StoredAnswer {
                digest: bytes.array(),
                inline: bytes.flag().then(|| verdict(bytes)),
            },
            expiry: expiry(bytes),
        },
        3 => {
            let causes = [
                RetryCause::Store,
                RetryCause::Deadline,
                RetryCause::Inconsistent,
            ];
            State::FailedRetryable {
                cause: *bytes.pick(&causes),
                keep: keep(bytes),
            }
        }
        _ => {
            let codes = [
                FinalCode::DecisionFailed,
                FinalCode::ResultTooLarge,
                FinalCode::AttemptsExhausted,
                FinalCode::AlreadyDecided(DecisionId::from_random(bytes.array())),
            ];
            let code = bytes.pick(&codes).clone();
            let detail = bytes.text();
            State::FailedFinal {
                failure: FinalFailure { code, detail },
                expiry: expiry(bytes),
            }
        }
    }
}

fn keep(bytes: &mut Bytes<'_>) -> Keep {
    if bytes.flag() {
        Keep::Carrying(carried(bytes))
    } else {
        Keep::Until(bytes.instant())
    }
}

fn carried(bytes: &mut Bytes<'_>) -> Carried {
    Carried::from_parts(key(bytes), &bytes.text())
}

fn key(bytes: &mut Bytes<'_>) -> IdempotencyKey {
    bytes.parsed(|key| IdempotencyKey::parse(key).ok(), samples::key())
}

fn pin(bytes: &mut Bytes<'_>) -> PolicyPin {
    PolicyPin {
        id: bytes.parsed(|id| PolicyId::parse(id).ok(), samples::pin().id),
        version: PolicyVersion::new(bytes.number().max(1)).unwrap(),
        digest: bytes.array(),
    }
}

fn expiry(bytes: &mut Bytes<'_>) -> Expiry {
    Expiry {
        result: bytes.instant(),
        key: bytes.instant(),
    }
}

fn verdict(bytes: &mut Bytes<'_>) -> Verdict {
    Verdict {
        rule: bytes.text(),
        outcome: bytes.text(),
        event_types: bytes.some(5, Bytes::text),
    }
}

fn decided(bytes: &mut Bytes<'_>) -> DecisionItem {
    let sample = samples::decision();
    DecisionItem {
        tenant: bytes.parsed(|tenant| Tenant::parse(tenant).ok(), samples::tenant()),
        key: key(bytes),
        subject: bytes.parsed(
            |subject| Subject::parse(subject).ok(),
            sample.subject.clone(),
        ),
        pin: pin(bytes),
        verdict: verdict(bytes),
        evaluated_at: bytes.instant(),
        expiry: expiry(bytes),
        retained_until: bytes.flag().then(|| bytes.instant()),
        ..sample
    }
}

fn row(bytes: &mut Bytes<'_>) -> OutboxRow {
    let mut event = Event {
        id: DecisionId::from_random(bytes.array()).event(bytes.number()),
        kind: bytes.text(),
        source: bytes.text(),
        subject: bytes.text(),
        time: bytes.instant(),
        pin: pin(bytes),
        data: bytes.text(),
        trace: None,
    };
    let delivery = match bytes.byte() % 3 {
        0 => Delivery::Undelivered(Marker {
            since: bytes.instant(),
            number: bytes.number(),
        }),
        1 => Delivery::Delivered {
            at: bytes.instant(),
        },
        _ => Delivery::Quarantined {
            since: bytes.instant(),
            reason: bytes.text(),
        },
    };
    event.trace = TraceParent::beginning_with(&hex(&bytes.array::<16>()));
    OutboxRow { event, delivery }
}

fn marked(bytes: &mut Bytes<'_>) -> Mark {
    let state = if bytes.flag() {
        MarkState::Done {
            until: bytes.instant(),
        }
    } else {
        MarkState::Claimed {
            owner: OwnerToken::from_random(bytes.array()),
            lapses: bytes.instant(),
        }
    };
    Mark {
        id: samples::mark_id(),
        state,
    }
}
