//! Numbers for machines.

use decide_once_protocol::json::{Object, Value, object};
use decide_once_protocol::time::Timestamp;

/// The last line of a list.
pub(super) fn summary(counts: Object) -> Object {
    object([("summary", Value::from(counts))])
}

/// How many.
pub(super) fn count(number: usize) -> Value {
    Value::from(u64::try_from(number).unwrap_or(u64::MAX))
}

/// An age.
pub(super) fn seconds(since: Timestamp, now: Timestamp) -> Value {
    Value::from(since.until(now).as_secs())
}
