//! A message, and a delivery of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What somebody has sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The queue's name for it.
    pub id: String,
    /// The body.
    pub body: String,
    /// Message attributes of the type `String`; the stack knows no others.
    pub attributes: BTreeMap<String, String>,
    /// When it was sent first, in Unix milliseconds.
    pub sent_ms: i64,
}

/// A message as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// The message.
    pub message: Message,
    /// What it is deleted by; another one for each delivery. Empty where nobody has received it.
    pub receipt: String,
    /// How often it was delivered, this time included.
    pub receives: u32,
}

impl Message {
    pub(super) fn new(body: String, attributes: BTreeMap<String, String>, sent_ms: i64) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            body,
            attributes,
            sent_ms,
        }
    }
}
