//! Errors of the local-only API: `{"message": "…"}`.

use axum::{
    Json,
    body::Bytes,
    response::{IntoResponse, Response},
};
use http::{StatusCode, Uri};
use serde::de::DeserializeOwned;
use serde_json::json;

/// An answer that says what was wrong.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    message: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    pub(super) fn not_found(uri: &Uri) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("the local stack has no /_local{}", uri.path()),
        )
    }

    pub(super) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "this path takes another method",
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "message": self.message }))).into_response()
    }
}

/// Reads a JSON body whatever its media type says, since people type these calls.
pub(super) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))
}
