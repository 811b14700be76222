//! What an error of the SDK says of the events of its request.
//!
//! A wrong poison takes a good event out of the way until somebody looks; a wrong "not available" is tried again, and shows
//! as lag. So only what is known to be about the event itself is poison. Messages are not told: they may quote the event.

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use decide_once_protocol::envelope::EventLimit;
use decide_once_service::ports::SendError;

use crate::requests::Entry;

/// Parts of codes that are about the name of the sink, or what the function may do, and so about every event alike.
const OF_THE_SETTING: [&str; 9] = [
    "AccessDenied",
    "Authorization",
    "DoesNotExist",
    "InvalidAddress",
    "KMS",
    "Kms",
    "NonExistent",
    "NotAuthorized",
    "NotFound",
];

/// Parts of codes that a request gets which is too large.
const OF_THE_SIZE: [&str; 4] = ["TooLong", "TooLarge", "Validation", "InvalidParameter"];

/// What an error of a whole request says of its events.
pub(crate) fn of_request<E: ProvideErrorMetadata>(
    error: &SdkError<E, HttpResponse>,
    entries: &[Entry<'_>],
) -> SendError {
    let code = match error {
        SdkError::ServiceError(answer) => answer.err().code().unwrap_or_default(),
        SdkError::TimeoutError(_) => return unavailable("no answer in time"),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            return unavailable("no answer in time");
        }
        SdkError::DispatchFailure(_) => return unavailable("no connection, or no credentials"),
        SdkError::ConstructionFailure(_) => return unavailable("the request could not be made"),
        SdkError::ResponseError(_) => return unavailable("its answer could not be read"),
        _ => return unavailable("no answer"),
    };
    let about_size = OF_THE_SIZE.iter().any(|part| code.contains(part));
    match entries {
        [alone] if about_size && alone.size > EventLimit::DEFAULT_BYTES => {
            SendError::Poison(format!("{}: it has {} bytes", said(code), alone.size))
        }
        [_, _, ..] if about_size => {
            SendError::Unavailable(format!("{}; lower SINK_BATCH_BYTES", said(code)))
        }
        _ => of_code(code),
    }
}

/// Not available, because of this code.
pub(crate) fn of_code(code: &str) -> SendError {
    let said = said(code);
    SendError::Unavailable(if OF_THE_SETTING.iter().any(|part| code.contains(part)) {
        format!("{said}; check the sink's name and the function's permissions")
    } else {
        said
    })
}

/// Refused for ever, because of this code.
pub(crate) fn poison(code: &str) -> SendError {
    SendError::Poison(said(code))
}

/// A code, if it looks like one.
fn said(code: &str) -> String {
    let named = (1..=64).contains(&code.len())
        && code
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    format!("it answered {}", if named { code } else { "an error" })
}

fn unavailable(why: &str) -> SendError {
    SendError::Unavailable(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_told_and_anything_else_is_not() {
        assert_eq!(
            of_code("ThrottlingException").to_string(),
            "the sink is not available (it answered ThrottlingException)"
        );
        assert!(
            of_code("KMS.DisabledException")
                .to_string()
                .contains("permissions")
        );
        for odd in ["", "the body was {\"amount\":1}", &"x".repeat(65)] {
            assert_eq!(
                poison(odd),
                SendError::Poison("it answered an error".to_owned())
            );
        }
    }
}
