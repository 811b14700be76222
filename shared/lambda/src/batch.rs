//! What Lambda is told of a batch.

use serde::Serialize;

/// A partial batch response: which items have to be handed in again
/// (<https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html>). Needs `ReportBatchItemFailures` in the
/// mapping, without which every answer is a success.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchResponse {
    batch_item_failures: Vec<ItemFailure>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemFailure {
    item_identifier: String,
}

impl BatchResponse {
    /// Of a batch whose failed items are these: message ids of a queue, sequence numbers of a stream. Of a stream, Lambda hands
    /// in everything from the lowest one on again, so that one says it all.
    pub fn of_failed(failed: impl IntoIterator<Item = String>) -> Self {
        let failures = failed
            .into_iter()
            .map(|item_identifier| ItemFailure { item_identifier });
        Self {
            batch_item_failures: failures.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_batch_that_is_done_has_no_failures_and_another_names_them() {
        let text = |response| serde_json::to_string(&response).unwrap();
        assert_eq!(
            text(BatchResponse::default()),
            r#"{"batchItemFailures":[]}"#
        );
        assert_eq!(
            text(BatchResponse::of_failed(["4".to_owned()])),
            r#"{"batchItemFailures":[{"itemIdentifier":"4"}]}"#
        );
    }
}
