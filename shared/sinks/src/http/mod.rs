//! Events by HTTP: one POST for each, a structured-mode CloudEvent
//! (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#32-structured-content-mode>).
//!
//! Redirects are not followed: an event would go where nobody configured it to go.

mod client;
mod signature;
mod target;
mod verdict;

use std::num::NonZeroUsize;
use std::time::Duration;

use ::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use ::http::{Method, Request, Uri};
use bytes::Bytes;
use decide_once_protocol::outbox::{MEDIA_TYPE, OutboxRow};
use decide_once_service::ports::{Clock, SendError, Sink};
use decide_once_service::system::SystemClock;
use futures_util::future::join_all;
use http_body_util::Full;

use client::Client;
pub use signature::{NoSecret, Secrets};

use crate::verdict::Verdict;

/// The event's trace, beside its own attribute: a receiver that knows nothing of events goes on with it too.
const TRACE: HeaderName = HeaderName::from_static("traceparent");

/// The media type of structured mode.
const STRUCTURED: HeaderValue = HeaderValue::from_static(MEDIA_TYPE);

/// Who sends.
const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("decide-once/", env!("CARGO_PKG_VERSION")));

/// A sink behind an URL. Made once for a process: it holds the connections.
#[derive(Debug)]
pub struct HttpSink<C = SystemClock> {
    client: Client,
    target: Uri,
    timeout: Duration,
    signer: Option<(Secrets, C)>,
}

/// The URL cannot be sent to at all.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// It is none, or none to send to.
    #[error("the sink's URL must be absolute, http or https, and without user or password")]
    Url,
    /// The system's certificates cannot be used.
    #[error(
        "no certificates to check the sink's by; install the system's CA certificates, or name them in SSL_CERT_FILE"
    )]
    Certificates(#[source] std::io::Error),
}

impl HttpSink {
    /// A sink that posts to `url`, unsigned, and waits for an answer for as long as `timeout`.
    ///
    /// # Errors
    /// See [`TargetError`].
    pub fn new(url: &str, timeout: Duration) -> Result<Self, TargetError> {
        let target = target::parse(url).ok_or(TargetError::Url)?;
        Ok(Self {
            client: Client::new(&target).map_err(TargetError::Certificates)?,
            target,
            timeout,
            signer: None,
        })
    }

    /// The same sink with its requests signed, at the instants of this clock.
    #[must_use]
    pub fn signed<C: Clock>(self, secrets: Secrets, clock: C) -> HttpSink<C> {
        HttpSink {
            client: self.client,
            target: self.target,
            timeout: self.timeout,
            signer: Some((secrets, clock)),
        }
    }
}

impl<C: Clock> HttpSink<C> {
    async fn post(&self, row: &OutboxRow) -> Verdict {
        match self.client.status(self.request(row), self.timeout).await {
            Ok(status) => verdict::of(status),
            // It may have arrived all the same. Unknown is "not sent", and a second send has the same id.
            Err(why) => Err(SendError::Unavailable(why.to_string())),
        }
    }

    fn request(&self, row: &OutboxRow) -> Request<Full<Bytes>> {
        let event = row.event.to_cloud_event();
        let mut request = Request::new(Full::default());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, STRUCTURED);
        headers.insert(USER_AGENT, AGENT);
        let trace = row.event.trace.map(|trace| trace.to_string());
        if let Some(Ok(trace)) = trace.map(HeaderValue::try_from) {
            headers.insert(TRACE, trace);
        }
        if let Some((secrets, clock)) = &self.signer {
            secrets.sign(headers, &row.event.id, clock.now(), &event);
        }
        *request.body_mut() = Full::new(Bytes::from(event));
        request
    }
}

impl<C: Clock> Sink for HttpSink<C> {
    /// One: a slow answer is waited for by its own subject alone.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Verdict> {
        join_all(rows.iter().map(|row| self.post(row))).await
    }
}
