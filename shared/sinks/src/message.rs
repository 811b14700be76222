//! The body of a message of SNS or SQS.

use decide_once_protocol::envelope::MESSAGE_ATTRIBUTE;
use decide_once_protocol::outbox::OutboxRow;

/// Its one attribute: name, data type, value.
pub(crate) const ATTRIBUTE: [&str; 3] = MESSAGE_ATTRIBUTE;

/// The CloudEvent. A message takes the characters of XML 1.0 only
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html>). JSON escapes all
/// that are missing there but two, which can only be inside of its strings: escaped, they are the same JSON.
pub(crate) fn body(row: &OutboxRow) -> String {
    let text = row.event.to_cloud_event();
    if text.contains(['\u{fffe}', '\u{ffff}']) {
        text.replace('\u{fffe}', r"\ufffe")
            .replace('\u{ffff}', r"\uffff")
    } else {
        text
    }
}

/// Group and deduplication id, where the topic or queue is FIFO.
pub(crate) fn fifo(is_fifo: bool, row: &OutboxRow) -> Option<(String, String)> {
    is_fifo.then(|| (row.event.group(), row.transport_id()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use decide_once_tests::samples;
    use serde_json::Value;

    use super::*;

    #[test]
    fn characters_that_no_message_takes_are_escaped_and_mean_the_same() {
        let mut row = samples::row(0);
        assert_eq!(body(&row), row.event.to_cloud_event());
        row.event.subject = "a\u{ffff}b\u{fffe}c\u{fffd}".to_owned();
        row.event.data = "{\"\u{ffff}\":1}".to_owned();
        let body = body(&row);
        assert!(!body.contains(['\u{fffe}', '\u{ffff}']));
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(read(&body), read(&row.event.to_cloud_event()));
    }
}
