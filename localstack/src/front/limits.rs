//! Sizes that an HTTP API refuses ([quotas](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html)).

use axum::body::{Body, Bytes};
use http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::refusal::Refusal;

/// Request line and header values together, in bytes.
const MAX_HEAD: usize = 10_240;

/// The body, in bytes.
const MAX_BODY: usize = 10 * 1024 * 1024;

/// What Lambda takes as an event, in bytes ([6 MB](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html)).
const MAX_EVENT: usize = 6 * 1024 * 1024;

pub(super) fn check_event(event: &[u8]) -> Result<(), Refusal> {
    if event.len() > MAX_EVENT {
        return Err(Refusal::BodyTooLarge);
    }
    Ok(())
}

pub(super) fn check_head(parts: &Parts) -> Result<(), Refusal> {
    let line = parts.method.as_str().len() + parts.uri.to_string().len();
    let headers: usize = parts
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if line + headers > MAX_HEAD {
        return Err(Refusal::HeadersTooLarge);
    }
    Ok(())
}

pub(super) async fn read_body(body: Body) -> Result<Bytes, Refusal> {
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::BodyTooLarge),
        Err(_) => Err(Refusal::BodyIncomplete),
    }
}
