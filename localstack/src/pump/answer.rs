//! What a function's answer says about its batch.
//!
//! Rules from AWS, "Configuring partial batch response with DynamoDB and Lambda".

use serde_json::Value;

use super::record::StreamRecord;

/// How a batch fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BatchResult {
    /// Every record is done.
    Succeeded,
    /// The records before this index are done; it and all behind it are to be sent again.
    FailedFrom(usize),
    /// Nothing is known to be done, although the function answered.
    Unreadable,
    /// The function threw, crashed or timed out.
    FunctionError,
}

/// Reads `{"batchItemFailures":[{"itemIdentifier":"<sequence number>"}]}`.
///
/// Nothing, `null`, `{}` and an empty or null list are a success. An identifier that is missing, empty or not of this
/// batch makes the whole batch fail, as does any answer of another shape.
pub(super) fn read(answer: &[u8], batch: &[StreamRecord]) -> BatchResult {
    if answer.trim_ascii().is_empty() {
        return BatchResult::Succeeded;
    }
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else {
        return BatchResult::Unreadable;
    };
    let failures = match &answer {
        Value::Null => return BatchResult::Succeeded,
        Value::Object(members) => members.get("batchItemFailures").unwrap_or(&Value::Null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return BatchResult::Unreadable;
        }
    };
    match failures {
        Value::Null => BatchResult::Succeeded,
        Value::Array(failures) => lowest(failures, batch),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            BatchResult::Unreadable
        }
    }
}

/// A batch is in the order of its sequence numbers, so the lowest one is the one that comes first.
fn lowest(failures: &[Value], batch: &[StreamRecord]) -> BatchResult {
    let positions: Option<Vec<usize>> = failures
        .iter()
        .map(|failure| {
            let named = failure.get("itemIdentifier")?.as_str()?;
            batch.iter().position(|record| record.sequence() == named)
        })
        .collect();
    match positions {
        None => BatchResult::Unreadable,
        Some(positions) => positions
            .into_iter()
            .min()
            .map_or(BatchResult::Succeeded, BatchResult::FailedFrom),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::numbered;
    use super::*;

    fn read_ten(answer: &str) -> BatchResult {
        read(answer.as_bytes(), &numbered(1..=10))
    }

    fn item(id: u64) -> String {
        format!(r#"{{"itemIdentifier":"{id}"}}"#)
    }

    #[test]
    fn nothing_reported_is_a_complete_success() {
        for answer in [
            "",
            "null",
            "{}",
            r#"{"batchItemFailures":[]}"#,
            r#"{"batchItemFailures":null}"#,
        ] {
            assert_eq!(read_ten(answer), BatchResult::Succeeded, "{answer}");
        }
    }

    #[test]
    fn the_lowest_of_several_failures_counts_in_whatever_order_they_come() {
        let answer = format!(r#"{{"batchItemFailures":[{},{}]}}"#, item(7), item(4));
        assert_eq!(read_ten(&answer), BatchResult::FailedFrom(3));
    }

    #[test]
    fn an_identifier_that_names_no_record_fails_the_complete_batch() {
        for failure in [
            r#"{"itemIdentifier":""}"#,
            r#"{"itemIdentifier":null}"#,
            r#"{"itemIdentifier":"11"}"#,
            r#"{"itemIdentifier":4}"#,
            r#"{"id":"4"}"#,
            r#""4""#,
        ] {
            let answer = format!(r#"{{"batchItemFailures":[{},{failure}]}}"#, item(4));
            assert_eq!(read_ten(&answer), BatchResult::Unreadable, "{failure}");
        }
    }

    #[test]
    fn an_answer_of_another_shape_fails_the_complete_batch() {
        for answer in ["done", r#""done""#, "[]", r#"{"batchItemFailures":"4"}"#] {
            assert_eq!(read_ten(answer), BatchResult::Unreadable, "{answer}");
        }
    }
}
