//! Things that are stored: records of every state, decisions, events, claims, and the writes that bring them there.

use std::time::Duration;

use decide_once_protocol::answer::{StoredAnswer, Verdict};
use decide_once_protocol::decision::{ClaimId, DecisionItem, NaturalClaim};
use decide_once_protocol::fingerprint::{Fingerprint, Scheme};
use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::inbox::{ConsumerName, EventName, MarkId};
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::members::Members;
use decide_once_protocol::outbox::{Event, OutboxRow};
use decide_once_protocol::record::{
    Carried, Expiry, Fence, FinalCode, FinalFailure, Hold, Identity, Keep, PolicyPin, Record,
    RetryCause, State,
};
use decide_once_protocol::request::{DecisionRequest, PolicyId, PolicyVersion, Subject};
use decide_once_protocol::scope::{DECIDE, OperationName, Scope, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Commit, Reserve, Seen, Transition, vacant_before};

/// The instant at which the samples begin, in ms.
pub const NOW: i64 = 1_796_083_200_000;

/// The instant `ms` milliseconds after the epoch.
#[must_use]
pub fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

/// A tenant.
#[must_use]
pub fn tenant() -> Tenant {
    Tenant::parse("t-alpha").unwrap()
}

/// A key of 36 characters.
#[must_use]
pub fn key() -> IdempotencyKey {
    IdempotencyKey::parse("0190b5a6-6f1c-7d2e-8a3b-4c5d6e7f8091").unwrap()
}

/// The scope of [`key`].
#[must_use]
pub fn scope() -> Scope {
    Scope {
        tenant: tenant(),
        operation: OperationName::parse(DECIDE).unwrap(),
        key: key(),
    }
}

/// A policy version.
#[must_use]
pub fn pin() -> PolicyPin {
    PolicyPin {
        id: PolicyId::parse("credit-limit").unwrap(),
        version: PolicyVersion::new(3).unwrap(),
        digest: [0xd1; 32],
    }
}

/// The fence of an attempt; each attempt has its own owner.
#[must_use]
pub fn fence(attempt: u32) -> Fence {
    let owner = OwnerToken::from_random([u8::try_from(attempt).unwrap(); 16]);
    Fence { owner, attempt }
}

/// The request that the records belong to.
#[must_use]
pub fn request() -> DecisionRequest {
    DecisionRequest::parse(
        br#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#,
    )
    .unwrap()
}

/// A result of a day and a key of three.
#[must_use]
pub fn expiry() -> Expiry {
    Expiry {
        result: at(NOW + 86_400_000),
        key: at(NOW + 259_200_000),
    }
}

/// A record of attempt 2 in this state.
#[must_use]
pub fn record(state: State) -> Record {
    Record {
        operation: scope().operation_id(),
        tenant: tenant(),
        identity: Identity {
            scheme: Scheme::V1,
            exact: Fingerprint::from_bytes([0xe1; 32]),
            normalised: Fingerprint::from_bytes([0xa2; 32]),
            members: Members::of(b"salt", &request()),
        },
        pin: pin(),
        decision: DecisionId::from_random([7; 16]),
        fence: fence(2),
        forgiven: 1,
        created: at(NOW),
        updated: at(NOW + 1_500),
        state,
    }
}

/// Leased for half a minute.
#[must_use]
pub fn processing() -> State {
    State::Processing {
        hold: Hold::Leased(at(NOW + 31_000)),
        keep: kept(),
    }
}

/// Kept until the key is retired.
#[must_use]
pub fn kept() -> Keep {
    Keep::Until(at(NOW + 259_200_000))
}

/// Kept while it carries [`request`].
#[must_use]
pub fn carrying() -> Keep {
    Keep::Carrying(Carried::of(&key(), &request()).unwrap())
}

/// Queued at [`NOW`].
#[must_use]
pub fn queued() -> Record {
    Record {
        fence: fence(0),
        forgiven: 0,
        updated: at(NOW),
        ..record(State::Processing {
            hold: Hold::Queued,
            keep: carrying(),
        })
    }
}

/// An approval with one event.
#[must_use]
pub fn verdict() -> Verdict {
    Verdict {
        rule: "standard".to_owned(),
        outcome: r#"{"decision":"approve","limit":25000,"currency":"USD"}"#.to_owned(),
        event_types: vec!["com.example.credit-limit.decided".to_owned()],
    }
}

/// Decided; the verdict is inline or by reference.
#[must_use]
pub fn succeeded(inline: bool) -> State {
    State::Succeeded {
        answer: StoredAnswer {
            digest: [0xda; 32],
            inline: inline.then(verdict),
        },
        expiry: expiry(),
    }
}

/// Failed for good.
#[must_use]
pub fn failed(code: FinalCode) -> State {
    let detail = "no rule matched".to_owned();
    State::FailedFinal {
        failure: FinalFailure { code, detail },
        expiry: expiry(),
    }
}

/// A record of every state and kind, with a name for each.
#[must_use]
pub fn records() -> Vec<(&'static str, Record)> {
    let retryable = |cause| State::FailedRetryable {
        cause,
        keep: kept(),
    };
    let fresh = Record {
        fence: fence(1),
        forgiven: 0,
        updated: at(NOW),
        ..record(processing())
    };
    let other = DecisionId::from_random([9; 16]);
    vec![
        ("processing-reserved", fresh),
        ("processing-taken-over", record(processing())),
        ("processing-queued", queued()),
        (
            "processing-carrying",
            record(State::Processing {
                hold: Hold::Leased(at(NOW + 31_000)),
                keep: carrying(),
            }),
        ),
        (
            "failed-retryable-carrying",
            record(State::FailedRetryable {
                cause: RetryCause::Store,
                keep: carrying(),
            }),
        ),
        ("succeeded", record(succeeded(true))),
        ("succeeded-by-reference", record(succeeded(false))),
        (
            "failed-retryable-store",
            record(retryable(RetryCause::Store)),
        ),
        (
            "failed-retryable-deadline",
            record(retryable(RetryCause::Deadline)),
        ),
        (
            "failed-retryable-inconsistent",
            record(retryable(RetryCause::Inconsistent)),
        ),
        ("failed-final", record(failed(FinalCode::DecisionFailed))),
        (
            "failed-final-too-large",
            record(failed(FinalCode::ResultTooLarge)),
        ),
        (
            "failed-final-exhausted",
            record(failed(FinalCode::AttemptsExhausted)),
        ),
        (
            "failed-final-already-decided",
            record(failed(FinalCode::AlreadyDecided(other))),
        ),
    ]
}

/// The decision of the records.
#[must_use]
pub fn decision() -> DecisionItem {
    DecisionItem {
        id: DecisionId::from_random([7; 16]),
        tenant: tenant(),
        operation: scope().operation_id(),
        key: key(),
        subject: Subject::parse("acct-42").unwrap(),
        pin: pin(),
        verdict: verdict(),
        evaluated_at: at(NOW + 1_500),
        expiry: expiry(),
        retained_until: Some(at(NOW + 34_560_000_000)),
    }
}

/// An undelivered event of [`decision`].
#[must_use]
pub fn row(index: u32) -> OutboxRow {
    let event = Event {
        id: DecisionId::from_random([7; 16]).event(index),
        kind: "com.example.credit-limit.decided".to_owned(),
        source: "urn:decide-once:t-alpha".to_owned(),
        subject: "acct-42".to_owned(),
        time: at(NOW + 1_500),
        pin: pin(),
        data: r#"{"decision":"approve"}"#.to_owned(),
        trace: None,
    };
    event.into_row(index)
}

/// A natural-key claim by [`decision`].
#[must_use]
pub fn claim(name: &str, expiry: Option<Timestamp>) -> NaturalClaim {
    let operation = OperationName::parse(DECIDE).unwrap();
    NaturalClaim {
        id: ClaimId::of(&tenant(), &operation, name, &["\"4711\"".to_owned()]).unwrap(),
        name: name.to_owned(),
        decision: DecisionId::from_random([7; 16]),
        expiry,
    }
}

/// A first reservation.
#[must_use]
pub fn reserve() -> Reserve {
    Reserve {
        record: Record {
            fence: fence(1),
            forgiven: 0,
            updated: at(NOW),
            ..record(processing())
        },
        vacant_before: vacant_before(at(NOW)),
    }
}

/// A commit with one event and these claims.
#[must_use]
pub fn commit(claims: Vec<NaturalClaim>) -> Commit {
    Commit {
        operation: Transition {
            expected: Seen::of(&record(processing())),
            next: record(succeeded(true)),
        },
        decision: decision(),
        events: vec![row(0)],
        claims,
        vacant_before: vacant_before(at(NOW)),
    }
}

/// Attempt 2 is given up for now.
#[must_use]
pub fn release() -> Transition {
    let cause = RetryCause::Deadline;
    Transition {
        expected: Seen::of(&record(processing())),
        next: record(State::FailedRetryable {
            cause,
            keep: kept(),
        }),
    }
}

/// How long a lease is.
#[must_use]
pub fn lease() -> Duration {
    Duration::from_secs(31)
}

/// A consumer's mark of the event of [`row`].
#[must_use]
pub fn mark_id() -> MarkId {
    let event = row(0).event;
    let consumer = ConsumerName::parse("balances").unwrap();
    MarkId::of(
        &consumer,
        &EventName::new(&event.source, event.id.as_str()).unwrap(),
    )
}
