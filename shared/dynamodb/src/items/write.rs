//! Attribute values, by type.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::time::{Timestamp, TtlSeconds};

/// S.
pub(crate) fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

/// N.
pub(crate) fn number(number: impl Into<i64>) -> AttributeValue {
    AttributeValue::N(number.into().to_string())
}

/// N, milliseconds since the epoch.
pub(crate) fn instant(instant: Timestamp) -> AttributeValue {
    number(instant.as_millis())
}

/// N, seconds since the epoch: for [`super::TTL`] only.
pub(crate) fn seconds(ttl: TtlSeconds) -> AttributeValue {
    number(ttl.as_secs())
}

/// B.
pub(crate) fn bytes(bytes: Vec<u8>) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}
