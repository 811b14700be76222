//! Outcomes that nobody knows, and answers that say less than they seem to.

use decide_once_protocol::writes::{Answer, Existing, NotApplied};
use decide_once_service::problem::Retry;
use decide_once_tests::{
    faulty::{
        Fault,
        StoreCall::{Commit, ReadOperation, Reserve, Transition},
    },
    gate::Gate,
};

use crate::support::{B0, K1, Told, World, call, says, seconds};

#[tokio::test]
async fn d01_an_own_reservation_that_comes_back_as_a_refusal_is_recognised() {
    let world = World::default();
    let worker = world.worker().on(Reserve, 1, Fault::SentTwice);
    worker.decide(&call(K1, B0)).await.created();
    assert_eq!(worker.store().calls(), [Reserve, Commit]);
    world.decision();
}

#[tokio::test]
async fn d01_and_so_are_an_own_takeover_commit_and_failure() {
    let world = World::default();
    let gate = Gate::closed();
    let dying = world
        .worker()
        .on(Reserve, 1, Fault::ReplyHeld(gate.clone()));
    let dead = dying.start(&call(K1, B0));
    gate.reached().await;
    dead.abort();
    world.time.advance(seconds(31));
    let worker = world
        .worker()
        .on(Transition, 1, Fault::SentTwice)
        .on(Commit, 1, Fault::SentTwice);
    worker.decide(&call(K1, B0)).await.created();
    assert_eq!(worker.store().calls(), [Reserve, Transition, Commit]);
    world.decision();

    let world = World::default();
    let worker = world.worker().on(Transition, 1, Fault::SentTwice);
    let undecidable = B0.replace("USD", "XXX");
    let answer = worker.decide(&call(K1, &undecidable)).await;
    let problem = answer.problem("decision-failed");
    assert_eq!(problem.replayed, Some(false));
    assert_eq!(worker.store().calls(), [Reserve, Transition]);
}

#[tokio::test]
async fn d01_a_reservation_whose_reply_is_lost_is_found_by_a_strong_read() {
    let world = World::default();
    let worker = world.worker().on(Reserve, 1, Fault::ReplyLost);
    worker.decide(&call(K1, B0)).await.created();
    assert_eq!(worker.store().calls(), [Reserve, ReadOperation, Commit]);
    world.decision();
}

#[tokio::test]
async fn d01_a_reservation_that_did_not_arrive_is_sent_again() {
    let world = World::default();
    let worker = world.worker().on(Reserve, 1, Fault::RequestLost);
    worker.decide(&call(K1, B0)).await.created();
    let calls = [Reserve, ReadOperation, Reserve, Commit];
    assert_eq!(worker.store().calls(), calls);
    world.decision();
}

#[tokio::test]
async fn d01_a_reservation_that_arrives_after_it_was_sent_again_is_still_its_workers() {
    let world = World::default();
    let (first, second) = (Gate::closed(), Gate::closed());
    let worker = world
        .worker()
        .on(Reserve, 1, Fault::ArrivesLate(first.clone()))
        .on(Reserve, 2, Fault::Held(second.clone()));
    let task = worker.start(&call(K1, B0));
    second.reached().await;
    first.open();
    first.done().await;
    second.open();
    task.await.unwrap().created();
    assert_eq!(world.record().fence.attempt, 1);
    world.decision();
}

#[tokio::test]
async fn d03_a_conflict_is_answered_by_the_very_same_transaction() {
    let world = World::default();
    let worker = world.worker().on(Commit, 1, says(NotApplied::Conflict)).on(
        Commit,
        2,
        says(NotApplied::Conflict),
    );
    worker.decide(&call(K1, B0)).await.created();
    let commits = worker.store().commits();
    assert_eq!(commits.len(), 3);
    assert!(commits.iter().all(|commit| *commit == commits[0]));
    assert!(
        commits
            .iter()
            .all(|commit| commit.token() == commits[0].token())
    );
    assert_eq!(worker.store().calls(), [Reserve, Commit, Commit, Commit]);
    world.decision();
}

#[tokio::test]
async fn d03_a_conflict_that_does_not_end_is_given_up_and_the_key_stays_usable() {
    let world = World::default();
    let worker = world.worker();
    worker.store().always(Commit, says(NotApplied::Conflict));
    let answer = worker.decide(&call(K1, B0)).await.problem("unavailable");
    assert_eq!(answer.kind.retry(), Retry::SameKey);
    assert_eq!(worker.store().commits().len(), 5);
    worker.store().heal();
    let next = worker.decide(&call(K1, B0)).await;
    next.created();
    assert_eq!(next.attempt, Some(2));
    world.decision();
}

#[tokio::test]
async fn d03_a_reserve_that_meets_a_conflict_reads_what_stands_there() {
    let world = World::default();
    let free = world.worker().on(Reserve, 1, says(NotApplied::Conflict));
    let first = free.decide(&call(K1, B0)).await.created();
    let calls = [Reserve, ReadOperation, Reserve, Commit];
    assert_eq!(free.store().calls(), calls);

    let finished = world.worker().on(Reserve, 1, says(NotApplied::Conflict));
    let replay = finished.decide(&call(K1, B0)).await.replayed();
    assert_eq!(replay, first);
    assert_eq!(finished.store().calls(), [Reserve, ReadOperation]);
    world.decision();
}

#[tokio::test]
async fn d05_while_the_outcome_is_open_only_the_same_transaction_is_sent() {
    let world = World::default();
    // "Transaction in progress" is unknown to the store port; the record says that nothing has landed yet.
    let worker = world
        .worker()
        .on(Commit, 1, Fault::RequestLost)
        .on(Commit, 2, Fault::RequestLost);
    worker.decide(&call(K1, B0)).await.created();
    let commits = worker.store().commits();
    assert_eq!(commits.len(), 3);
    assert!(commits.iter().all(|commit| *commit == commits[0]));
    world.decision();
}

#[tokio::test]
async fn d05_a_commit_whose_reply_is_lost_is_found_and_not_sent_again() {
    let world = World::default();
    let worker = world.worker().on(Commit, 1, Fault::ReplyLost);
    let first = worker.decide(&call(K1, B0)).await.created();
    assert_eq!(worker.store().calls(), [Reserve, Commit, ReadOperation]);
    assert_eq!(world.decision().render().bytes, first.into_bytes());
}

#[tokio::test]
async fn d05_a_commit_that_arrives_after_it_was_sent_again_changes_nothing() {
    let world = World::default();
    let late = Gate::closed();
    let worker = world
        .worker()
        .on(Commit, 1, Fault::ArrivesLate(late.clone()));
    let first = worker.decide(&call(K1, B0)).await.created();
    let recorded = world.store.operations();
    late.open();
    late.done().await;
    assert_eq!(world.store.operations(), recorded);
    assert_eq!(world.decision().render().bytes, first.into_bytes());
}

#[tokio::test]
async fn d05_tries_that_are_used_up_while_a_commit_is_under_way_end_in_its_decision_or_in_none() {
    let world = World::default();
    let late = Gate::closed();
    let worker = world.worker();
    worker
        .store()
        .always(Commit, Fault::ArrivesLate(late.clone()));
    let answer = worker.decide(&call(K1, B0)).await.problem("unavailable");
    assert_eq!(answer.kind.retry(), Retry::SameKey);
    // The release landed first: whatever arrives now is refused.
    late.open();
    late.done().await;
    assert!(world.store.decisions().is_empty());
    world.worker().decide(&call(K1, B0)).await.created();
    world.decision();
}

#[tokio::test]
async fn d07_an_answer_that_says_nothing_is_read_up_and_otherwise_unavailable() {
    let landed = World::default();
    let worker =
        landed
            .worker()
            .on(Commit, 1, Fault::ReplyLost)
            .on(ReadOperation, 1, Fault::RequestLost);
    let answer = worker.decide(&call(K1, B0)).await.problem("unavailable");
    assert_eq!(answer.kind.retry(), Retry::SameKey);
    assert!(answer.retry_after.is_some());
    landed.worker().decide(&call(K1, B0)).await.replayed();
    landed.decision();

    let lost = World::default();
    let worker =
        lost.worker()
            .on(Commit, 1, Fault::RequestLost)
            .on(ReadOperation, 1, Fault::RequestLost);
    worker.decide(&call(K1, B0)).await.problem("unavailable");
    lost.worker().decide(&call(K1, B0)).await.in_progress();
    lost.time.advance(seconds(31));
    lost.worker().decide(&call(K1, B0)).await.created();
    lost.decision();
}

#[tokio::test]
async fn d09_the_record_that_comes_back_with_a_refusal_is_enough() {
    let world = World::default();
    let first = world.worker().decide(&call(K1, B0)).await.created();
    let worker = world.worker();
    let replay = worker.decide(&call(K1, B0)).await.replayed();
    assert_eq!(replay, first);
    assert_eq!(worker.store().calls(), [Reserve]);
}

#[tokio::test]
async fn d09_a_read_that_finds_nothing_is_no_licence_to_run() {
    let world = World::default();
    let commit = Gate::closed();
    let owner = world.worker().on(Commit, 1, Fault::Held(commit.clone()));
    let owner = owner.start(&call(K1, B0));
    commit.reached().await;
    let reserved = world.store.operations();
    let misled = world
        .worker()
        .waiting(std::time::Duration::from_millis(200));
    misled.store().always(ReadOperation, Fault::Stale);
    misled.decide(&call(K1, B0)).await;
    assert_eq!(world.store.operations(), reserved);
    assert!(!misled.store().calls().contains(&Commit));
    commit.open();
    owner.await.unwrap().created();
    world.decision();
}

#[tokio::test]
async fn d09_a_refusal_without_a_record_is_asked_again_a_few_times() {
    let world = World::default();
    let worker = world.worker();
    let refused = Fault::Says(Answer::Refused(Existing::Absent));
    worker.store().always(Reserve, refused);
    let answer = worker.decide(&call(K1, B0)).await.problem("unavailable");
    assert_eq!(answer.kind.retry(), Retry::SameKey);
    assert_eq!(worker.store().calls(), [Reserve; 5]);
    assert!(world.store.operations().is_empty());
}
