//! What the loop needs of a network.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use decide_once_protocol::key::IdempotencyKey;

/// One attempt at an operation.
pub trait Transport: Send + Sync {
    /// Posts a body under a key and waits for the answer.
    ///
    /// # Errors
    /// There is none; whether the request arrived is not known.
    fn post(
        &self,
        key: &IdempotencyKey,
        body: Bytes,
    ) -> impl Future<Output = Result<Answer, NoAnswer>> + Send;
}

/// An answer, as far as the loop looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// `Idempotent-Replayed: true`.
    pub replayed: bool,
    /// `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Bytes,
}

/// Why there is no answer. Without the system's own words, which may hold addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// Nothing was sent.
    #[error("no connection")]
    Connection,
    /// Something may have been.
    #[error("the connection broke before there was an answer")]
    Broken,
    /// Likewise.
    #[error("no answer in time")]
    InTime,
    /// A success that is not the service's: a page of whoever else listens there, or another key's decision.
    #[error("an answer that is no decision of this key")]
    Foreign,
}
