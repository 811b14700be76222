//! What the gateway answers by itself, without or instead of the function.

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::WWW_AUTHENTICATE};
use serde_json::json;

use crate::runtime_api::InvokeError;

/// An answer of the gateway itself: `{"message": "…"}`, never Problem Details, which are the function's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The `Host` header is missing or names no host of this machine.
    BadHost,
    /// The request target is not a path.
    BadTarget,
    /// The authorizer does not know the caller.
    Unauthorized,
    /// Request line and headers are too long.
    HeadersTooLarge,
    /// The body is too long.
    BodyTooLarge,
    /// The body broke off.
    BodyIncomplete,
    /// The function failed or its answer is none.
    IntegrationFailed,
    /// No answer in time, or no free process.
    IntegrationUnavailable,
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Self::BadHost | Self::BadTarget | Self::BodyIncomplete => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::IntegrationFailed => StatusCode::BAD_GATEWAY,
            Self::IntegrationUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::BadHost => "Bad Request: Host must name this machine, as localhost or 127.0.0.1",
            Self::BadTarget => "Bad Request: the request target must be a path",
            Self::BodyIncomplete => "Bad Request: the body ended early",
            Self::Unauthorized => "Unauthorized",
            Self::HeadersTooLarge => "Request Header Fields Too Large",
            Self::BodyTooLarge => "Request Entity Too Large",
            Self::IntegrationFailed => "Internal Server Error",
            Self::IntegrationUnavailable => "Service Unavailable",
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = Json(json!({ "message": self.message() }));
        let mut response = (self.status(), body).into_response();
        if self == Self::Unauthorized {
            response
                .headers_mut()
                .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<InvokeError> for Refusal {
    fn from(error: InvokeError) -> Self {
        match error {
            InvokeError::FunctionError { .. }
            | InvokeError::TimedOut
            | InvokeError::InstanceDied
            | InvokeError::UnknownFunction => Self::IntegrationFailed,
            // Both are 503 in an HTTP API; a REST API would say 504 to the first.
            InvokeError::CallerGaveUp | InvokeError::Throttled => Self::IntegrationUnavailable,
        }
    }
}
