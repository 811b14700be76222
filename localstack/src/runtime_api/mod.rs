//! The Lambda service, as far as a function and its callers see it: the Runtime API on one side, invocations on the other.
//!
//! * [`Invoker`]: callers put calls into a function's bounded queue.
//! * [`Functions`]: who works on which call; the one place that knows how each call ends.
//! * `server`: the [Runtime API](https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html) over HTTP. Each process has its own
//!   address (`http://127.0.0.1:port/<function>/<instance>`), so that the call of a process that dies fails at once, not after a timeout.

mod call;
mod function;
mod functions;
mod invoker;
mod registration;
mod server;

pub use function::Load;
pub use functions::{FunctionSpec, Functions, InstanceId};
pub use invoker::{InvokeError, InvokeResult, Invoker};
pub use registration::Registration;
pub use server::{Traces, router};
