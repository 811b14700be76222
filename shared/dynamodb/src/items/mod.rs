//! How things lie in their tables.
//!
//! Each module has its table of attribute names, an encoder and a strict decoder. The version `v` is read first: what a newer
//! version wrote is [`Unreadable::Newer`], what no version writes is [`Unreadable::Corrupt`] with the attribute's name and never
//! its value. Attributes that nobody here knows are tolerated, so that an older reader may meet a younger writer of the same
//! version. Nothing is guessed: what is missing has no default, unless the table of names says what its absence means.
//!
//! Names are short because every byte of a first request is paid for (`tests/adapter/size.rs`), and none that an expression of a
//! first request uses is a reserved word (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html>),
//! so that no `ExpressionAttributeNames` travel along.

pub mod change;
pub mod claim;
pub mod decision;
pub mod mark;
pub mod mismatches;
pub mod operation;
pub mod outbox;

pub(crate) mod packed;
mod reader;
pub(crate) mod write;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::writes::Unreadable;

/// A stored item as the SDK has it.
pub type Item = HashMap<String, AttributeValue>;

/// N, in every item: the version of the layout. Read before anything else.
pub const V: &str = "v";

/// N, in items that end: what DynamoDB's TTL reads, in seconds. Never read here; expiry is judged by the stored instants.
pub const TTL: &str = "ttlSec";

/// S: the trace that something belongs to, as a `traceparent`.
pub const TRACE: &str = "trace";

pub(crate) type Decoded<T> = Result<T, Unreadable>;
