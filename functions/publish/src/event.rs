//! The stream's event, as Lambda hands it in.
//!
//! Only what is needed is read, and of the images only that they are JSON: a record that is odd in some other member,
//! or has an image that cannot be read, must not make its whole batch unreadable, which would hold up everything behind
//! it.

use decide_once_dynamodb::items::change::{self, Images};
use decide_once_service::publish::Change;
use serde::Deserialize;
use serde_json::Value;

/// An event of a DynamoDB stream (<https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html>).
#[derive(Debug, Deserialize)]
pub(crate) struct StreamEvent {
    #[serde(rename = "Records")]
    records: Vec<Record>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    event_name: String,
    user_identity: Option<UserIdentity>,
    dynamodb: ItemChange,
}

/// Who deleted an item, if it was TTL.
#[derive(Debug, Deserialize)]
struct UserIdentity {
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ItemChange {
    sequence_number: String,
    old_image: Option<Value>,
    new_image: Option<Value>,
}

impl StreamEvent {
    pub(crate) fn into_changes(self) -> Vec<Change> {
        self.records.into_iter().map(Record::into_change).collect()
    }
}

impl Record {
    fn into_change(self) -> Change {
        let ItemChange {
            sequence_number,
            old_image: old,
            new_image: new,
        } = self.dynamodb;
        if self.event_name == "REMOVE" {
            let expired = self
                .user_identity
                .is_some_and(|by| by.kind.as_deref() == Some("Service"));
            return change::deleted(sequence_number, old, expired);
        }
        // Also without an image, which only a stream of another view type has: it is said to be unreadable, not taken
        // for a removal.
        change::written(sequence_number, Images { old, new })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use decide_once_service::publish::Image;
    use serde_json::json;

    use super::*;

    /// A row is committed, marked and removed by TTL; another is removed by hand.
    const EVENT: &str = include_str!("../fixtures/stream-event.json");

    fn changes(event: Value) -> Vec<Change> {
        serde_json::from_value::<StreamEvent>(event)
            .unwrap()
            .into_changes()
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
