//! Where events go: adapters of the port [`Sink`](decide_once_service::ports::Sink).
//!
//! * [`http`]: a POST of each event to an URL, as a structured-mode CloudEvent.

pub mod http;

pub use http::{HttpSink, SinkError};
