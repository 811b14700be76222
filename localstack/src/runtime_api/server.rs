//! The functions' side: the [Runtime API](https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html) over HTTP.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::{Functions, InstanceId, InvokeError, function::Assignment};
use crate::names;

/// The largest synchronous answer of a function, in bytes
/// ([Lambda quotas](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html): 6 MB).
const MAX_ANSWER: usize = 6 * 1024 * 1024;

/// What the routes accept before they refuse it themselves: a little more than an answer may have.
const MAX_BODY: usize = MAX_ANSWER + 64 * 1024;

/// Which trace an invocation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// A new one for each.
    EachItsOwn,
    /// All are of one: `lambda_runtime` keeps a variable with the trace, and glibc each value that it ever had, so that a process grows with
    /// the traces that it sees (docs/performance.md).
    One,
}

/// The Runtime API of every instance of every function.
pub fn router(functions: Arc<Functions>, traces: Traces) -> Router {
    let next = move |functions, path| next(functions, path, traces);
    let runtime = Router::new()
        .route("/invocation/next", get(next))
        .route("/invocation/{request}/response", post(response))
        .route("/invocation/{request}/error", post(error))
        .route("/init/error", post(init_error));
    Router::new()
        .nest("/{function}/{instance}/2018-06-01/runtime", runtime)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(functions)
}

/// The report of a failed handler or of a failed start.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ErrorReport {
    error_type: String,
    error_message: String,
}

/// `{AwsRequestId}` of a path.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct RequestId(Uuid);

impl TryFrom<String> for RequestId {
    type Error = uuid::Error;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        id.parse().map(Self)
    }
}

async fn next(
    State(functions): State<Arc<Functions>>,
    Path((function, instance)): Path<(String, u64)>,
    traces: Traces,
) -> Response {
    match functions.next(&function, InstanceId(instance)).await {
        Some(assignment) => (
            assignment_headers(&function, &assignment, traces),
            assignment.payload,
        )
            .into_response(),
        None => refusal(
            StatusCode::FORBIDDEN,
            "InvalidInstance",
            "this process no longer counts as an instance",
        ),
    }
}

async fn response(
    State(functions): State<Arc<Functions>>,
    Path((function, instance, request)): Path<(String, u64, RequestId)>,
    body: Bytes,
) -> Response {
    if body.len() > MAX_ANSWER {
        let too_large = InvokeError::FunctionError {
            error_type: "Function.ResponseSizeTooLarge".to_owned(),
            message: format!(
                "the answer has {} bytes, Lambda allows {MAX_ANSWER}",
                body.len()
            ),
        };
        functions.finish(&function, InstanceId(instance), request.0, Err(too_large));
        return refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestEntityTooLarge",
            "exceeded maximum allowed payload size (6291456 bytes)",
        );
    }
    accepted(functions.finish(&function, InstanceId(instance), request.0, Ok(body)))
}

async fn error(
    State(functions): State<Arc<Functions>>,
    Path((function, instance, request)): Path<(String, u64, RequestId)>,
    body: Bytes,
) -> Response {
    // An unreadable report is a report all the same.
    let report: ErrorReport = serde_json::from_slice(&body).unwrap_or_default();
    tracing::warn!(
        function,
        instance,
        error_type = report.error_type,
        "the handler failed"
    );
    let failure = InvokeError::FunctionError {
        error_type: report.error_type,
        message: report.error_message,
    };
    accepted(functions.finish(&function, InstanceId(instance), request.0, Err(failure)))
}

/// A process that could not start says why; it exits afterwards, and whoever runs it deals with that.
async fn init_error(
    State(functions): State<Arc<Functions>>,
    Path((function, instance)): Path<(String, u64)>,
    body: Bytes,
) -> Response {
    let report: ErrorReport = serde_json::from_slice(&body).unwrap_or_default();
    functions.init_failed(&function, InstanceId(instance), report.error_message);
    accepted(true)
}

fn accepted(accepted: bool) -> Response {
    if accepted {
        (StatusCode::ACCEPTED, Json(json!({ "status": "OK" }))).into_response()
    } else {
        refusal(
            StatusCode::BAD_REQUEST,
            "InvalidRequestID",
            "this instance does not work on this request",
        )
    }
}

fn refusal(status: StatusCode, error_type: &str, message: &str) -> Response {
    (
        status,
        Json(json!({ "errorType": error_type, "errorMessage": message })),
    )
        .into_response()
}

fn assignment_headers(function: &str, assignment: &Assignment, traces: Traces) -> HeaderMap {
    let trace = match traces {
        Traces::EachItsOwn => assignment.request_id,
        Traces::One => Uuid::nil(),
    };
    let headers = [
        (
            "lambda-runtime-aws-request-id",
            assignment.request_id.to_string(),
        ),
        (
            "lambda-runtime-deadline-ms",
            deadline_ms(assignment.timeout).to_string(),
        ),
        (
            "lambda-runtime-invoked-function-arn",
            names::function_arn(function),
        ),
        ("lambda-runtime-trace-id", trace_id(trace)),
    ];
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        if let Ok(value) = value.parse() {
            map.insert(name, value);
        }
    }
    map.insert(
        http::header::CONTENT_TYPE,
        http::HeaderValue::from_static("application/json"),
    );
    map
}

/// When the invocation's time is up, in **real** milliseconds since the epoch: a steered clock moves what the functions write into
/// records, not the time that Lambda grants them.
fn deadline_ms(timeout: Duration) -> u128 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    (now + timeout).as_millis()
}

/// An X-Ray header of the documented form, never sampled.
fn trace_id(trace: Uuid) -> String {
    let id = trace.simple().to_string();
    format!(
        "Root=1-{}-{};Parent={};Sampled=0",
        &id[..8],
        &id[8..],
        &id[..16]
    )
}
