//! The callers' side: invoke a function and learn how that ended.

use std::{sync::Arc, time::Duration};

use axum::body::Bytes;

use super::Functions;

/// What an invocation came to: the function's answer, or why there is none.
pub type InvokeResult = Result<Bytes, InvokeError>;

/// Why an invocation has no answer. Only [`Throttled`](Self::Throttled) and [`UnknownFunction`](Self::UnknownFunction) say
/// that the function never started; after each of the others it may have done its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvokeError {
    /// The handler returned an error or panicked. The process lives on.
    #[error("the function failed with {error_type}")]
    FunctionError {
        /// `errorType` of the function's report.
        error_type: String,
        /// `errorMessage` of the function's report.
        message: String,
    },
    /// The function ran into its own timeout; its process was killed.
    #[error("the function timed out and its process was killed")]
    TimedOut,
    /// The process died while it worked on the call.
    #[error("the function's process died during the call")]
    InstanceDied,
    /// The caller's patience ended first. A call that had started goes on; one that had not never starts.
    #[error("no answer in the time that the caller gave")]
    CallerGaveUp,
    /// Too many calls wait for a free process.
    #[error("too many calls wait for a free process of the function")]
    Throttled,
    /// There is no function by this name.
    #[error("no function has this name")]
    UnknownFunction,
}

/// A handle with which the front and the stream pump invoke functions. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Invoker {
    functions: Arc<Functions>,
}

impl Invoker {
    /// A handle on `functions`.
    pub fn new(functions: Arc<Functions>) -> Self {
        Self { functions }
    }

    /// Invokes `function` with a JSON `payload` and waits for at most `patience`, queueing included.
    ///
    /// Dropping the future is the same as running out of patience.
    ///
    /// # Errors
    /// Every way in which there is no answer; see [`InvokeError`].
    pub async fn invoke(&self, function: &str, payload: Bytes, patience: Duration) -> InvokeResult {
        let answer = self.functions.enqueue(function, payload)?;
        match tokio::time::timeout(patience, answer).await {
            Ok(Ok(result)) => result,
            // The reply can only be dropped unsent together with everything else, at shutdown.
            Ok(Err(_)) => Err(InvokeError::InstanceDied),
            Err(_) => Err(InvokeError::CallerGaveUp),
        }
    }
}
