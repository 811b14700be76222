//! The pump's ports: the function that it feeds, and where it tells of what it gave up.

use std::future::Future;

use hyper::body::Bytes;

use super::destination::DestinationRecord;
use crate::runtime_api;

/// Why an invocation has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvokeError {
    /// The function started and threw, crashed, timed out or went silent: a function error, which counts against the
    /// mapping's retries.
    #[error("the function failed")]
    Failed,
    /// The function did not start (throttled, not there yet): tried again until the records expire, without counting.
    #[error("the function could not be invoked")]
    NotInvoked,
}

impl From<runtime_api::InvokeError> for InvokeError {
    fn from(error: runtime_api::InvokeError) -> Self {
        use runtime_api::InvokeError as E;
        match error {
            E::FunctionError { .. } | E::TimedOut | E::InstanceDied | E::CallerGaveUp => {
                Self::Failed
            }
            E::Throttled | E::UnknownFunction => Self::NotInvoked,
        }
    }
}

/// The function that a pump feeds. Closures `Fn(Bytes) -> Future` are one.
pub trait Invoke: Send + Sync + 'static {
    /// Invokes the function with a stream event and waits for its answer.
    ///
    /// # Errors
    /// There is no answer; the variant says whether the function may have done its work.
    fn invoke(&self, event: Bytes) -> impl Future<Output = Result<Bytes, InvokeError>> + Send;
}

impl<F, Answer> Invoke for F
where
    F: Fn(Bytes) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Bytes, InvokeError>> + Send,
{
    fn invoke(&self, event: Bytes) -> impl Future<Output = Result<Bytes, InvokeError>> + Send {
        self(event)
    }
}

/// The mapping's on-failure destination.
pub trait OnFailure: Send + Sync + 'static {
    /// Takes the record of a batch that was given up. Once this returns the pump goes on behind that batch; it may tell
    /// of a batch twice.
    fn discarded(&self, record: DestinationRecord) -> impl Future<Output = ()> + Send;
}

/// A mapping without a destination: what is given up is only logged and counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDestination;

impl OnFailure for NoDestination {
    async fn discarded(&self, _record: DestinationRecord) {}
}
