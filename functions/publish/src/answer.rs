//! What Lambda is told of a batch.

use decide_once_service::publish::Report;
use serde::Serialize;

/// A partial batch response (<https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html>).
/// Needs `ReportBatchItemFailures` in the mapping, without which every answer is a success.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchResponse {
    batch_item_failures: Vec<ItemFailure>,
}

/// Lambda hands in everything from the lowest sequence number on again, so one says it all.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemFailure {
    item_identifier: String,
}

impl BatchResponse {
    pub(crate) fn of(report: Report) -> Self {
        let failure = report
            .stopped
            .map(|(item_identifier, _)| ItemFailure { item_identifier });
        Self {
            batch_item_failures: failure.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use decide_once_service::publish::Stop;

    use super::*;

    fn answer(report: Report) -> String {
        serde_json::to_string(&BatchResponse::of(report)).unwrap()
    }

    #[test]
    fn a_batch_that_is_done_has_no_failures_and_another_names_the_first() {
        assert_eq!(answer(Report::default()), r#"{"batchItemFailures":[]}"#);
        let stopped = Report {
            stopped: Some(("4".to_owned(), Stop::OutOfTime)),
            ..Report::default()
        };
        assert_eq!(
            answer(stopped),
            r#"{"batchItemFailures":[{"itemIdentifier":"4"}]}"#
        );
    }
}
