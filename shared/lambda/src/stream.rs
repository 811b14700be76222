//! Events of a DynamoDB stream (<https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html>).

use serde::Deserialize;
use serde_json::Value;

/// A batch of changes.
#[derive(Debug, Deserialize)]
pub struct StreamEvent {
    /// In the order of their shard.
    #[serde(rename = "Records")]
    pub records: Vec<StreamRecord>,
}

/// A change to an item.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamRecord {
    event_name: String,
    user_identity: Option<UserIdentity>,
    /// What changed.
    pub dynamodb: ItemChange,
}

/// Who deleted an item, if it was TTL.
#[derive(Debug, Deserialize)]
struct UserIdentity {
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// The item before and since; its images are DynamoDB's JSON (`{"S":"…"}`).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ItemChange {
    /// The stream's name for the change.
    pub sequence_number: String,
    /// The item before, if there was one.
    pub old_image: Option<Value>,
    /// The item since, if there is one.
    pub new_image: Option<Value>,
}

impl StreamRecord {
    /// Whether the item was deleted; `Some(true)` by TTL. A replica of a global table does not tell.
    #[must_use]
    pub fn removed(&self) -> Option<bool> {
        (self.event_name == "REMOVE").then(|| {
            self.user_identity
                .as_ref()
                .is_some_and(|by| by.kind.as_deref() == Some("Service"))
        })
    }
}
