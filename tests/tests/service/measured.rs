//! What is measured of a call: what it met on its way, counted once.

use decide_once_protocol::writes::NotApplied;
use decide_once_service::metrics::Metric;
use decide_once_service::{Course, reply::Outcome};
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    gate::Gate,
};

use crate::support::{B0, K1, Told, World, call, call_later, says, seconds};

/// Its end, and what it met.
fn measured(outcome: &Outcome) -> (Metric, Course) {
    (outcome.metric(), outcome.effort.course)
}

#[tokio::test]
async fn a_quiet_call_has_met_nothing() {
    let world = World::default();
    let worker = world.worker();
    let first = worker.decide(&call(K1, B0)).await;
    assert_eq!(measured(&first), (Metric::Decided, Course::default()));
    let replay = worker.decide(&call(K1, B0)).await;
    assert_eq!(measured(&replay), (Metric::Replayed, Course::default()));
    let other = B0.replace("12500", "12501");
    let mismatch = worker.decide(&call(K1, &other)).await;
    assert_eq!(measured(&mismatch), (Metric::KeyReused, Course::default()));
}

#[tokio::test]
async fn a_remembered_replay_is_told_from_a_stored_one_also_of_a_failure() {
    let world = World::default();
    let worker = world.worker_that_remembers(8);
    let undecidable = B0.replace("USD", "XXX");
    let failed = worker.decide(&call(K1, &undecidable)).await;
    assert_eq!(failed.metric(), Metric::FailedFinal);
    let remembered = worker.decide(&call(K1, &undecidable)).await;
    assert_eq!(remembered.metric(), Metric::ReplayedCached);
    let stored = world.worker().decide(&call(K1, &undecidable)).await;
    assert_eq!(stored.metric(), Metric::Replayed);
}

#[tokio::test]
async fn a_takeover_tells_the_age_of_what_it_found_and_a_late_commit_that_it_was_fenced() {
    let world = World::default();
    let gate = Gate::closed();
    let stalled = world
        .worker()
        .on(StoreCall::Commit, 1, Fault::Held(gate.clone()));
    let late = stalled.start(&call(K1, B0));
    gate.reached().await;
    world.time.advance(seconds(31));
    let successor = world.worker().decide(&call(K1, B0)).await;
    gate.open();

    let took_over = Course {
        taken_over: Some(seconds(31)),
        ..Course::default()
    };
    assert_eq!(measured(&successor), (Metric::Decided, took_over));
    let fenced = Course {
        fenced: 1,
        ..Course::default()
    };
    assert_eq!(measured(&late.await.unwrap()), (Metric::Replayed, fenced));
}

#[tokio::test]
async fn an_own_write_that_comes_back_as_a_refusal_is_not_fenced() {
    let world = World::default();
    let worker = world.worker().on(StoreCall::Commit, 1, Fault::SentTwice);
    let told = worker.decide(&call(K1, B0)).await;
    assert_eq!(measured(&told), (Metric::Decided, Course::default()));
}

#[tokio::test]
async fn an_unknown_outcome_is_resolved_by_a_read_or_stays_unknown() {
    for (read, expected) in [(None, (1, 1)), (Some(Fault::RequestLost), (1, 0))] {
        let world = World::default();
        let mut worker = world.worker().on(StoreCall::Commit, 1, Fault::ReplyLost);
        if let Some(fault) = read {
            worker = worker.on(StoreCall::ReadOperation, 1, fault);
        }
        let course = worker.decide(&call(K1, B0)).await.effort.course;
        assert_eq!((course.unknown, course.resolved), expected);
        assert_eq!(course.fenced, 0);
    }
}

#[tokio::test]
async fn conflicts_throttles_and_attempts_that_were_given_up_are_counted() {
    let world = World::default();
    let worker = world
        .worker()
        .on(StoreCall::Commit, 1, says(NotApplied::Conflict))
        .on(StoreCall::Commit, 2, says(NotApplied::Unavailable));
    let told = worker.decide(&call(K1, B0)).await;
    let expected = Course {
        conflicts: 1,
        throttled: 1,
        given_up: true,
        ..Course::default()
    };
    assert_eq!(measured(&told), (Metric::Unavailable, expected));
    // What was given up is taken over at once, and is no queued operation.
    let next = world.worker().decide(&call(K1, B0)).await;
    assert_eq!(next.effort.course.taken_over, Some(seconds(0)));
}

#[tokio::test]
async fn a_queued_operation_that_is_taken_up_is_no_takeover() {
    let world = World::default();
    let queued = world.worker().decide(&call_later(K1, B0)).await;
    assert_eq!(measured(&queued), (Metric::Queued, Course::default()));
    world.time.advance(seconds(11));
    let told = world.worker().decide(&call(K1, B0)).await;
    told.created();
    let course = told.effort.course;
    assert_eq!(
        (course.taken_over, course.taken_up),
        (None, Some(seconds(11)))
    );
}
