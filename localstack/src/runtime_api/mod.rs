//! The Lambda service, as far as a function and its callers see it: the Runtime API on one side, invocations on the other.

mod invoker;

pub use invoker::{InvokeError, InvokeResult, Invoker};
