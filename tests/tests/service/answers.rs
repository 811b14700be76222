//! What is recorded, and told again.

use decide_once_policy::PolicySet;
use decide_once_protocol::{
    answer::INLINE_LIMIT,
    record::{PolicyPin, State},
    trace::TraceParent,
};
use decide_once_service::Call;
use decide_once_service::ports::Clock;
use decide_once_service::problem::Retry;
use decide_once_service::status;
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    fixtures::policies,
    gate::Gate,
};

use crate::support::{B0, K1, K2, Told, World, call, hours, seconds};

/// Every outcome that is easily taken for none.
const HOLLOW: &str = r#"
policy: hollow
version: 1
input: { type: object, properties: { memo: { type: string, maxLength: 60000, default: none } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - id: hollow
    when: "true"
    then: { object: {}, list: [], zero: 0, wrong: false, text: "", nothing: null }
"#;

/// Its outcome is as large as its facts.
const ECHO: &str = r#"
policy: echo
version: 1
input: { type: object, required: [memo], properties: { memo: { type: string, maxLength: 60000 } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: echo, when: "true", then: { memo: "${facts.memo}" } }
"#;

fn hollow() -> PolicySet {
    policies(&[("hollow", 1, HOLLOW)], "hollow: 1")
}

fn echo() -> PolicySet {
    policies(&[("echo", 1, ECHO)], "echo: 1")
}

#[tokio::test]
async fn a05_an_outcome_of_hollow_values_is_replayed_as_it_was() {
    let world = World::default();
    let asked = call(K1, r#"{"policy":"hollow","subject":"s","facts":{}}"#);
    let first = world.worker_under(hollow()).decide(&asked).await.created();
    let replay = world.worker_under(hollow()).decide(&asked).await.replayed();
    assert_eq!(replay, first);
    let outcome =
        r#""outcome":{"object":{},"list":[],"zero":0,"wrong":false,"text":"","nothing":null}"#;
    assert!(first.contains(outcome), "{first}");
    assert!(first.contains(r#""events":[]"#), "{first}");
    assert_eq!(world.store.rows(), []);
    world.decision();
}

#[tokio::test]
async fn a09_the_first_answer_every_replay_and_the_read_have_the_same_bytes() {
    let world = World::default();
    let first = world.worker().decide(&call(K1, B0)).await.created();
    for later in [seconds(1), hours(1), hours(22)] {
        world.time.advance(later);
        let spelled_otherwise = B0.replace(r#""amount":12500"#, r#" "amount" : 1.25e4 "#);
        let replay = world.worker().decide(&call(K1, &spelled_otherwise)).await;
        assert_eq!(replay.replayed(), first);
    }
    let decision = world.decision();
    let now = world.time.now();
    let read = status::decision(&world.store, &decision.tenant, &decision.id, now).await;
    assert_eq!(read.unwrap().bytes, first.into_bytes());
}

/// It tells where a request came from, and decides nothing.
#[tokio::test]
async fn a_trace_changes_neither_the_answer_nor_whose_request_it_is() {
    let traced = |uuid: &str| Call {
        trace: TraceParent::beginning_with(uuid),
        ..call(K1, B0)
    };
    let (with, without) = (World::default(), World::default());
    let one = traced("8476a536-e9f4-11e8-9739-2dfe598c3fcd");
    let first = with.worker().decide(&one).await.created();
    assert_eq!(
        first,
        without.worker().decide(&call(K1, B0)).await.created()
    );
    assert_eq!(with.record(), without.record());
    assert_eq!(with.store.rows()[0].event.trace, one.trace);
    let another = traced("11111111-e9f4-11e8-9739-2dfe598c3fcd");
    assert_eq!(with.worker().decide(&another).await.replayed(), first);
    assert_eq!(
        with.store.rows()[0].event.trace,
        one.trace,
        "it is the first one's"
    );
    with.decision();
}

#[tokio::test]
async fn a09_an_answer_too_large_for_its_record_is_not_read_back_by_its_own_worker() {
    let world = World::default();
    let body = format!(
        r#"{{"policy":"echo","subject":"s","facts":{{"memo":"{}"}}}}"#,
        "m".repeat(2 * INLINE_LIMIT)
    );
    let worker = world.worker_under(echo());
    let first = worker.decide(&call(K1, &body)).await;
    assert_eq!(first.effort.round_trips, 2);
    let replay = worker.decide(&call(K1, &body)).await;
    assert_eq!(replay.replayed(), first.created());
    assert_eq!(
        replay.effort.round_trips, 2,
        "the refused reserve, and the read"
    );
    let State::Succeeded { answer, .. } = world.record().state else {
        panic!("{:?}", world.record());
    };
    assert_eq!(answer.inline, None);
    world.decision();
}

#[tokio::test]
async fn a17_completing_an_operation_keeps_what_identifies_it() {
    let world = World::default();
    let gate = Gate::closed();
    let worker = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let owner = worker.start(&call(K1, B0));
    gate.reached().await;
    let reserved = world.record();
    gate.open();
    let first = owner.await.unwrap().created();

    let finished = world.record();
    assert_eq!(finished.identity, reserved.identity);
    assert_eq!(finished.pin, reserved.pin);
    assert_eq!(finished.decision, reserved.decision);
    assert_eq!(finished.created, reserved.created);
    let identical = world.worker().decide(&call(K1, B0)).await;
    assert_eq!(identical.replayed(), first);
    let other = B0.replace("12500", "12501");
    let mismatch = world.worker().decide(&call(K1, &other)).await;
    let problem = mismatch.problem("key-reused");
    assert_eq!(problem.pointers, ["/facts/amount"]);
    assert_eq!(problem.kind.retry(), Retry::Never);
}

#[tokio::test]
async fn a17_a_takeover_keeps_it_as_well() {
    let world = World::default();
    let gate = Gate::closed();
    let dying = world
        .worker()
        .on(StoreCall::Reserve, 1, Fault::ReplyHeld(gate.clone()));
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    let reserved = world.record();
    world.time.advance(seconds(31));
    let other = B0.replace("12500", "12501");
    let mismatch = world.worker().decide(&call(K1, &other)).await;
    mismatch.problem("key-reused");
    world.worker().decide(&call(K1, B0)).await.created();
    assert_eq!(world.record().identity, reserved.identity);
    assert_eq!(world.record().created, reserved.created);
}

/// The rivals' handlers change their input, and what is committed is then stored under another key. Here the policy's schema fills in what
/// was left out: the evaluation sees other facts than the caller sent.
#[tokio::test]
async fn a18_what_the_policy_makes_of_the_facts_does_not_change_whose_decision_it_is() {
    let world = World::default();
    let left_out = r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500}}"#;
    let worker = world.worker();
    let first = worker.decide(&call(K1, left_out)).await.created();
    assert!(first.contains(r#""currency":"USD""#), "{first}");

    let [commit] = <[_; 1]>::try_from(worker.store().commits()).unwrap();
    let record = world.record();
    assert_eq!(commit.operation.next.operation, record.operation);
    assert_eq!(commit.decision.operation, record.operation);
    assert_eq!(record.operation, call(K1, left_out).scope.operation_id());
    for same in [left_out, B0] {
        let again = world.worker().decide(&call(K1, same)).await;
        assert_eq!(again.replayed(), first, "{same}");
    }
    world.decision();
}

#[tokio::test]
async fn f02_a_caller_whose_worker_died_after_the_commit_gets_the_recorded_answer() {
    let world = World::default();
    let gate = Gate::closed();
    let dying = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::ReplyHeld(gate.clone()));
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    let committed = world.decision();

    let at_once = world.worker().decide(&call(K1, B0)).await.replayed();
    assert_eq!(at_once.into_bytes(), committed.render().bytes);
    world.time.advance(hours(23) + seconds(59 * 60));
    let late = world.worker().decide(&call(K1, B0)).await.replayed();
    assert_eq!(late.into_bytes(), committed.render().bytes);
    assert_eq!(world.decision(), committed);
}

#[tokio::test]
async fn t01_the_result_ends_before_the_key_is_free_whether_or_not_anything_was_deleted() {
    for swept in [false, true] {
        let world = World::default();
        let first = world.worker().decide(&call(K1, B0)).await.created();
        let pass = |time| {
            world.time.advance(time);
            if swept {
                world.store.expire(world.time.now());
            }
        };
        pass(hours(24) - seconds(1));
        let last = world.worker().decide(&call(K1, B0)).await;
        assert_eq!(last.replayed(), first);
        pass(seconds(1));
        let expired = world.worker().decide(&call(K1, B0)).await;
        let problem = expired.problem("result-expired");
        assert_eq!(problem.decision, Some(world.decision().id));
        assert_eq!(
            problem.free_from.unwrap().to_rfc3339(),
            "2026-12-04T00:05:00Z"
        );
        pass(hours(48) + seconds(299));
        let retired = world.worker().decide(&call(K1, B0)).await;
        retired.problem("result-expired");
        pass(seconds(1));
        let next_life = world.worker().decide(&call(K1, B0)).await.created();
        assert_ne!(next_life, first);
        assert_eq!(world.store.decisions().len(), 2, "the old one stays");
    }
}

#[tokio::test]
async fn a11_another_request_under_the_key_is_a_mismatch_until_the_key_is_free() {
    let world = World::default();
    let other = B0.replace("12500", "1");
    world.worker().decide(&call(K1, B0)).await.created();
    for kept in [hours(1), hours(24), hours(47)] {
        world.time.advance(kept);
        let refused = world.worker().decide(&call(K1, &other)).await;
        refused.problem("key-reused");
    }
    world.time.advance(seconds(300));
    world.worker().decide(&call(K1, &other)).await.created();
}

/// Every record is pinned to the version that was active when its key was reserved.
#[tokio::test]
async fn f03_a_recorded_failure_is_not_evaluated_again_under_a_version_that_could_decide() {
    let version = |number: u32, currency: &str| {
        format!(
            "policy: shop\nversion: {number}\ninput: {{ type: object, properties: {{ currency: {{ type: string, maxLength: 3 }} }} }}\n\
             retention: {{ result: 24h, key: 72h, decision: 400d }}\n\
             rules:\n  - {{ id: known, when: \"has(facts.currency) && facts.currency == '{currency}'\", then: {{ decision: approve }} }}\n"
        )
    };
    let (first, second) = (version(1, "USD"), version(2, "EUR"));
    let before = || policies(&[("shop", 1, &first)], "shop: 1");
    let after = || policies(&[("shop", 1, &first), ("shop", 2, &second)], "shop: 2");
    let body = r#"{"policy":"shop","subject":"s","facts":{"currency":"EUR"}}"#;

    let world = World::default();
    let failed = world.worker_under(before()).decide(&call(K1, body)).await;
    let failed = failed.problem("decision-failed");
    assert_eq!(failed.kind.retry(), Retry::NewKey);
    let again = world.worker_under(after()).decide(&call(K1, body)).await;
    let again = again.problem("decision-failed");
    assert_eq!(again.replayed, Some(true));
    assert_eq!(again.to_json(), failed.to_json());

    let new_key = world.worker_under(after()).decide(&call(K2, body)).await;
    new_key.created();
    let PolicyPin { version, .. } = world.decision().pin;
    assert_eq!(version.get(), 2);
}
