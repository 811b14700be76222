#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use super::super::record::numbered;
use super::*;

fn batch(numbers: std::ops::RangeInclusive<u32>) -> Attempt {
    Attempt::first(numbered(numbers))
}

fn at_most(maximum: u32) -> RetryPolicy {
    RetryPolicy {
        maximum_attempts: Some(maximum),
        ..RetryPolicy::default()
    }
}

fn numbers(records: &[StreamRecord]) -> Vec<u32> {
    records
        .iter()
        .map(|record| record.sequence().parse().unwrap())
        .collect()
}

#[test]
fn a_success_leaves_nothing_to_do() {
    let settled = settle(batch(1..=3), BatchResult::Succeeded, &at_most(0));
    assert_eq!(numbers(&settled.done), [1, 2, 3]);
    assert!(settled.again.is_empty() && settled.discarded.is_none());
}

#[test]
fn a_partial_failure_retries_from_the_lowest_failed_one_and_nothing_before_it() {
    let settled = settle(batch(1..=10), BatchResult::FailedFrom(3), &at_most(5));
    assert_eq!(numbers(&settled.done), [1, 2, 3]);
    let [again] = &settled.again[..] else {
        panic!("one attempt expected: {settled:?}")
    };
    assert_eq!(numbers(&again.records), [4, 5, 6, 7, 8, 9, 10]);
    assert_eq!((again.retries, again.invocations), (1, 1));
}

#[test]
fn a_moving_checkpoint_does_not_win_new_retries() {
    let mut attempt = batch(1..=3);
    attempt.retries = 5;
    let settled = settle(attempt, BatchResult::FailedFrom(1), &at_most(5));
    assert_eq!(numbers(&settled.done), [1]);
    let (discarded, condition) = settled.discarded.unwrap();
    assert_eq!(numbers(&discarded.records), [2, 3]);
    assert_eq!(condition, Condition::RetryAttemptsExhausted);
}

#[test]
fn a_batch_is_sent_once_more_than_it_may_be_retried() {
    let mut attempt = batch(1..=2);
    for _ in 0..2 {
        let mut settled = settle(attempt, BatchResult::FunctionError, &at_most(2));
        assert!(settled.discarded.is_none());
        attempt = settled.again.remove(0);
    }
    let settled = settle(attempt, BatchResult::FunctionError, &at_most(2));
    let (discarded, _) = settled.discarded.unwrap();
    assert_eq!(discarded.invocations, 3);
    assert!(settled.again.is_empty());
}

#[test]
fn without_a_limit_it_is_retried_for_ever() {
    let mut attempt = batch(1..=1);
    attempt.retries = u32::MAX - 1;
    let settled = settle(attempt, BatchResult::Unreadable, &RetryPolicy::default());
    assert_eq!(settled.again.len(), 1);
}

#[test]
fn bisecting_isolates_the_poison_record_without_using_up_retries() {
    let policy = RetryPolicy {
        bisect: true,
        ..at_most(1)
    };
    let mut waiting = vec![batch(1..=1001)];
    let mut done = Vec::new();
    let mut discarded = Vec::new();
    let mut invocations = 0;
    while let Some(attempt) = waiting.pop() {
        invocations += 1;
        let poisoned = attempt.records.iter().any(|r| r.sequence() == "1");
        let result = if poisoned {
            BatchResult::FunctionError
        } else {
            BatchResult::Succeeded
        };
        let mut settled = settle(attempt, result, &policy);
        done.extend(numbers(&settled.done));
        discarded.extend(settled.discarded);
        waiting.extend(settled.again.drain(..).rev());
    }
    let [(poison, Condition::RetryAttemptsExhausted)] = &discarded[..] else {
        panic!("one record given up expected: {discarded:?}")
    };
    assert_eq!(numbers(&poison.records), [1]);
    assert_eq!(done, (2..=1001).collect::<Vec<_>>());
    // 1001 → 501 → … → 1 takes 10 splits, then the one alone fails twice; each split leaves one good half.
    assert_eq!(invocations, 10 + 2 + 10);
}

#[test]
fn bisecting_at_a_reported_number_is_not_a_retry_but_reporting_the_first_splits_in_two() {
    let policy = RetryPolicy {
        bisect: true,
        ..at_most(0)
    };
    let mut settled = settle(batch(1..=10), BatchResult::FailedFrom(3), &policy);
    let rest = settled.again.remove(0);
    assert_eq!((numbers(&rest.records).len(), rest.retries), (7, 0));
    let settled = settle(rest, BatchResult::FailedFrom(0), &policy);
    let halves: Vec<_> = settled.again.iter().map(|a| numbers(&a.records)).collect();
    assert_eq!(halves, [vec![4, 5, 6, 7], vec![8, 9, 10]]);
}

#[test]
fn only_records_older_than_the_limit_expire() {
    let (expired, rest) = expire(batch(1..=5), 3_000);
    assert_eq!(numbers(&expired.unwrap().records), [1, 2]);
    assert_eq!(numbers(&rest.unwrap().records), [3, 4, 5]);
    assert!(expire(batch(1..=5), 0).0.is_none());
    assert!(expire(batch(1..=5), 9_000).1.is_none());
}
