//! Events by HTTP: one POST for each, a structured-mode CloudEvent
//! (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#32-structured-content-mode>).
//!
//! Redirects are not followed: an event would go where nobody configured it to go.

mod client;
mod target;
mod verdict;

use std::num::NonZeroUsize;
use std::time::Duration;

use ::http::header::{CONTENT_TYPE, HeaderValue, USER_AGENT};
use ::http::{Request, Uri};
use bytes::Bytes;
use decide_once_protocol::outbox::{MEDIA_TYPE, OutboxRow};
use decide_once_service::ports::{SendError, Sink};
use futures_util::future::join_all;
use http_body_util::Full;

use client::Client;

/// The media type of structured mode.
const STRUCTURED: HeaderValue = HeaderValue::from_static(MEDIA_TYPE);

/// Who sends.
const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("decide-once/", env!("CARGO_PKG_VERSION")));

/// How long a sink may take to answer, unless its operator says otherwise: some tens of times what a healthy one takes,
/// and short enough that a batch meets a dead one without running into the function's own timeout.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// A sink behind an URL. Made once for a process: it holds the connections.
#[derive(Debug)]
pub struct HttpSink {
    client: Client,
    target: Uri,
    timeout: Duration,
}

/// The sink cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The URL is none, or none to send to.
    #[error("the sink's URL must be absolute, http or https, and without user or password")]
    Url,
    /// The system's certificates cannot be used.
    #[error(
        "no certificates to check the sink's by; install the system's CA certificates, or name them in SSL_CERT_FILE"
    )]
    Certificates(#[source] std::io::Error),
}

impl HttpSink {
    /// A sink that posts to `url` and waits for an answer for as long as `timeout`.
    ///
    /// # Errors
    /// See [`SinkError`].
    pub fn new(url: &str, timeout: Duration) -> Result<Self, SinkError> {
        let target = target::parse(url).ok_or(SinkError::Url)?;
        Ok(Self {
            client: Client::new(&target).map_err(SinkError::Certificates)?,
            target,
            timeout,
        })
    }

    fn request(&self, event: String) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(Bytes::from(event)));
        *request.method_mut() = ::http::Method::POST;
        *request.uri_mut() = self.target.clone();
        request.headers_mut().insert(CONTENT_TYPE, STRUCTURED);
        request.headers_mut().insert(USER_AGENT, AGENT);
        request
    }
}

impl Sink for HttpSink {
    /// One: a slow answer is waited for by its own subject alone.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Result<(), SendError>> {
        join_all(rows.iter().map(|row| self.post(row))).await
    }
}

impl HttpSink {
    async fn post(&self, row: &OutboxRow) -> Result<(), SendError> {
        let request = self.request(row.event.to_cloud_event());
        match self.client.status(request, self.timeout).await {
            Ok(status) => verdict::of(status),
            // It may have arrived all the same. Unknown is "not sent", and a second send has the same id.
            Err(why) => Err(SendError::Unavailable(why.to_string())),
        }
    }
}
