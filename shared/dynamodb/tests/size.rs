//! What a first request and a replay cost in bytes, from the bodies that are really sent.

#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use decide_once_dynamodb::items::{Item, operation};
use decide_once_policy::{Evaluation, Policy, PolicySet};
use decide_once_protocol::answer::Verdict;
use decide_once_protocol::classify::{Caller, Sameness};
use decide_once_protocol::fingerprint::{self, Scheme};
use decide_once_protocol::flow::{Decision, EventDraft, Moment, Reserver, Step, TRIES};
use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::members::Members;
use decide_once_protocol::record::{Identity, PolicyPin, Record, Retention, Seed, Terms};
use decide_once_protocol::writes::Answer;
use decide_once_service::ports::Store;
use decide_once_tests::samples::{NOW, at, key, lease, request, scope, tenant};
use support::replay::{Replay, Reply};

/// Issue "1. Decide once": request bodies of a first request stay below 2.5 KB in all.
const BUDGET: usize = 2_500;

/// DynamoDB charges a refused write by the stored item, a write unit for each KB begun.
const WRITE_UNIT: usize = 1_024;

/// The shipped credit-limit policy, its active version.
struct Shipped {
    policies: PolicySet,
}

impl Shipped {
    fn load() -> Self {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
        Self {
            policies: PolicySet::load(&dir).unwrap(),
        }
    }

    fn policy(&self) -> &Policy {
        let id = request().policy;
        self.policies
            .get(&id, self.policies.active(&id).unwrap())
            .unwrap()
    }

    fn pin(&self) -> PolicyPin {
        let Policy {
            id,
            version,
            digest,
            ..
        } = self.policy();
        PolicyPin {
            id: id.clone(),
            version: *version,
            digest: *digest,
        }
    }

    fn retention(&self) -> Retention {
        let kept = &self.policy().retention;
        Retention {
            result: kept.result,
            key: kept.key,
            decision: kept.decision,
        }
    }
}

impl Caller for Shipped {
    fn sameness(&self, _: &Record) -> Sameness {
        Sameness::Same
    }

    fn retention(&self, _: &PolicyPin) -> Option<Retention> {
        Some(self.retention())
    }
}

impl Reserver for Shipped {
    fn reservation(&self, moment: &Moment) -> Option<Record> {
        let (request, scope, pin) = (request(), scope(), self.pin());
        let facts = self.policy().normalise(&request.facts).unwrap();
        let identity = Identity {
            scheme: Scheme::CURRENT,
            exact: fingerprint::exact(Scheme::CURRENT, &scope.operation, &request),
            normalised: fingerprint::normalised(
                Scheme::CURRENT,
                &scope.operation,
                &pin.id,
                pin.version,
                &request.subject,
                facts.identity(),
            ),
            members: Members::of(b"salt", &request),
        };
        let seed = Seed {
            operation: scope.operation_id(),
            tenant: tenant(),
            identity,
            pin,
            decision: DecisionId::from_random([0x5a; 16]),
        };
        let terms = Terms {
            now: moment.now,
            lease_until: moment.lease_until,
            retention: self.retention(),
        };
        Some(Record::reserved(seed, moment.owner, terms))
    }
}

/// A first request, through the protocol's own steps: what was sent, and the record that stands afterwards.
async fn first_request() -> (Vec<String>, Record) {
    let shipped = Shipped::load();
    let replay = Replay::of([Reply::ok(), Reply::ok()]);
    let store = replay.store();
    let moment = Moment {
        now: at(NOW + 123),
        owner: OwnerToken::from_random([0xf3; 16]),
        lease_until: at(NOW).plus(lease()),
    };
    let Step::Claim(claim) = Step::begin(&shipped, &moment, TRIES) else {
        panic!("a first request begins with a claim");
    };
    let decide_once_protocol::flow::ClaimWrite::Reserve(reserve) = claim.write() else {
        panic!("and the claim is a reservation");
    };
    assert_eq!(store.reserve(reserve).await, Answer::Applied);
    let Step::Evaluate(reservation) = claim.settle(Answer::Applied, &shipped, &moment) else {
        panic!("which is granted");
    };
    let Step::Commit(decided) = reservation.decide(decision(shipped.policy()), at(NOW + 130))
    else {
        panic!("and decided");
    };
    assert_eq!(store.commit(decided.commit()).await, Answer::Applied);
    (replay.sent(), decided.commit().operation.next.clone())
}

fn decision(policy: &Policy) -> Decision {
    let request = request();
    let facts = policy.normalise(&request.facts).unwrap();
    let Evaluation::Decided {
        rule,
        outcome,
        events,
        ..
    } = policy.evaluate(&facts, &request.subject, NOW + 130)
    else {
        panic!("the request of the README is decided");
    };
    Decision {
        verdict: Verdict {
            rule,
            outcome: outcome.to_json(),
            event_types: events.iter().map(|event| event.r#type.clone()).collect(),
        },
        events: events
            .into_iter()
            .map(|event| EventDraft {
                kind: event.r#type,
                data: event.data.to_json(),
            })
            .collect(),
        claims: Vec::new(),
        key: key(),
        subject: request.subject,
        source: "urn:decide-once:t-alpha".to_owned(),
    }
}

#[tokio::test]
async fn the_bodies_of_a_first_request_stay_within_the_budget() {
    let (bodies, _) = first_request().await;
    for body in &bodies {
        println!("{} bytes: {body}\n", body.len());
    }
    let total: usize = bodies.iter().map(String::len).sum();
    println!("{total} bytes in all; the budget is {BUDGET}");
    assert_eq!(bodies.len(), 2, "one PutItem and one TransactWriteItems");
    assert!(total < BUDGET, "{total} bytes");
}

#[tokio::test]
async fn a_replay_is_charged_one_write_unit() {
    let (_, record) = first_request().await;
    let size = item_size(&operation::encode(&record));
    println!("the record after the commit has {size} bytes");
    assert!(size < WRITE_UNIT, "{size} bytes");
}

/// An item's size for capacity: names and values in UTF-8 or raw bytes, a number about a byte for each two digits and one more
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>).
fn item_size(item: &Item) -> usize {
    use aws_sdk_dynamodb::types::AttributeValue;
    item.iter()
        .map(|(name, value)| {
            name.len()
                + match value {
                    AttributeValue::S(text) => text.len(),
                    AttributeValue::N(digits) => digits.len().div_ceil(2) + 1,
                    AttributeValue::B(bytes) => bytes.as_ref().len(),
                    other => panic!("records have no {other:?}"),
                }
        })
        .sum()
}
