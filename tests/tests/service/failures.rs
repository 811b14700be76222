//! Operations that fail: for now, for good, or because something is in their way.

use decide_once_protocol::{
    record::{FinalCode, MAX_ATTEMPTS, RetryCause, State},
    writes::{Answer, NotApplied, Seen, Transition, Unreadable},
};
use decide_once_service::{memory::Foreign, ports::Store, problem::Retry};
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    gate::Gate,
};

use crate::support::{B0, K1, K2, Told, World, call, says, seconds};

#[tokio::test]
async fn f04_a_store_failure_is_not_recorded_as_an_answer() {
    let world = World::default();
    for wait in [0, 2] {
        world.time.advance(seconds(wait));
        let throttled = world
            .worker()
            .on(StoreCall::Commit, 1, says(NotApplied::Unavailable));
        let answer = throttled.decide(&call(K1, B0)).await;
        let problem = answer.problem("unavailable");
        assert_eq!(problem.kind.retry(), Retry::SameKey);
        assert!(problem.retry_after.is_some());
        let State::FailedRetryable { cause, .. } = world.record().state else {
            panic!("{:?}", world.record());
        };
        assert_eq!(cause, RetryCause::Store);
    }
    world.time.advance(seconds(3));
    let well = world.worker().decide(&call(K1, B0)).await;
    well.created();
    assert_eq!(well.attempt, Some(3));
    assert_eq!(world.record().counted_attempts(), 1);
    assert_eq!(world.store.rows().len(), 1);
    world.decision();
}

#[tokio::test]
async fn f04_a_store_that_takes_no_release_either_leaves_a_lease_that_ends() {
    let world = World::default();
    let throttled = world.worker();
    for call in [StoreCall::Commit, StoreCall::Transition] {
        throttled
            .store()
            .always(call, says(NotApplied::Unavailable));
    }
    let answer = throttled.decide(&call(K1, B0)).await;
    answer.problem("unavailable");
    throttled.store().heal();
    throttled.decide(&call(K1, B0)).await.in_progress();
    world.time.advance(seconds(31));
    throttled.decide(&call(K1, B0)).await.created();
    world.decision();
}

/// A worker that dies with the key in its hands, `times` times.
async fn die(world: &World, times: u32) {
    for _ in 0..times {
        let gate = Gate::closed();
        let dying = world.worker();
        for call in [StoreCall::Reserve, StoreCall::Transition] {
            dying.store().always(call, Fault::ReplyHeld(gate.clone()));
        }
        // The reserve of a later attempt is refused, and answered at once.
        if world.store.operations().len() == 1 {
            dying.store().heal();
            dying
                .store()
                .always(StoreCall::Transition, Fault::ReplyHeld(gate.clone()));
        }
        let dead = dying.start(&call(K1, B0));
        gate.reached().await;
        dead.abort();
        world.time.advance(seconds(31));
    }
}

#[tokio::test]
async fn the_attempt_after_the_tenth_death_is_the_last_word() {
    let world = World::default();
    die(&world, 10).await;
    assert_eq!(world.record().fence.attempt, 10);
    let last = world.worker().decide(&call(K1, B0)).await;
    let last = last.problem("attempts-exhausted");
    assert_eq!(last.kind.retry(), Retry::NewKey);
    let replay = world.worker().decide(&call(K1, B0)).await;
    let replay = replay.problem("attempts-exhausted");
    assert_eq!(replay.to_json(), last.to_json());
    assert_eq!(replay.replayed, Some(true));
    assert!(world.store.decisions().is_empty());
    world.worker().decide(&call(K2, B0)).await.created();
    world.check();
}

#[tokio::test]
async fn a_new_key_is_not_advised_before_the_failure_is_known_to_be_recorded() {
    let world = World::default();
    die(&world, 10).await;
    let lost = world
        .worker()
        .on(StoreCall::Transition, 1, Fault::ReplyLost)
        .on(StoreCall::ReadOperation, 1, Fault::RequestLost);
    let answer = lost.decide(&call(K1, B0)).await.problem("unavailable");
    assert_eq!(answer.kind.retry(), Retry::SameKey);
    let retry = world.worker().decide(&call(K1, B0)).await;
    retry.problem("attempts-exhausted");
}

#[tokio::test]
async fn attempts_that_the_store_failed_do_not_count() {
    let world = World::default();
    for _ in 0..12 {
        let throttled = world
            .worker()
            .on(StoreCall::Commit, 1, says(NotApplied::Unavailable));
        let answer = throttled.decide(&call(K1, B0)).await;
        answer.problem("unavailable");
    }
    world.worker().decide(&call(K1, B0)).await.created();
    assert_eq!(world.record().fence.attempt, 13);
    world.decision();
}

#[tokio::test]
async fn a_natural_key_that_is_taken_is_the_second_operations_recorded_answer() {
    let refund = r#"{"policy":"refund-approval","subject":"s","facts":{"orderId":"A-1","line":1,"amount":1999,"paid":1999,
        "currency":"EUR","purchasedAt":"2026-11-20T10:00:00Z","reason":"damaged"}}"#;
    let world = World::default();
    world.worker().decide(&call(K1, refund)).await.created();
    let first = world.decision().id;
    let second = world.worker().decide(&call(K2, refund)).await;
    let second = second.problem("already-decided");
    assert_eq!(second.decision.as_ref(), Some(&first));
    assert_eq!(second.kind.retry(), Retry::Never);
    let replay = world.worker().decide(&call(K2, refund)).await;
    let replay = replay.problem("already-decided");
    assert_eq!(replay.to_json(), second.to_json());
    assert_eq!(replay.replayed, Some(true));
    assert_eq!(world.decision().id, first);
    assert_eq!(world.store.claims().len(), 1);
}

#[tokio::test]
async fn two_operations_that_race_for_a_natural_key_have_one_decision() {
    let refund = r#"{"policy":"refund-approval","subject":"s","facts":{"orderId":"A-1","line":1,"amount":1999,"paid":1999,
        "currency":"EUR","purchasedAt":"2026-11-20T10:00:00Z","reason":"damaged"}}"#;
    let world = World::default();
    let gate = Gate::closed();
    let slow = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let slow = slow.start(&call(K1, refund));
    gate.reached().await;
    world.worker().decide(&call(K2, refund)).await.created();
    gate.open();
    let refused = slow.await.unwrap().problem("already-decided");
    assert_eq!(refused.decision, Some(world.decision().id));
    let codes: Vec<_> = world
        .store
        .operations()
        .into_iter()
        .filter_map(|record| match record.state {
            State::FailedFinal { failure, .. } => Some(failure.code),
            _ => None,
        })
        .collect();
    assert_eq!(codes, [FinalCode::AlreadyDecided(world.decision().id)]);
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_never_written_to() {
    let unreadable = [
        Unreadable::Newer { version: 2 },
        Unreadable::Corrupt {
            attribute: "lease".to_owned(),
        },
    ];
    for why in unreadable {
        let world = World::default();
        let operation = call(K1, B0).scope.operation_id();
        world.store.plant(Foreign::Operation(operation, why));
        let worker = world.worker().waiting(seconds(5));
        let answer = worker.decide(&call(K1, B0)).await.problem("unavailable");
        assert_eq!(answer.kind.retry(), Retry::SameKey);
        assert_eq!(worker.store().calls(), [StoreCall::Reserve]);
        assert!(world.store.decisions().is_empty());
    }
}

#[tokio::test]
async fn a_request_that_cannot_be_reserved_stores_nothing_and_leaves_its_key_free() {
    let refusals = [
        (B0.replace("12500", "-1"), "facts-invalid"),
        (B0.replace("credit-limit", "unknown"), "policy-unknown"),
        (
            B0.replace(r#""subject""#, r#""version":77,"subject""#),
            "policy-unknown",
        ),
    ];
    for (body, code) in refusals {
        let world = World::default();
        let worker = world.worker();
        let refused = worker.decide(&call(K1, &body)).await.problem(code);
        assert_eq!(refused.kind.retry(), Retry::Never);
        assert_eq!(worker.store().calls(), [StoreCall::ReadOperation]);
        worker.decide(&call(K1, B0)).await.created();
        world.decision();
    }
}

#[tokio::test]
async fn a_request_is_not_called_invalid_while_it_is_not_known_whether_it_was_decided() {
    let world = World::default();
    let blind = world
        .worker()
        .on(StoreCall::ReadOperation, 1, Fault::RequestLost);
    let invalid = B0.replace("12500", "-1");
    let answer = blind.decide(&call(K1, &invalid)).await;
    assert_eq!(answer.problem("unavailable").kind.retry(), Retry::SameKey);
}

/// An operator restores the table of operations to a moment before the commit, and not that of decisions.
#[tokio::test]
async fn a_decision_that_its_record_does_not_know_of_is_never_called_undecided() {
    let world = World::default();
    let gate = Gate::closed();
    let worker = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let first = worker.start(&call(K1, B0));
    gate.reached().await;
    let reserved = world.record();
    gate.open();
    first.await.unwrap().created();
    let decided = world.decision();
    let restore = Transition {
        expected: Seen::of(&world.record()),
        next: reserved,
    };
    assert_eq!(world.store.transition(&restore).await, Answer::Applied);

    for _ in 0..2 * MAX_ATTEMPTS {
        world.time.advance(seconds(31));
        let answer = world.worker().decide(&call(K1, B0)).await;
        let problem = answer.problem("unavailable");
        assert_eq!(problem.kind.retry(), Retry::SameKey);
    }
    assert_eq!(world.store.decisions(), [decided]);
    assert_eq!(world.store.rows().len(), 1);
}
