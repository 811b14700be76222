//! The changes of a stream's event.

use decide_once_dynamodb::items::change::{self, Images};
use decide_once_lambda::stream::{ItemChange, StreamEvent, StreamRecord};
use decide_once_lambda::trace;
use decide_once_service::publish::{Change, Image};

/// The changes, in the event's order.
#[must_use]
pub fn changes(event: StreamEvent) -> Vec<Change> {
    event.records.into_iter().map(change_of).collect()
}

/// The traces of the rows that a batch shows.
pub(crate) fn traces(batch: &[Change]) -> Option<String> {
    let rows = batch.iter().filter_map(|change| match &change.after {
        Image::Row(row) => row.event.trace,
        Image::Gone { .. } | Image::Unreadable { .. } => None,
    });
    trace::ids(rows)
}

fn change_of(record: StreamRecord) -> Change {
    let removed = record.removed();
    let ItemChange {
        sequence_number,
        old_image: old,
        new_image: new,
    } = record.dynamodb;
    match removed {
        Some(expired) => change::deleted(sequence_number, old, expired),
        // Also without an image, which only a stream of another view type has: it is said to be unreadable, not taken
        // for a removal.
        None => change::written(sequence_number, Images { old, new }),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::{Value, json};

    use super::*;

    /// A row is committed, marked and removed by TTL; another is removed by hand.
    const EVENT: &str = include_str!("../fixtures/stream-event.json");

    fn changes(event: Value) -> Vec<Change> {
        super::changes(serde_json::from_value(event).unwrap())
    }

    fn event() -> Value {
        serde_json::from_str(EVENT).unwrap()
    }

    #[test]
    fn a_stream_event_is_read_record_by_record() {
        let changes = changes(event());
        let [committed, marked, expired, removed] = &changes[..] else {
            panic!("{} changes", changes.len());
        };
        assert_eq!(committed.sequence, "100000000000000000001");
        assert_eq!(committed.before, None);
        let Image::Row(row) = &committed.after else {
            panic!("{committed:?}");
        };
        assert_eq!(row.event.subject, "acct-42");
        assert!(marked.before.is_some());
        assert!(matches!(&marked.after, Image::Row(marked) if marked.event == row.event));
        assert_eq!(expired.after, Image::Gone { expired: true });
        assert_eq!(removed.after, Image::Gone { expired: false });
    }

    #[test]
    fn an_image_that_cannot_be_read_concerns_its_own_record_only() {
        for (member, value) in [
            ("v", json!({ "N": "2" })),
            ("v", json!({ "S": "1" })),
            ("content", json!({ "S": "garbage" })),
            ("content", json!({ "Q": "no type of DynamoDB" })),
            ("undelivered", json!({ "S": "yesterday" })),
        ] {
            let mut event = event();
            event["Records"][0]["dynamodb"]["NewImage"][member] = value.clone();
            let changes = changes(event);
            assert!(
                matches!(changes[0].after, Image::Unreadable { .. }),
                "{member}: {value}"
            );
            assert!(matches!(changes[1].after, Image::Row(_)));
        }
    }

    #[test]
    fn a_write_without_its_image_is_not_taken_for_a_removal() {
        let mut event = event();
        event["Records"][0]["dynamodb"]["NewImage"] = Value::Null;
        assert!(matches!(
            changes(event)[0].after,
            Image::Unreadable { event: None, .. }
        ));
    }

    #[test]
    fn odd_members_do_not_matter() {
        let mut event = event();
        event["Records"][0]["dynamodb"]["ApproximateCreationDateTime"] = json!("soon");
        event["Records"][0]["dynamodb"]["SizeBytes"] = Value::Null;
        event["Records"][0]["awsRegion"] = json!(7);
        event["Records"][0]["userIdentity"] = Value::Null;
        assert!(matches!(changes(event)[0].after, Image::Row(_)));
    }
}
