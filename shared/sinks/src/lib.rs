//! Where events go: adapters of the port [`Sink`](decide_once_service::ports::Sink).
//!
//! * [`http`]: a POST of each event to an URL, signed as a webhook if it is to be;
//! * `eventbridge`: an entry of an event bus;
//! * `sns`, `sqs`: a message of a topic or a queue, also FIFO;
//! * `kafka`: a record of a topic.
//!
//! Each but the first is a feature of that name, and all but the last are in the default build.
//!
//! [`SinkConfig`] reads which of them it is, [`AnySink`] is any of them. `docs/sinks.md` has the variables and the limits.

mod any;
#[cfg(feature = "aws")]
mod aws;
mod config;
#[cfg(feature = "eventbridge")]
pub mod eventbridge;
pub mod http;
#[cfg(feature = "kafka")]
pub mod kafka;
#[cfg(any(feature = "sns", feature = "sqs"))]
mod message;
#[cfg(feature = "aws")]
pub mod requests;
#[cfg(feature = "sns")]
pub mod sns;
#[cfg(feature = "sqs")]
pub mod sqs;
mod verdict;

pub use any::{AnySink, SinkError};
pub use config::{ConfigError, DEFAULT_TIMEOUT, SinkConfig};
#[cfg(feature = "eventbridge")]
pub use eventbridge::EventBridgeSink;
pub use http::HttpSink;
#[cfg(feature = "sns")]
pub use sns::SnsSink;
#[cfg(feature = "sqs")]
pub use sqs::SqsSink;
