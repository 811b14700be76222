//! The stream's event, as Lambda hands it in.
//!
//! Only what is needed is read, and of the images only that they are JSON: a record that is odd in some other member, or has an
//! image that cannot be read, must not make its whole batch unreadable, which would hold up everything behind it.

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
        // Also without an image, which only a stream of another view type has: it is said to be unreadable, not taken for a removal.
        change::written(sequence_number, Images { old, new })
    }
}
