//! Cases of a store in trouble: the decide path over the adapter, the unchanged SDK, a proxy that shows faults, and the engine.

use std::path::Path;
use std::time::Duration;

use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::{Client, types::KeyType};
use decide_once::proxy::{ApiCall, Calls, Fault, Proxy, StoreFault};
use decide_once_dynamodb::DynamoStore;
use decide_once_policy::PolicySet;
use decide_once_protocol::request::DecisionRequest;
use decide_once_protocol::time::Timestamp;
use decide_once_service::limits::Limits;
use decide_once_service::ports::{Clock, Store};
use decide_once_service::profile::Profile;
use decide_once_service::reply::{Outcome, Reply};
use decide_once_service::settings::Settings;
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Budget, Call, Decider, Respond};
use decide_once_tests::{eventually, samples};

use crate::engine::{Running, client_at, store};

const COMMIT: ApiCall = ApiCall::TransactWriteItems;

struct World {
    running: Running,
    proxy: Proxy,
    decider: Decider<DynamoStore, SystemClock, SystemIds>,
}

impl World {
    async fn start() -> Self {
        Self::with(|client| client).await
    }

    async fn with(adjust: impl FnOnce(Client) -> Client) -> Self {
        let running = Running::start();
        let proxy = Proxy::start(&running.endpoint()).await.unwrap();
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        let decider = Decider {
            store: store(adjust(client_at(&proxy.endpoint()))),
            clock: SystemClock,
            ids: SystemIds,
            policies: PolicySet::load(&policies).unwrap(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::default(),
        };
        Self {
            running,
            proxy,
            decider,
        }
    }

    fn arm(&self, call: ApiCall, fault: Fault, times: u32) {
        self.proxy
            .arm(StoreFault::next(call, fault).times(times))
            .unwrap();
    }

    /// One call with the sample key and this body, and the calls to the store that it took.
    async fn post(&self, body: &str) -> (Outcome, Calls) {
        let call = Call {
            scope: samples::scope(),
            request: DecisionRequest::parse(body.as_bytes()).unwrap(),
            respond: Respond::Now,
            trace: None,
        };
        let budget = Budget {
            deadline: self.in_30_seconds(),
            wait: Duration::ZERO,
        };
        let mark = self.proxy.mark();
        let outcome = self.decider.decide(&call, budget).await;
        (outcome, self.proxy.since(&mark))
    }

    fn in_30_seconds(&self) -> Timestamp {
        self.decider.clock.now().plus(Duration::from_secs(30))
    }

    /// A first request that has to end with a decision of its own, and only one.
    async fn is_created(&self) -> Calls {
        let (outcome, calls) = self.post(BODY).await;
        assert_eq!(decided(&outcome), Some(false), "{outcome:?}");
        assert_eq!(
            self.proxy.pending_faults(),
            0,
            "every armed fault was shown"
        );
        assert_eq!(self.count("decisions").await, 1);
        assert_eq!(self.count("outbox").await, 1);
        let (replay, _) = self.post(BODY).await;
        assert_eq!(decided(&replay), Some(true));
        calls
    }

    async fn count(&self, table: &str) -> i32 {
        let scan = self.running.client().scan().table_name(table);
        scan.consistent_read(true).send().await.unwrap().count()
    }
}

const BODY: &str = r#"{"policy":"credit-limit","version":3,"subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

/// Whether it is a decision, and then whether it was decided before.
fn decided(outcome: &Outcome) -> Option<bool> {
    match outcome.reply {
        Reply::Decided { replayed, .. } => Some(replayed),
        Reply::InProgress { .. } | Reply::Problem(_) => None,
    }
}

#[tokio::test]
async fn a_first_request_takes_2_calls_within_2500_bytes_a_replay_1_a_mismatch_1() {
    let world = World::start().await;
    let first = world.is_created().await;
    assert_eq!(
        (first.of("PutItem"), first.of("TransactWriteItems")),
        (1, 1)
    );
    assert_eq!(first.total().calls, 2);
    assert!(first.total().request_bytes < 2_500, "{first:?}");
    let (replay, calls) = world.post(BODY).await;
    assert_eq!(decided(&replay), Some(true));
    assert_eq!((calls.of("PutItem"), calls.total().calls), (1, 1));
    let (mismatch, calls) = world.post(&BODY.replace("12500", "12501")).await;
    assert_eq!(decided(&mismatch), None);
    assert_eq!((calls.of("PutItem"), calls.total().calls), (1, 1));
}

#[tokio::test]
async fn d01_a_reservation_whose_reply_was_lost_is_the_callers_own() {
    let world = World::start().await;
    world.arm(ApiCall::PutItem, Fault::ReplyLost, 1);
    let calls = world.is_created().await;
    assert_eq!(calls.of("PutItem"), 2, "the SDK sent it again");
    assert_eq!(calls.of("GetItem"), 0, "what came back was enough");
}

#[tokio::test]
async fn d01_a_commit_whose_reply_was_lost_is_the_callers_own() {
    let world = World::start().await;
    world.arm(COMMIT, Fault::ReplyLost, 1);
    let calls = world.is_created().await;
    assert_eq!(
        calls.of("TransactWriteItems"),
        2,
        "the same token, the same transaction"
    );
}

#[tokio::test]
async fn d03_a_conflict_is_not_already_exists() {
    let world = World::start().await;
    world.arm(ApiCall::PutItem, Fault::Conflict, 1);
    world.arm(COMMIT, Fault::Conflict, 2);
    let calls = world.is_created().await;
    assert_eq!(calls.of("TransactWriteItems"), 3);
}

#[tokio::test]
async fn d05_a_transaction_in_progress_is_waited_for_under_the_same_token() {
    let impatient = |client: Client| {
        let timeouts = TimeoutConfig::builder()
            .operation_attempt_timeout(Duration::from_millis(1_500))
            .build();
        Client::from_conf(
            client
                .config()
                .to_builder()
                .timeout_config(timeouts)
                .build(),
        )
    };
    let world = World::with(impatient).await;
    world.arm(COMMIT, Fault::Delay(Duration::from_secs(30)), 1);
    world.arm(COMMIT, Fault::InProgress, 1);
    let calls = world.is_created().await;
    assert_eq!(calls.of("TransactWriteItems"), 3);
}

#[tokio::test]
async fn d05_a_commit_that_arrives_after_its_resend_changes_nothing() {
    let mut world = World::start().await;
    let late = Duration::from_millis(100);
    // This one is between the faulty proxy and the engine: it sees the late send arrive.
    let inner = Proxy::start(&world.running.endpoint()).await.unwrap();
    let outer = Proxy::start(&inner.endpoint()).await.unwrap();
    outer
        .arm(StoreFault::next(COMMIT, Fault::ArrivesLate(late)))
        .unwrap();
    world.decider.store = store(client_at(&outer.endpoint()));
    world.is_created().await;
    let id = samples::scope().operation_id();
    let before = world.decider.store.read_operation(&id).await;
    eventually("the engine's answers to both sends", async || {
        let log = inner.since_start().log;
        let commits = log
            .iter()
            .filter(|call| call.operation == "TransactWriteItems");
        (commits.filter(|call| call.status == Some(200)).count() == 2).then_some(())
    })
    .await;
    assert_eq!(world.decider.store.read_operation(&id).await, before);
    assert_eq!(world.count("decisions").await, 1);
}

#[tokio::test]
async fn d07_missing_short_and_unknown_reasons_are_read_back_never_taken_for_a_failed_condition() {
    for fault in [
        Fault::ReasonsMissing,
        Fault::ReasonsShort,
        Fault::UnknownReason,
    ] {
        let world = World::start().await;
        world.arm(COMMIT, fault.clone(), 1);
        let calls = world.is_created().await;
        assert_eq!(calls.of("GetItem"), 1, "{fault:?}");
        assert_eq!(calls.of("TransactWriteItems"), 2, "{fault:?}");
    }
}

#[tokio::test]
async fn d07_reasons_that_stay_missing_end_in_unavailable_and_decide_nothing() {
    let world = World::start().await;
    world.arm(COMMIT, Fault::ReasonsMissing, 100);
    let (outcome, _) = world.post(BODY).await;
    let Reply::Problem(problem) = outcome.reply else {
        panic!("{outcome:?}");
    };
    assert_eq!(problem.kind.status(Profile::Default), 503);
    assert_eq!(world.count("decisions").await, 0);
    assert_eq!(world.count("outbox").await, 0);
}

#[tokio::test]
async fn a_commit_whose_every_reply_is_lost_is_read_back() {
    let world = World::start().await;
    world.arm(COMMIT, Fault::ReplyLost, 3);
    let calls = world.is_created().await;
    assert_eq!(
        (calls.of("TransactWriteItems"), calls.of("GetItem")),
        (3, 1)
    );
}

#[tokio::test]
async fn a_throttled_resend_of_a_commit_that_landed_is_read_back_not_released() {
    let world = World::start().await;
    world.arm(COMMIT, Fault::ReplyLost, 1);
    world.arm(COMMIT, Fault::Throttle, 2);
    let calls = world.is_created().await;
    assert_eq!((calls.of("GetItem"), calls.of("UpdateItem")), (1, 0));
}

#[tokio::test]
async fn a_commit_that_is_throttled_for_good_is_released_and_the_next_call_decides() {
    let world = World::start().await;
    world.arm(COMMIT, Fault::Throttle, 3);
    let (outcome, calls) = world.post(BODY).await;
    assert_eq!(decided(&outcome), None, "{outcome:?}");
    assert_eq!((calls.of("UpdateItem"), calls.of("GetItem")), (1, 0));
    let calls = world.is_created().await;
    assert_eq!(calls.of("UpdateItem"), 1, "it took over at once");
}

#[tokio::test]
async fn d09_a_refused_reservation_is_judged_by_what_came_back_with_it() {
    let world = World::start().await;
    world.is_created().await;
    let (replay, calls) = world.post(BODY).await;
    assert_eq!(decided(&replay), Some(true));
    assert_eq!(calls.of("GetItem"), 0);
}

#[tokio::test]
async fn d10_no_table_has_a_sort_key() {
    let running = Running::start();
    for (table, key) in [
        ("operations", "op"),
        ("decisions", "id"),
        ("outbox", "event"),
    ] {
        let described = running.client().describe_table().table_name(table);
        let described = described.send().await.unwrap();
        let schema = described.table().unwrap().key_schema();
        assert_eq!(schema.len(), 1, "{table}");
        assert_eq!(schema[0].attribute_name(), key);
        assert_eq!(*schema[0].key_type(), KeyType::Hash);
    }
}
