//! What becomes of a batch after an attempt: pure, so that every rule has a test without a stream.
//!
//! Rules from AWS, "Retaining discarded records for a DynamoDB event source in Lambda" and "Configuring partial batch
//! response with DynamoDB and Lambda". Where they are silent: a record's retries are never counted anew, so that it is
//! sent at most `1 + maximum_attempts` times by unsplit retries, however often the checkpoint moves before it.

use std::time::Duration;

use super::answer::BatchResult;
use super::record::StreamRecord;

/// A mapping's limits for a batch that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// `MaximumRetryAttempts`; `None` (AWS: -1) retries until the records expire.
    pub maximum_attempts: Option<u32>,
    /// `MaximumRecordAgeInSeconds`; `None` (AWS: -1) is the stream's retention.
    pub maximum_record_age: Option<Duration>,
    /// `BisectBatchOnFunctionError`: a failed batch is split in two, which does not count as a retry.
    pub bisect: bool,
}

/// AWS's defaults: for ever, unsplit.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            maximum_attempts: None,
            maximum_record_age: None,
            bisect: false,
        }
    }
}

/// Why records are given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// They failed as often as the policy allows.
    RetryAttemptsExhausted,
    /// They are older than the policy, or the stream's retention, allows.
    RecordAgeExceeded,
}

/// Records on their way to the function; never empty.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attempt {
    /// In the order of their sequence numbers.
    pub(super) records: Vec<StreamRecord>,
    /// Retries that these records have had.
    pub(super) retries: u32,
    /// Invocations that these records were part of.
    pub(super) invocations: u32,
    /// How the last of them ended.
    pub(super) last: Option<BatchResult>,
}

impl Attempt {
    pub(super) fn first(records: Vec<StreamRecord>) -> Self {
        Self {
            records,
            retries: 0,
            invocations: 0,
            last: None,
        }
    }

    fn with(&self, records: Vec<StreamRecord>, retries: u32) -> Self {
        Self {
            records,
            retries,
            ..*self
        }
    }
}

/// What an attempt left behind. The records are split between the members, in order: done, then discarded or to be
/// tried again.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Settled {
    /// Records that are done; the last one's sequence number is the new checkpoint.
    pub(super) done: Vec<StreamRecord>,
    /// Records to send again, in this order, before anything else.
    pub(super) again: Vec<Attempt>,
    /// Records to give up.
    pub(super) discarded: Option<(Attempt, Condition)>,
}

/// Applies the policy to an attempt's result.
pub(super) fn settle(mut attempt: Attempt, result: BatchResult, policy: &RetryPolicy) -> Settled {
    attempt.invocations += 1;
    attempt.last = Some(result);
    match result {
        BatchResult::Succeeded => Settled {
            done: attempt.records,
            ..Settled::default()
        },
        // "The batch is bisected at the returned sequence number": the split itself is not a retry.
        BatchResult::FailedFrom(index) if index > 0 => {
            let rest = attempt.records.split_off(index);
            let done = std::mem::take(&mut attempt.records);
            Settled {
                done,
                ..failed(attempt.with(rest, attempt.retries), policy.bisect, policy)
            }
        }
        BatchResult::FailedFrom(_) | BatchResult::Unreadable | BatchResult::FunctionError => {
            if policy.bisect && attempt.records.len() > 1 {
                let second = attempt.records.split_off(attempt.records.len().div_ceil(2));
                let second = attempt.with(second, attempt.retries);
                return Settled {
                    again: vec![attempt, second],
                    ..Settled::default()
                };
            }
            failed(attempt, false, policy)
        }
    }
}

fn failed(attempt: Attempt, was_split: bool, policy: &RetryPolicy) -> Settled {
    let exhausted = policy
        .maximum_attempts
        .is_some_and(|maximum| attempt.retries >= maximum);
    if exhausted && !was_split {
        return Settled {
            discarded: Some((attempt, Condition::RetryAttemptsExhausted)),
            ..Settled::default()
        };
    }
    let retries = attempt.retries + u32::from(!was_split);
    Settled {
        again: vec![Attempt { retries, ..attempt }],
        ..Settled::default()
    }
}

/// Splits off the records that were made before `oldest_ms` (Unix milliseconds); they come first.
pub(super) fn expire(mut attempt: Attempt, oldest_ms: i64) -> (Option<Attempt>, Option<Attempt>) {
    let expired = attempt
        .records
        .iter()
        .take_while(|record| record.created_ms() < oldest_ms)
        .count();
    let rest = attempt.records.split_off(expired);
    let rest = attempt.with(rest, attempt.retries);
    let some = |attempt: Attempt| (!attempt.records.is_empty()).then_some(attempt);
    (some(attempt), some(rest))
}

#[cfg(test)]
mod tests;
