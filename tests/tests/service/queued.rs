//! Operations whose callers do not wait.

use decide_once_protocol::record::{
    CARRIED_LIMIT, Hold, MAX_ATTEMPTS, Record, RetryCause, State, StateName,
};
use decide_once_protocol::writes::{Answer, NotApplied, Unreadable};
use decide_once_service::memory::Foreign;
use decide_once_service::ports::Clock as _;
use decide_once_service::problem::Retry;
use decide_once_service::resume::{NotYet, Resumed};
use decide_once_service::settings::{QUEUE_PATIENCE, Settings};
use decide_once_service::status::Status;
use decide_once_tests::faulty::{Fault, StoreCall};
use decide_once_tests::fixtures::policies;
use decide_once_tests::gate::Gate;
use decide_once_tests::world::{call_later, says};

use crate::support::{B0, K1, Told, World, call, hours, seconds};

const DECIDED: Resumed = Resumed::Finished(StateName::Succeeded);

/// Queued, and what its record says.
async fn queued(world: &World) -> Record {
    let told = world.worker().decide(&call_later(K1, B0)).await;
    assert_eq!(told.queued(), seconds(1));
    assert_eq!(told.effort.round_trips, 1);
    let record = world.record();
    assert!(record.is_queued());
    assert_eq!(record.fence.attempt, 0);
    assert_eq!(record.state.key_expiry(), None);
    record
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_is_queued_decided_and_replayed() {
    let world = World::default();
    let record = queued(&world).await;
    let status = Status::of(&record, world.time.now());
    assert_eq!((status.attempts, status.retry), (0, Some(Retry::SameKey)));
    assert!(!status.advice.contains("POST again"), "{}", status.advice);

    assert_eq!(world.worker().resume(&record.operation).await, DECIDED);
    let decision = world.decision();
    assert_eq!(decision.id, record.decision);
    let finished = world.record();
    assert_eq!(finished.carried(), None);
    assert!(finished.state.key_expiry().is_some());
    assert_eq!(finished.fence.attempt, 1);

    let replay = world.worker().decide(&call(K1, B0)).await.replayed();
    assert_eq!(replay.into_bytes(), decision.render().bytes);
    let again = world.worker().decide(&call_later(K1, B0)).await;
    assert_eq!(again.replayed().into_bytes(), decision.render().bytes);
}

/// The bytes do not tell how it was decided: but for the instant they are those of a caller that waits.
#[tokio::test]
async fn a_queued_request_is_decided_as_if_its_caller_had_waited() {
    let waited = World::default();
    let first = waited.worker().decide(&call(K1, B0)).await.created();
    let world = World::default();
    let record = queued(&world).await;
    assert_eq!(world.worker().resume(&record.operation).await, DECIDED);
    let later = String::from_utf8(world.decision().render().bytes).unwrap();
    let without_id = |text: &str, id: &str| text.replace(id, "…");
    assert_eq!(
        without_id(&later, world.decision().id.as_str()),
        without_id(&first, waited.decision().id.as_str()),
    );
}

#[tokio::test]
async fn a_queued_request_is_left_to_the_queue_for_a_while_and_then_taken_over_by_a_post() {
    let world = World::default();
    let record = queued(&world).await;
    world.time.advance(QUEUE_PATIENCE - seconds(1));
    let told = world.worker().decide(&call(K1, B0)).await;
    assert!(told.in_progress() <= QUEUE_PATIENCE);
    assert_eq!(world.record(), record, "who asks does not write");
    world.time.advance(seconds(1));
    let told = world.worker().decide(&call(K1, B0)).await;
    told.created();
    assert_eq!(told.effort.round_trips, 3);
    assert_eq!(world.decision().id, record.decision);
    assert_eq!(
        world.worker().resume(&record.operation).await,
        Resumed::NothingToDo
    );
    world.decision();
}

#[tokio::test]
async fn an_operator_may_let_posts_take_over_at_once() {
    let world = World::default();
    queued(&world).await;
    let impatient = world.worker_with_settings(Settings {
        queue_patience: seconds(0),
        ..Settings::default()
    });
    impatient.decide(&call(K1, B0)).await.created();
}

#[tokio::test]
async fn a_queued_key_refuses_another_request_however_old_it_is() {
    let world = World::default();
    let record = queued(&world).await;
    let other = B0.replace("12500", "12501");
    for later in [seconds(0), hours(24), hours(1_000)] {
        world.time.advance(later);
        assert_eq!(world.store.expire(world.time.now()), 0);
        for other in [call(K1, &other), call_later(K1, &other)] {
            let told = world.worker().decide(&other).await;
            assert_eq!(told.problem("key-reused").pointers, ["/facts/amount"]);
        }
    }
    assert_eq!(world.worker().resume(&record.operation).await, DECIDED);
}

#[tokio::test]
async fn a_request_that_is_not_valid_is_refused_at_once_also_when_nobody_waits() {
    let world = World::default();
    let invalid = B0.replace("12500", "-1");
    let told = world.worker().decide(&call_later(K1, &invalid)).await;
    told.problem("facts-invalid");
    assert_eq!(world.store.operations(), []);
}

/// RFC 7240 §2: a preference may be ignored, and one that cannot be kept is.
#[tokio::test]
async fn a_request_too_large_to_be_carried_is_decided_while_its_caller_waits() {
    const MEMO: &str = r#"
policy: memo
version: 1
input: { type: object, properties: { memo: { type: string, maxLength: 60000 } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules: [{ id: ok, when: "true", then: { decision: approve } }]
"#;
    let memo = || policies(&[("memo", 1, MEMO)], "memo: 1");
    let body = |length: usize| {
        let memo = "m".repeat(length);
        format!(r#"{{"policy":"memo","subject":"s","facts":{{"memo":"{memo}"}}}}"#)
    };
    let largest = CARRIED_LIMIT - body(0).len();
    let world = World::default();
    let told = world
        .worker_under(memo())
        .decide(&call_later(K1, &body(largest + 1)))
        .await;
    told.created();
    let world = World::default();
    let told = world
        .worker_under(memo())
        .decide(&call_later(K1, &body(largest)))
        .await;
    told.queued();
}

#[tokio::test]
async fn a_queued_request_without_a_rule_fails_for_good() {
    let world = World::default();
    let body = B0.replace("USD", "XTS");
    world.worker().decide(&call_later(K1, &body)).await.queued();
    let id = world.record().operation;
    let failed = Resumed::Finished(StateName::FailedFinal);
    assert_eq!(world.worker().resume(&id).await, failed);
    assert_eq!(world.record().carried(), None);
    let told = world.worker().decide(&call(K1, &body)).await;
    assert_eq!(told.problem("decision-failed").replayed, Some(true));
    world.check();
}

/// The queue's worker meets the callers: one of them decides, the others find it.
#[tokio::test]
async fn a_live_lease_is_not_taken_over_by_the_queue() {
    let world = World::default();
    let record = queued(&world).await;
    let gate = Gate::closed();
    let slow = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let id = record.operation.clone();
    let deciding = tokio::spawn(async move { slow.resume(&id).await });
    gate.reached().await;
    assert_eq!(
        world.worker().resume(&record.operation).await,
        Resumed::NotYet(NotYet::Leased)
    );
    world.worker().decide(&call(K1, B0)).await.in_progress();
    gate.open();
    assert_eq!(deciding.await.unwrap(), DECIDED);
    world.decision();
}

/// It keeps its request over every takeover; the late one is fenced.
#[tokio::test]
async fn a_worker_of_the_queue_that_stalls_past_its_lease_is_fenced() {
    let world = World::default();
    let record = queued(&world).await;
    let gate = Gate::closed();
    let slow = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let id = record.operation.clone();
    let late = tokio::spawn(async move { slow.resume(&id).await });
    gate.reached().await;
    world.time.advance(seconds(31));
    let owned = world.record();
    assert!(matches!(
        owned.state,
        State::Processing {
            hold: Hold::Leased(_),
            ..
        }
    ));
    assert!(owned.carried().is_some());
    assert_eq!(world.worker().resume(&record.operation).await, DECIDED);
    let decided = world.decision();
    gate.open();
    assert_eq!(late.await.unwrap(), Resumed::NothingToDo);
    assert_eq!(world.decision(), decided);
    assert_eq!(world.record().fence.attempt, 2);
}

#[tokio::test]
async fn a_given_up_attempt_keeps_its_request_and_its_status_says_that_it_goes_on() {
    let world = World::default();
    let record = queued(&world).await;
    let throttled = world
        .worker()
        .on(StoreCall::Commit, 1, says(NotApplied::Unavailable));
    assert_eq!(
        throttled.resume(&record.operation).await,
        Resumed::NotYet(NotYet::GivenUp)
    );
    let released = world.record();
    assert!(matches!(
        released.state,
        State::FailedRetryable {
            cause: RetryCause::Store,
            ..
        }
    ));
    assert!(released.carried().is_some());
    let status = Status::of(&released, world.time.now());
    assert!(!status.advice.contains("POST again"), "{}", status.advice);
    assert_eq!(world.worker().resume(&record.operation).await, DECIDED);
    world.decision();
}

#[tokio::test]
async fn a_queued_operation_has_as_many_attempts_as_any() {
    let world = World::default();
    let record = queued(&world).await;
    for attempt in 1..=MAX_ATTEMPTS {
        let gate = Gate::closed();
        let dying = world
            .worker()
            .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
        let id = record.operation.clone();
        let dead = tokio::spawn(async move { dying.resume(&id).await });
        gate.reached().await;
        dead.abort();
        world.time.advance(seconds(31));
        assert_eq!(world.record().fence.attempt, attempt);
    }
    assert_eq!(
        world.worker().resume(&record.operation).await,
        Resumed::Finished(StateName::FailedFinal)
    );
    let told = world.worker().decide(&call(K1, B0)).await;
    told.problem("attempts-exhausted");
    assert_eq!(world.store.decisions(), []);
}

#[tokio::test]
async fn what_carries_no_request_is_left_to_its_caller() {
    let world = World::default();
    let gate = Gate::closed();
    let dying = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    world.time.advance(hours(1));
    let record = world.record();
    assert_eq!(
        world.worker().resume(&record.operation).await,
        Resumed::NothingToDo
    );
    assert_eq!(world.record(), record);
}

#[tokio::test]
async fn what_is_gone_is_not_begun_anew() {
    let world = World::default();
    let id = call(K1, B0).scope.operation_id();
    assert_eq!(world.worker().resume(&id).await, Resumed::NothingToDo);
    assert_eq!(world.store.operations(), []);
}

#[tokio::test]
async fn a_record_of_a_newer_version_is_not_written_to_by_the_queue() {
    let world = World::default();
    let id = call(K1, B0).scope.operation_id();
    let newer = Unreadable::Newer { version: 9 };
    world.store.plant(Foreign::Operation(id.clone(), newer));
    assert_eq!(world.worker().resume(&id).await, Resumed::Unreadable);
}

/// Its policy version is packaged one release later: until then nothing is written.
#[tokio::test]
async fn a_pin_that_is_not_packaged_here_waits_for_a_worker_that_has_it() {
    let world = World::default();
    let record = queued(&world).await;
    let old = world.worker_under(policies(&[], "{}"));
    assert_eq!(
        old.resume(&record.operation).await,
        Resumed::NotYet(NotYet::PolicyNotPackaged)
    );
    assert_eq!(world.record(), record);
}

/// A reserve that landed unheard is recognised as this caller's own.
#[tokio::test]
async fn a_queueing_whose_reply_was_lost_is_accepted_once() {
    let world = World::default();
    let worker = world.worker().on(StoreCall::Reserve, 1, Fault::ReplyLost);
    worker.decide(&call_later(K1, B0)).await.queued();
    let record = world.record();
    assert_eq!(world.worker().resume(&record.operation).await, DECIDED);
    world.decision();
}

#[tokio::test]
async fn a_commit_of_the_queue_whose_reply_was_lost_is_found() {
    let world = World::default();
    let record = queued(&world).await;
    let worker = world.worker().on(StoreCall::Commit, 1, Fault::ReplyLost);
    assert_eq!(worker.resume(&record.operation).await, DECIDED);
    world.decision();
}

/// Nothing of what is stored then can be the request.
#[tokio::test]
async fn a_store_that_does_not_answer_leaves_a_queued_operation_as_it_is() {
    let world = World::default();
    let record = queued(&world).await;
    let cut_off = world.worker().on(
        StoreCall::Transition,
        1,
        Fault::Says(Answer::NotApplied(NotApplied::Unavailable)),
    );
    assert_eq!(
        cut_off.resume(&record.operation).await,
        Resumed::NotYet(NotYet::Store)
    );
    assert_eq!(world.record(), record);
}
