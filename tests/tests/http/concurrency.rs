//! Callers that meet.

use std::sync::Arc;

use decide_once_tests::{Answer, Request, Stack};
use serde_json::json;
use tokio::{sync::Barrier, task::JoinSet};

use crate::support::{
    B0, Created, asked, created, events_of_one, fresh_key, in_progress, mismatch, owner_at_work,
    post,
};

/// Sends all at once.
async fn at_once(requests: Vec<Request>) -> Vec<Answer> {
    let barrier = Arc::new(Barrier::new(requests.len()));
    let mut sent = JoinSet::new();
    for (index, request) in requests.into_iter().enumerate() {
        let barrier = Arc::clone(&barrier);
        sent.spawn(async move {
            barrier.wait().await;
            (index, request.send().await)
        });
    }
    let mut answers = sent.join_all().await;
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Sorts the answers of one side: exactly one decided, the others replay it or are told to come back, and then replay it, too.
async fn one_decision(stack: &Stack, key: &str, body: &str, answers: Vec<Answer>) -> Created {
    let (first, others): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    let [first] = <[Answer; 1]>::try_from(first).unwrap();
    let first = created(first);
    for other in others {
        if other.status == 202 {
            assert_eq!(in_progress(other), first.operation);
        } else {
            first.replayed_by(other);
        }
    }
    first.replayed_by(post(stack, key, body).send().await);
    first
}

#[tokio::test]
async fn n01_of_50_parallel_identical_requests_one_is_decided() {
    let stack = Stack::start(&["--concurrency", "4"]).await;
    stack
        .arm(&json!({ "call": "TransactWriteItems", "fault": "delay", "ms": 1_500 }))
        .await;
    let key = fresh_key();
    let requests = (0..50).map(|_| post(&stack, &key, B0)).collect();
    let answers = at_once(requests).await;
    let met_at_work = answers.iter().any(|answer| answer.status == 202);
    assert!(met_at_work, "nobody met the owner at work");
    let decided = one_decision(&stack, &key, B0, answers).await;
    events_of_one(&stack, &decided).await;
    let asked = asked(&stack).await;
    assert_eq!(asked["TransactWriteItems"]["calls"], 1);
    assert_eq!(asked.get("UpdateItem"), None);
}

#[tokio::test]
async fn of_64_requests_with_one_key_and_two_bodies_one_side_is_decided_once_and_the_other_refused()
{
    let stack = Stack::start(&["--concurrency", "4"]).await;
    let key = fresh_key();
    let other = B0.replace("12500", "99900");
    let body = |index: usize| if index.is_multiple_of(2) { B0 } else { &other };
    let requests = (0..64)
        .map(|index| post(&stack, &key, body(index)))
        .collect();
    let answers = at_once(requests).await;
    let mut sides = [Vec::new(), Vec::new()];
    for (index, answer) in answers.into_iter().enumerate() {
        sides[index % 2].push(answer);
    }
    let winner = sides
        .iter()
        .position(|side| side.iter().any(|answer| answer.status == 201))
        .unwrap();
    for answer in std::mem::take(&mut sides[1 - winner]) {
        assert_eq!(mismatch(answer), ["/facts/amount"]);
    }
    let answers = std::mem::take(&mut sides[winner]);
    let decided = one_decision(&stack, &key, body(winner), answers).await;
    events_of_one(&stack, &decided).await;
    assert_eq!(asked(&stack).await["TransactWriteItems"]["calls"], 1);
}

#[tokio::test]
async fn n02_the_loser_of_a_race_is_no_server_error() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    for _ in 0..5 {
        let key = fresh_key();
        let requests = vec![post(&stack, &key, B0), post(&stack, &key, B0)];
        let answers = at_once(requests).await;
        one_decision(&stack, &key, B0, answers).await;
    }
}

#[tokio::test]
async fn a_caller_who_prefers_to_wait_gets_the_decision() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    let owner = owner_at_work(&stack, &key).await;
    let patient = post(&stack, &key, B0).header("prefer", "wait=15");
    let patient = patient.send().await;
    created(owner.await.unwrap()).replayed_by(patient);
}
