//! The settings of a mapping, within AWS's limits.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::checkpoint::CheckpointStore;
use super::filter::Filters;
use super::retry::RetryPolicy;
use crate::engine::EngineClock;

/// Where a mapping without a checkpoint starts to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartingPosition {
    /// At the oldest record that the stream still has.
    #[default]
    TrimHorizon,
    /// Behind what is there when it starts.
    Latest,
}

/// How long the pump waits after an attempt that failed: twice as long each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure.
    pub first: Duration,
    /// At most.
    pub longest: Duration,
}

/// Short waits: whoever watches a local stack sits before it. AWS does not document its own.
impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(100),
            longest: Duration::from_secs(10),
        }
    }
}

impl Backoff {
    /// The wait after this many failures in a row.
    pub(super) fn after(self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(doubled).min(self.longest)
    }
}

/// A mapping from a table's stream to a function. The fields have the names and defaults of AWS's
/// `CreateEventSourceMapping`.
#[derive(Debug, Clone)]
pub struct PumpConfig {
    /// The table whose stream is read.
    pub table: String,
    /// The function's ARN, for the on-failure destination's records.
    pub function_arn: String,
    /// The region that events name.
    pub region: String,
    /// `FilterCriteria`
    pub filters: Filters,
    /// `BatchSize`, in records.
    pub batch_size: usize,
    /// `MaximumBatchingWindowInSeconds`
    pub batching_window: Duration,
    /// `MaximumRetryAttempts`, `MaximumRecordAgeInSeconds`, `BisectBatchOnFunctionError`
    pub retry: RetryPolicy,
    /// `FunctionResponseTypes: [ReportBatchItemFailures]`. Off, as AWS has it by default, the function's answer is not
    /// read.
    pub report_batch_item_failures: bool,
    /// `StartingPosition`
    pub starting_position: StartingPosition,
    /// Where the checkpoint is kept.
    pub checkpoint: CheckpointStore,
    /// The engine's time, by which records age.
    pub clock: EngineClock,
    /// How long the stream keeps a record; DynamoDB: 24 hours.
    pub retention: Duration,
    /// How long the pump waits at the end of the stream before it looks again; AWS looks four times a second.
    pub poll_every: Duration,
    /// Waits between failed attempts.
    pub backoff: Backoff,
}

/// A setting that AWS would refuse as well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {value}, but AWS takes {least} to {most}")]
pub struct InvalidMapping {
    setting: &'static str,
    value: u64,
    least: u64,
    most: u64,
}

impl PumpConfig {
    /// A mapping with AWS's defaults, from this table to this function.
    pub fn new(table: impl Into<String>, function: &str, clock: EngineClock) -> Self {
        let region = "us-east-1";
        Self {
            table: table.into(),
            function_arn: format!("arn:aws:lambda:{region}:000000000000:function:{function}"),
            region: region.into(),
            filters: Filters::none(),
            batch_size: 100,
            batching_window: Duration::ZERO,
            retry: RetryPolicy::default(),
            report_batch_item_failures: false,
            starting_position: StartingPosition::default(),
            checkpoint: CheckpointStore::memory(),
            clock,
            retention: Duration::from_hours(24),
            poll_every: Duration::from_millis(25),
            backoff: Backoff::default(),
        }
    }

    /// Limits from the Lambda API reference, `CreateEventSourceMapping`.
    pub(super) fn check(&self) -> Result<(), InvalidMapping> {
        let batch_size = u64::try_from(self.batch_size).unwrap_or(u64::MAX);
        within("BatchSize", batch_size, 1..=10_000)?;
        let window = self.batching_window.as_secs();
        within("MaximumBatchingWindowInSeconds", window, 0..=300)?;
        if let Some(attempts) = self.retry.maximum_attempts {
            within("MaximumRetryAttempts", attempts.into(), 0..=10_000)?;
        }
        if let Some(age) = self.retry.maximum_record_age {
            within("MaximumRecordAgeInSeconds", age.as_secs(), 60..=604_800)?;
        }
        Ok(())
    }

    /// Records older than this, in Unix milliseconds, are no longer in the stream.
    pub(super) fn horizon_ms(&self) -> i64 {
        self.before_now_ms(self.retention)
    }

    /// Records older than this, in Unix milliseconds, are given up.
    pub(super) fn oldest_allowed_ms(&self) -> i64 {
        let limit = self.retry.maximum_record_age;
        self.before_now_ms(limit.map_or(self.retention, |limit| limit.min(self.retention)))
    }

    fn before_now_ms(&self, age: Duration) -> i64 {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        self.clock.now_ms().saturating_sub(age)
    }
}

fn within(
    setting: &'static str,
    value: u64,
    allowed: RangeInclusive<u64>,
) -> Result<(), InvalidMapping> {
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(InvalidMapping {
        setting,
        value,
        least: *allowed.start(),
        most: *allowed.end(),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    #[test]
    fn a_setting_that_aws_refuses_is_refused_here_with_its_limits() {
        let mut config = PumpConfig::new("outbox", "publish", EngineClock::real());
        assert_eq!(config.check(), Ok(()));
        config.retry.maximum_record_age = Some(Duration::from_secs(59));
        assert_eq!(
            config.check().unwrap_err().to_string(),
            "MaximumRecordAgeInSeconds is 59, but AWS takes 60 to 604800"
        );
        config.batch_size = 0;
        assert!(
            config
                .check()
                .unwrap_err()
                .to_string()
                .contains("BatchSize")
        );
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = Backoff::default();
        assert_eq!(backoff.after(1), Duration::from_millis(100));
        assert_eq!(backoff.after(3), Duration::from_millis(400));
        assert_eq!(backoff.after(1_000), Duration::from_secs(10));
    }
}
