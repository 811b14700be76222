//! What a first request and a replay cost in bytes: the real decide path under the shipped policy, and the bodies that it sends.

use std::path::Path;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_dynamodb::items::{Item, operation, outbox};
use decide_once_policy::PolicySet;
use decide_once_protocol::request::DecisionRequest;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::trace::TraceParent;
use decide_once_service::limits::Limits;
use decide_once_service::memory::MemoryStore;
use decide_once_service::ports::{Clock, Mismatches, Store};
use decide_once_service::reply::Reply as Told;
use decide_once_service::settings::Settings;
use decide_once_service::system::SystemIds;
use decide_once_service::{Answers, Budget, Call, Decider, Respond};
use decide_once_tests::samples::{self, NOW, at, scope};

use crate::replay::{Replay, Reply};

/// Issue "1. Decide once": request bodies of a first request stay below 2.5 KB in all.
const BUDGET: usize = 2_500;

/// DynamoDB charges a refused write by the stored item, a write unit for each KB begun.
const WRITE_UNIT: usize = 1_024;

/// The request of the README: tenant `t-alpha`, a key of 36 characters.
const BODY: &str = r#"{"policy":"credit-limit","version":3,"subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        at(NOW + 123)
    }
}

/// Decides the README's request on a store that has nothing yet.
async fn decide_on(store: impl Store + Mismatches) {
    decide_in(None, store).await;
}

/// The same, in a trace.
async fn decide_in(trace: Option<TraceParent>, store: impl Store + Mismatches) {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
    let decider = Decider {
        store,
        clock: Noon,
        ids: SystemIds,
        policies: PolicySet::load(&policies).unwrap(),
        settings: Settings::default(),
        limits: Limits::default(),
        answers: Answers::default(),
    };
    let call = Call {
        scope: scope(),
        request: DecisionRequest::parse(BODY.as_bytes()).unwrap(),
        respond: Respond::Now,
        trace,
    };
    let budget = Budget {
        deadline: Noon.now().plus(Duration::from_secs(30)),
        wait: Duration::ZERO,
    };
    let outcome = decider.decide(&call, budget).await;
    assert!(
        matches!(
            outcome.reply,
            Told::Decided {
                replayed: false,
                ..
            }
        ),
        "{outcome:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_bodies_of_a_first_request_stay_within_the_budget() {
    let bodies = bodies(None).await;
    for body in &bodies {
        println!("{} bytes: {body}\n", body.len());
    }
    let total: usize = bodies.iter().map(String::len).sum();
    println!("{total} bytes in all; the budget is {BUDGET}");
    assert_eq!(bodies.len(), 2, "one PutItem and one TransactWriteItems");
    assert!(total < BUDGET, "{total} bytes");
}

/// A trace is written once for each event, and for nothing else: no unit more.
#[tokio::test(start_paused = true)]
async fn a_trace_costs_its_text_once_an_event() {
    let trace = TraceParent::beginning_with("8476a536-e9f4-11e8-9739-2dfe598c3fcd");
    let (untraced, traced) = (bodies(None).await, bodies(trace).await);
    let more = traced.concat().len() - untraced.concat().len();
    assert_eq!(more, r#","trace":{"S":""}"#.len() + TraceParent::LENGTH);
    assert!(
        !traced[0].contains(&trace.unwrap().id()),
        "not in the record"
    );
    assert_eq!(traced[1].matches(&trace.unwrap().to_string()).count(), 1);
    let mut row = samples::row(0);
    row.event.trace = trace;
    assert!(item_size(&outbox::encode(&row)) < WRITE_UNIT);
}

/// The bodies of a first request.
async fn bodies(trace: Option<TraceParent>) -> Vec<String> {
    let replay = Replay::of([Reply::ok(), Reply::ok()]);
    decide_in(trace, replay.store()).await;
    replay.sent()
}

#[tokio::test(start_paused = true)]
async fn a_replay_is_charged_one_write_unit() {
    let store = MemoryStore::new();
    decide_on(store.clone()).await;
    let size = item_size(&operation::encode(&store.operations()[0]));
    println!("the record after the commit has {size} bytes");
    assert!(size < WRITE_UNIT, "{size} bytes");
}

/// An item's size for capacity: names and values in UTF-8 or raw bytes, a number about a byte for each two digits and one more
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>).
fn item_size(item: &Item) -> usize {
    let size = |value: &AttributeValue| match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => digits.len().div_ceil(2) + 1,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        other => panic!("records have no {other:?}"),
    };
    item.iter()
        .map(|(name, value)| name.len() + size(value))
        .sum()
}
