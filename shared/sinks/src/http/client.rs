//! The HTTP client: HTTP/1.1, kept alive, TLS by the same library as the AWS SDK's.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::aws_lc_rs;
use tokio::time::timeout;

/// How long a connection may take; the sink's whole timeout is longer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long an idle connection is kept. Less than the 60 s after which most load balancers close theirs, since a
/// request on a connection that is just being closed is lost, and a batch with it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// What is read of an answer's body, in bytes, only so that its connection can be used again.
const LONGEST_BODY: usize = 64 * 1024;

/// How long that may take.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(250);

/// A client for one scheme. Without TLS no certificates are read, which takes longer than all else of a start.
#[derive(Debug)]
pub(super) enum Client {
    Http(legacy::Client<HttpConnector, Full<Bytes>>),
    Https(legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// Why there is no answer. Without the system's own words, which may hold addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("no connection")]
    Connection,
    #[error("the connection broke before there was an answer")]
    Broken,
    #[error("no answer in time")]
    InTime,
}

impl Client {
    /// # Errors
    /// The target asks for TLS and the system has no certificates to check it by.
    pub(super) fn new(target: &Uri) -> io::Result<Self> {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(TokioTimer::new());
        if target.scheme_str() != Some("https") {
            return Ok(Self::Http(builder.build(tcp)));
        }
        tcp.enforce_http(false);
        let tls = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(aws_lc_rs::default_provider())?
            .https_only()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Self::Https(builder.build(tls)))
    }

    /// Sends a request and waits for the status of its answer for as long as `within`.
    ///
    /// # Errors
    /// There is no answer; whether the request arrived is not known.
    pub(super) async fn status(
        &self,
        request: Request<Full<Bytes>>,
        within: Duration,
    ) -> Result<StatusCode, NoAnswer> {
        let sent = async {
            match self {
                Self::Http(client) => client.request(request).await,
                Self::Https(client) => client.request(request).await,
            }
        };
        let answer = match timeout(within, sent).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) if error.is_connect() => return Err(NoAnswer::Connection),
            Ok(Err(_)) => return Err(NoAnswer::Broken),
            Err(_) => return Err(NoAnswer::InTime),
        };
        let status = answer.status();
        // Whatever the body says, and whether or not it ends: what counts is the status.
        let drained = Limited::new(answer.into_body(), LONGEST_BODY).collect();
        drop(timeout(DRAIN_TIMEOUT, drained).await);
        Ok(status)
    }
}
