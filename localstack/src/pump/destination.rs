//! The record that an on-failure destination gets, in AWS's form.
//!
//! Members from AWS, "Retaining discarded records for a DynamoDB event source in Lambda". The records themselves are
//! not part of it: they are to be read from the stream, by their sequence numbers, while it still has them.

use jiff::Timestamp;
use serde::Serialize;

use super::answer::BatchResult;
use super::config::PumpConfig;
use super::retry::{Attempt, Condition};
use super::stream::Stream;

/// What is known of a batch that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationRecord {
    /// Which function, and why.
    pub request_context: RequestContext,
    /// How the last invocation ended; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_context: Option<ResponseContext>,
    /// Version of this form: `1.0`.
    pub version: &'static str,
    /// When it was given up, RFC 3339 with milliseconds.
    pub timestamp: String,
    /// Where the records are.
    #[serde(rename = "DDBStreamBatchInfo")]
    pub batch: BatchInfo,
}

/// Which function, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestContext {
    /// Names this record.
    pub request_id: String,
    /// ARN of the function.
    pub function_arn: String,
    /// `RetryAttemptsExhausted` or `RecordAgeExceeded`.
    pub condition: &'static str,
    /// Invocations that these records were part of.
    pub approximate_invoke_count: u32,
}

/// How the last invocation ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseContext {
    /// Always 200: the invocation itself took place.
    pub status_code: u16,
    /// Always `$LATEST`.
    pub executed_version: &'static str,
    /// `Unhandled` for a function error; absent for a batch that the function reported as failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_error: Option<&'static str>,
}

/// Where the records are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchInfo {
    /// Their shard.
    pub shard_id: String,
    /// The first one's sequence number.
    pub start_sequence_number: String,
    /// The last one's sequence number.
    pub end_sequence_number: String,
    /// When the first one's change was made, RFC 3339.
    pub approximate_arrival_of_first_record: String,
    /// When the last one's change was made, RFC 3339.
    pub approximate_arrival_of_last_record: String,
    /// How many they are.
    pub batch_size: usize,
    /// Their stream.
    pub stream_arn: String,
}

impl DestinationRecord {
    /// `None` for no records at all, which is nothing to tell of.
    pub(super) fn new(
        attempt: &Attempt,
        condition: Condition,
        config: &PumpConfig,
        stream: &Stream,
    ) -> Option<Self> {
        let (first, last) = (attempt.records.first()?, attempt.records.last()?);
        Some(Self {
            request_context: RequestContext {
                request_id: uuid::Uuid::new_v4().to_string(),
                function_arn: config.function_arn.clone(),
                condition: match condition {
                    Condition::RetryAttemptsExhausted => "RetryAttemptsExhausted",
                    Condition::RecordAgeExceeded => "RecordAgeExceeded",
                },
                approximate_invoke_count: attempt.invocations,
            },
            response_context: attempt.last.map(|result| ResponseContext {
                status_code: 200,
                executed_version: "$LATEST",
                function_error: (result == BatchResult::FunctionError).then_some("Unhandled"),
            }),
            version: "1.0",
            timestamp: format!("{:.3}", time(config.clock.now_ms())),
            batch: BatchInfo {
                shard_id: stream.shard_id.clone(),
                start_sequence_number: first.sequence().to_owned(),
                end_sequence_number: last.sequence().to_owned(),
                approximate_arrival_of_first_record: time(first.created_ms()).to_string(),
                approximate_arrival_of_last_record: time(last.created_ms()).to_string(),
                batch_size: attempt.records.len(),
                stream_arn: stream.arn_in(&config.region),
            },
        })
    }
}

/// A time outside of what can be written is not a time that a record can have.
fn time(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH)
}
