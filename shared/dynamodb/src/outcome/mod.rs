//! What an answer of DynamoDB says about a write: applied, not applied, unknown.
//!
//! | answer | says | because |
//! |---|---|---|
//! | 200 | `Applied` | durable |
//! | `ConditionalCheckFailedException` | `Refused`, with the returned item; none is `Absent` | a fact |
//! | `TransactionCanceledException` | see [`cancellation`] | by position |
//! | `TransactionConflictException`, `ReplicatedWriteConflictException` | `NotApplied(Conflict)` | somebody was there; nothing about what stands |
//! | `ProvisionedThroughputExceededException`, `RequestLimitExceeded`, `ThrottlingException` | `NotApplied(Unavailable)` | refused before any work |
//! | `ResourceNotFoundException`, `ValidationException`, `AccessDeniedException`, signature errors, `ItemCollectionSizeLimitExceededException` | `NotApplied(Rejected)` | the same request can never succeed |
//! | `TransactionInProgressException` | `Unknown` | an earlier send of it still runs |
//! | `IdempotentParameterMismatchException` | `Unknown` | an earlier send under this token was seen, with other parameters or another order of them (DynamoDB Local compares bytes); what became of it only a read tells |
//! | `InternalServerError`, `ServiceUnavailable`, every other code | `Unknown` | "may or may not have succeeded" ([error handling]) |
//! | no answer: timeout, dispatch failure, unreadable response | `Unknown` | it may have been sent, and may still arrive |
//! | the request could not be built | `NotApplied(Rejected)` | it was not sent |
//!
//! **An answer speaks for one send.** The SDK sends a call up to three times and hands out the last answer only: a timeout
//! followed by a throttled re-send looks like "throttled, not applied", though the first send may have landed. So every
//! attempt is looked at ([`attempts`]), and after one that is open `NotApplied` becomes `Unknown`. `Refused` and `Blocked` stay: they
//! are facts about what stands there, whoever wrote it.
//!
//! [error handling]: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html

pub mod attempts;
pub mod cancellation;
pub mod codes;
pub(crate) mod told;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use decide_once_protocol::writes::NotApplied;
use decide_once_service::ports::StoreError;

use attempts::Attempts;
use codes::{Effect, of_code};
use told::{Kind, Told};

/// From the SDK's result of a write to the port's answer. `fact` reads the errors that carry a fact.
pub(crate) fn of_write<A: Told, O, E: ProvideErrorMetadata, R>(
    operation: &'static str,
    sent: Result<O, SdkError<E, R>>,
    attempts: &Attempts,
    fact: impl FnOnce(&E) -> Option<A>,
) -> A {
    let Err(error) = sent else {
        return A::applied();
    };
    let answer = match error.as_service_error().and_then(fact) {
        Some(answer) => answer,
        None => match effect(&error) {
            Effect::None(why) => A::not_applied(why),
            Effect::Open | Effect::Told => A::unknown(),
        },
    };
    let answer = match answer.kind() {
        Some(Kind::NotApplied(_)) if attempts.open() => A::unknown(),
        Some(_) | None => answer,
    };
    match answer.kind() {
        Some(Kind::NotApplied(NotApplied::Rejected)) => {
            tracing::error!(operation, why = what(&error), "the store rejected a write");
        }
        Some(Kind::NotApplied(_) | Kind::Unknown) => {
            tracing::warn!(
                operation,
                why = what(&error),
                ?answer,
                "a write was not confirmed"
            );
        }
        Some(Kind::Applied) | None => {}
    }
    answer
}

/// From the SDK's error of a read, or of a mark, to the port's.
pub(crate) fn of_read<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> StoreError {
    match effect(error) {
        Effect::None(NotApplied::Rejected) => StoreError::Rejected(what(error).to_owned()),
        Effect::None(NotApplied::Conflict | NotApplied::Unavailable)
        | Effect::Open
        | Effect::Told => StoreError::Unavailable(what(error).to_owned()),
    }
}

fn effect<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Effect {
    match error {
        SdkError::ConstructionFailure(_) => Effect::None(NotApplied::Rejected),
        SdkError::ServiceError(context) => context.err().code().map_or(Effect::Open, of_code),
        // No answer: timeout, dispatch, response; and what a later SDK may add.
        _ => Effect::Open,
    }
}

/// The error's code, or what kept an answer away: for logs, free of contents.
fn what<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> &str {
    match error {
        SdkError::ConstructionFailure(_) => "the request could not be built",
        SdkError::TimeoutError(_) => "timed out",
        SdkError::DispatchFailure(_) => "no connection",
        SdkError::ResponseError(_) => "unreadable response",
        SdkError::ServiceError(context) => context.err().code().unwrap_or("an error without code"),
        _ => "an error of a kind that this build does not know",
    }
}
