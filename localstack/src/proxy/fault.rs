//! The faults a store can show, and their JSON form.
//!
//! `{"call":"PutItem","fault":"conflict","times":2}`; further members by fault: `ms`, `reasons`; optional: `table`,
//! `skip`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A fault to show to the next matching calls.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Wire")]
pub struct StoreFault {
    /// The API operation that is to fail.
    pub call: ApiCall,
    /// Only calls that name this table.
    pub table: Option<String>,
    /// What happens.
    pub fault: Fault,
    /// To how many calls.
    pub times: u32,
    /// How many matching calls pass first.
    pub skip: u32,
}

impl StoreFault {
    /// A fault for the next call of that operation.
    pub fn next(call: ApiCall, fault: Fault) -> Self {
        Self {
            call,
            table: None,
            fault,
            times: 1,
            skip: 0,
        }
    }

    /// For that many calls.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// After that many matching calls have passed.
    #[must_use]
    pub fn skip(self, skip: u32) -> Self {
        Self { skip, ..self }
    }

    /// Only for calls that name this table.
    #[must_use]
    pub fn on_table(self, table: impl Into<String>) -> Self {
        Self {
            table: Some(table.into()),
            ..self
        }
    }
}

/// The API operations that a fault can be armed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they are DynamoDB's own names")]
pub enum ApiCall {
    PutItem,
    GetItem,
    UpdateItem,
    DeleteItem,
    Query,
    Scan,
    BatchGetItem,
    BatchWriteItem,
    TransactWriteItems,
    TransactGetItems,
    ListStreams,
    DescribeStream,
    GetShardIterator,
    GetRecords,
    /// Every operation; `"*"` in JSON.
    #[serde(rename = "*")]
    Any,
}

/// What the store does to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another transaction has the item: `TransactionCanceledException` with `TransactionConflict` for the first item,
    /// or `TransactionConflictException` for a single write. No effect.
    Conflict,
    /// `ProvisionedThroughputExceededException`. No effect.
    Throttle,
    /// `InternalServerError` (500). No effect, which the caller cannot know.
    Unavailable,
    /// `ServiceUnavailable` (503). No effect, which the caller cannot know.
    Overloaded,
    /// The call is applied, then answered with `InternalServerError` (500).
    UnavailableAfter,
    /// The call is applied, then the connection closes without an answer.
    ReplyLost,
    /// The call is applied, and the connection is reset in the middle of the answer's body.
    ReplyCut,
    /// The call is applied at once, and answered after the delay: later than its sender waits for.
    AnswersLate(Duration),
    /// The connection closes and nothing was applied.
    RequestLost,
    /// The connection closes at once; the call arrives and is applied after the delay, however long its sender has been
    /// gone.
    ArrivesLate(Duration),
    /// The call waits before it is applied and answered. If the caller hangs up meanwhile, nothing is applied.
    Delay(Duration),
    /// `TransactionInProgressException`: an earlier call with this token still runs. No effect.
    InProgress,
    /// `TransactionCanceledException` without its list of reasons. No effect.
    ReasonsMissing,
    /// `TransactionCanceledException` with one reason too few, the first of them a failed condition. No effect.
    ReasonsShort,
    /// `TransactionCanceledException` with a reason that is not known today. No effect.
    UnknownReason,
    /// `TransactionCanceledException` with these reason codes. No effect.
    Cancelled(Vec<String>),
    /// `TrimmedDataAccessException`: the position is older than the stream's retention.
    Trimmed,
    /// `ExpiredIteratorException`: the iterator is older than its 15 minutes.
    IteratorExpired,
}

/// The JSON form, flat so that a person can type it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    call: ApiCall,
    fault: Name,
    table: Option<String>,
    times: Option<u32>,
    skip: Option<u32>,
    ms: Option<u64>,
    reasons: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    Conflict,
    Throttle,
    Unavailable,
    Overloaded,
    UnavailableAfter,
    ReplyLost,
    ReplyCut,
    AnswersLate,
    RequestLost,
    ArrivesLate,
    Delay,
    InProgress,
    ReasonsMissing,
    ReasonsShort,
    UnknownReason,
    Cancelled,
    Trimmed,
    IteratorExpired,
}

/// A JSON form that misses what its fault needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Incomplete {
    #[error(
        "faults `delay`, `arrives_late` and `answers_late` need `ms`, a number of milliseconds"
    )]
    Duration,
    #[error("fault `cancelled` needs `reasons`, a list of reason codes")]
    Reasons,
}

impl TryFrom<Wire> for StoreFault {
    type Error = Incomplete;

    fn try_from(wire: Wire) -> Result<Self, Incomplete> {
        let duration = wire
            .ms
            .map(Duration::from_millis)
            .ok_or(Incomplete::Duration);
        let fault = match wire.fault {
            Name::Conflict => Fault::Conflict,
            Name::Throttle => Fault::Throttle,
            Name::Unavailable => Fault::Unavailable,
            Name::Overloaded => Fault::Overloaded,
            Name::UnavailableAfter => Fault::UnavailableAfter,
            Name::ReplyLost => Fault::ReplyLost,
            Name::ReplyCut => Fault::ReplyCut,
            Name::AnswersLate => Fault::AnswersLate(duration?),
            Name::RequestLost => Fault::RequestLost,
            Name::ArrivesLate => Fault::ArrivesLate(duration?),
            Name::Delay => Fault::Delay(duration?),
            Name::InProgress => Fault::InProgress,
            Name::ReasonsMissing => Fault::ReasonsMissing,
            Name::ReasonsShort => Fault::ReasonsShort,
            Name::UnknownReason => Fault::UnknownReason,
            Name::Cancelled => Fault::Cancelled(wire.reasons.ok_or(Incomplete::Reasons)?),
            Name::Trimmed => Fault::Trimmed,
            Name::IteratorExpired => Fault::IteratorExpired,
        };
        Ok(Self {
            call: wire.call,
            table: wire.table,
            fault,
            times: wire.times.unwrap_or(1),
            skip: wire.skip.unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    fn parse(json: &str) -> Result<StoreFault, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn the_form_of_the_faults_endpoint_is_read() {
        let fault = parse(r#"{"call":"PutItem","fault":"conflict","times":2}"#).unwrap();
        assert_eq!(
            fault,
            StoreFault::next(ApiCall::PutItem, Fault::Conflict).times(2)
        );
        let fault = parse(r#"{"call":"*","fault":"delay","ms":300,"skip":1,"table":"outbox"}"#);
        assert_eq!(
            fault.unwrap(),
            StoreFault::next(ApiCall::Any, Fault::Delay(Duration::from_millis(300)))
                .skip(1)
                .on_table("outbox")
        );
    }

    #[test]
    fn a_fault_without_what_it_needs_is_refused_with_the_missing_member() {
        let error = parse(r#"{"call":"GetItem","fault":"delay"}"#).unwrap_err();
        assert!(error.contains("`ms`"), "{error}");
        let error = parse(r#"{"call":"TransactWriteItems","fault":"cancelled"}"#).unwrap_err();
        assert!(error.contains("`reasons`"), "{error}");
        let error = parse(r#"{"call":"GetItem","fault":"conflict","time":3}"#).unwrap_err();
        assert!(error.contains("unknown field `time`"), "{error}");
    }
}
