//! Where events go: adapters of the port [`Sink`](decide_once_service::ports::Sink).
//!
//! * [`http`]: a POST of each event to an URL, signed as a webhook if it is to be;
//! * [`eventbridge`]: an entry of an event bus;
//! * [`sns`], [`sqs`]: a message of a topic or a queue, also FIFO;
//! * `kafka`, with the feature of that name: a record of a topic.
//!
//! [`SinkConfig`] reads which of them it is, [`AnySink`] is any of them. `docs/sinks.md` has the variables and the limits.

mod any;
mod aws;
mod config;
pub mod eventbridge;
pub mod http;
#[cfg(feature = "kafka")]
pub mod kafka;
mod message;
pub mod requests;
pub mod sns;
pub mod sqs;
mod verdict;

pub use any::{AnySink, SinkError};
pub use config::{ConfigError, DEFAULT_TIMEOUT, SinkConfig};
pub use eventbridge::EventBridgeSink;
pub use http::HttpSink;
pub use sns::SnsSink;
pub use sqs::SqsSink;
