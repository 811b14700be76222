//! The edge of each condition: right before, at, and right after the instant or number where it turns.
//!
//! The models explore orders of events; a comparison that is off by one they may pass by. `tests/mutants` changes the conditions one at a time, and
//! these tests are those that have to notice.

#![expect(clippy::unwrap_used, reason = "tests")]

mod classifier;
mod conditions;
mod flow;
mod inbox;
mod lanes;
mod outbox;
mod records;
mod remembered;
mod times;

use std::time::Duration;

use crate::answer::{StoredAnswer, Verdict};
use crate::classify::{Caller, Sameness};
use crate::fingerprint::{Fingerprint, Scheme};
use crate::flow::{Moment, Reserver};
use crate::ids::{DecisionId, OwnerToken};
use crate::key::IdempotencyKey;
use crate::members::Members;
use crate::record::{
    Carried, Expiry, Fence, FinalCode, FinalFailure, Hold, Identity, Keep, PolicyPin, Record,
    Retention, RetryCause, Seed, State, Terms,
};
use crate::request::{DecisionRequest, PolicyId, PolicyVersion};
use crate::scope::{DECIDE, OperationName, Scope, Tenant};
use crate::time::Timestamp;

/// The instant of every first write here, in ms.
const NOW: i64 = 1_796_083_200_000;
const LEASE: i64 = NOW + 31_000;
const RESULT: i64 = NOW + 3_600_000;
const KEY: i64 = NOW + 7_200_000;
/// What clocks may differ by, in ms.
const MARGIN: i64 = 300_000;

const RETENTION: Retention = Retention {
    result: Duration::from_secs(3_600),
    key: Duration::from_secs(7_200),
    decision: None,
};

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

fn owner(number: u8) -> OwnerToken {
    OwnerToken::from_random([number; 16])
}

fn key() -> IdempotencyKey {
    IdempotencyKey::parse("k-1").unwrap()
}

fn request() -> DecisionRequest {
    DecisionRequest::parse(br#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":1}}"#)
        .unwrap()
}

fn carried() -> Carried {
    Carried::of(&key(), &request()).unwrap()
}

fn pin() -> PolicyPin {
    PolicyPin {
        id: PolicyId::parse("credit-limit").unwrap(),
        version: PolicyVersion::new(3).unwrap(),
        digest: [7; 32],
    }
}

fn seed() -> Seed {
    let scope = Scope {
        tenant: Tenant::parse("t-alpha").unwrap(),
        operation: OperationName::parse(DECIDE).unwrap(),
        key: key(),
    };
    Seed {
        operation: scope.operation_id(),
        tenant: scope.tenant,
        identity: Identity {
            scheme: Scheme::V1,
            exact: Fingerprint::from_bytes([1; 32]),
            normalised: Fingerprint::from_bytes([2; 32]),
            members: Members::of(b"salt", &request()),
        },
        pin: pin(),
        decision: DecisionId::from_random([3; 16]),
    }
}

fn terms(now: i64) -> Terms {
    Terms {
        now: at(now),
        lease_until: at(now + 31_000),
        retention: RETENTION,
    }
}

/// Attempt 1 of owner 1, leased until [`LEASE`].
fn reserved() -> Record {
    Record::reserved(seed(), owner(1), terms(NOW))
}

fn queued() -> Record {
    Record::queued(seed(), owner(1), at(NOW), carried())
}

const EXPIRY: fn() -> Expiry = || Expiry {
    result: at(RESULT),
    key: at(KEY),
};

fn verdict() -> Verdict {
    Verdict {
        rule: "standard".to_owned(),
        outcome: r#"{"decision":"approve"}"#.to_owned(),
        event_types: vec!["a".to_owned(), "bcd".to_owned()],
    }
}

fn succeeded() -> Record {
    let inline = Some(verdict());
    let answer = StoredAnswer {
        digest: [9; 32],
        inline,
    };
    reserved().succeeded(answer, at(NOW), EXPIRY())
}

fn failed() -> Record {
    let failure = FinalFailure {
        code: FinalCode::DecisionFailed,
        detail: "no rule matched".to_owned(),
    };
    reserved().failed(failure, at(NOW), RETENTION)
}

fn given_up() -> Record {
    reserved().released(RetryCause::Deadline, at(NOW))
}

/// A record of this attempt, of which none is forgiven.
fn in_attempt(attempt: u32, record: Record) -> Record {
    let fence = Fence {
        attempt,
        ..record.fence
    };
    Record { fence, ..record }
}

fn leased_while_carrying() -> Record {
    queued().taken_over(owner(2), terms(NOW))
}

fn is_carrying(record: &Record) -> bool {
    matches!(
        &record.state,
        State::Processing {
            keep: Keep::Carrying(_),
            ..
        } | State::FailedRetryable {
            keep: Keep::Carrying(_),
            ..
        }
    )
}

fn lease_of(record: &Record) -> Option<Timestamp> {
    match record.state {
        State::Processing {
            hold: Hold::Leased(lease),
            ..
        } => Some(lease),
        _ => None,
    }
}

/// A caller whose request is the record's, or as it says.
struct Asks(Sameness);

impl Caller for Asks {
    fn sameness(&self, _: &Record) -> Sameness {
        self.0.clone()
    }

    fn retention(&self, _: &PolicyPin) -> Option<Retention> {
        Some(RETENTION)
    }

    fn queue_patience(&self) -> Duration {
        Duration::from_secs(10)
    }
}

impl Reserver for Asks {
    fn reservation(&self, moment: &Moment) -> Option<Record> {
        let terms = Terms {
            now: moment.now,
            lease_until: moment.lease_until,
            retention: RETENTION,
        };
        Some(Record::reserved(seed(), moment.owner, terms))
    }
}

const SAME: Asks = Asks(Sameness::Same);
