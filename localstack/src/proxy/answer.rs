//! DynamoDB's error answers, in the form that the SDK parses.
//!
//! Shapes from the API reference, "Error handling with DynamoDB" and "TransactWriteItems"; the SDK reads the code from
//! `__type` and needs no `x-amz-crc32`.

use http::{Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};

const API: &str = "com.amazonaws.dynamodb.v20120810";
const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
const NO_REASON: &str = "None";

/// One error with its message.
pub(super) fn error(status: StatusCode, code: &str, message: &str) -> Response<Full<Bytes>> {
    respond(
        status,
        &json!({ "__type": format!("{API}#{code}"), "message": message }),
    )
}

/// A conflict with another transaction: a transaction names the item by its position, a single write has an error of
/// its own.
pub(super) fn conflict(operation: &str, body: &[u8]) -> Response<Full<Bytes>> {
    match transact_items(body) {
        Some(items) if operation.starts_with("Transact") => {
            cancelled(&padded("TransactionConflict", items))
        }
        _ => error(
            StatusCode::BAD_REQUEST,
            "TransactionConflictException",
            "Transaction is ongoing for the item",
        ),
    }
}

/// A cancelled transaction with these reason codes, by position.
pub(super) fn cancelled(codes: &[String]) -> Response<Full<Bytes>> {
    let reasons: Vec<_> = codes.iter().map(|code| json!({ "Code": code })).collect();
    let message = format!(
        "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
        codes.join(", ")
    );
    respond(
        StatusCode::BAD_REQUEST,
        &json!({
            "__type": format!("{API}#TransactionCanceledException"),
            "Message": message,
            "CancellationReasons": reasons,
        }),
    )
}

/// A cancelled transaction that does not say why.
pub(super) fn cancelled_without_reasons() -> Response<Full<Bytes>> {
    respond(
        StatusCode::BAD_REQUEST,
        &json!({
            "__type": format!("{API}#TransactionCanceledException"),
            "Message": "Transaction cancelled",
        }),
    )
}

/// One reason too few, and the first one a failed condition: a reader that trusts positions draws the wrong conclusion
/// (case D07).
pub(super) fn cancelled_with_a_reason_too_few(body: &[u8]) -> Response<Full<Bytes>> {
    let items = transact_items(body).unwrap_or_default();
    cancelled(&padded("ConditionalCheckFailed", items.saturating_sub(1)))
}

/// A reason code from the future for the first item.
pub(super) fn cancelled_for_an_unknown_reason(body: &[u8]) -> Response<Full<Bytes>> {
    cancelled(&padded(
        "FutureReason",
        transact_items(body).unwrap_or_default(),
    ))
}

/// Whether a request body names that table, in whichever of its items.
pub(super) fn names_table(body: &[u8], table: &str) -> bool {
    fn names(value: &Value, table: &str) -> bool {
        match value {
            Value::Object(members) => members.iter().any(|(name, member)| {
                (name == "TableName" && member.as_str() == Some(table)) || names(member, table)
            }),
            Value::Array(items) => items.iter().any(|item| names(item, table)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }
    serde_json::from_slice(body).is_ok_and(|body| names(&body, table))
}

fn transact_items(body: &[u8]) -> Option<usize> {
    let body: Value = serde_json::from_slice(body).ok()?;
    Some(body.get("TransactItems")?.as_array()?.len())
}

/// `code` for the first of `len` items, no reason for the rest.
fn padded(code: &str, len: usize) -> Vec<String> {
    std::iter::once(code)
        .chain(std::iter::repeat(NO_REASON))
        .take(len)
        .map(str::to_owned)
        .collect()
}

fn respond(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static(CONTENT_TYPE),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_inside_a_transaction() {
        let body = br#"{"TransactItems":[{"Put":{"TableName":"decisions","Item":{}}}]}"#;
        assert!(names_table(body, "decisions"));
        assert!(!names_table(body, "outbox"));
        assert!(!names_table(b"not json", "outbox"));
    }
}
