//! HTTP/1.1, kept alive, with TLS where the URL asks for it.

use std::time::Duration;

use bytes::Bytes;
use decide_once_protocol::key::IdempotencyKey;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, InvalidHeaderValue, RETRY_AFTER};
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::aws_lc_rs;
use tokio::time::timeout;

use crate::backoff::retry_after;
use crate::transport::{Answer, NoAnswer, Transport};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection is kept: less than the 60 s after which most load balancers close theirs.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// The longest answer that is read, in bytes: Lambda's own limit.
const LONGEST_BODY: usize = 6 * 1024 * 1024;

/// The resource of decisions.
const RESOURCE: &str = "/v1/decisions";

type Body = Full<Bytes>;

/// An URL that takes a key and a JSON body. Made once for a process: it holds the connections.
#[derive(Debug)]
pub struct HttpTransport {
    client: Connections,
    target: Uri,
    timeout: Duration,
    authorization: Option<HeaderValue>,
}

/// Without TLS no certificates are read.
#[derive(Debug)]
enum Connections {
    Http(legacy::Client<HttpConnector, Body>),
    Https(legacy::Client<HttpsConnector<HttpConnector>, Body>),
}

/// Nothing can be posted there.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// It is no URL, or none to post to.
    #[error(
        "the URL must be absolute, http or https, without user or password, and without ? and #"
    )]
    Url,
    /// The token cannot be sent in a header.
    #[error("the token has characters that no header takes")]
    Token(#[source] InvalidHeaderValue),
    /// The system's certificates cannot be used.
    #[error(
        "no certificates to check the server's by; install the system's CA certificates, or name them in SSL_CERT_FILE"
    )]
    Certificates(#[source] std::io::Error),
}

impl HttpTransport {
    /// `POST /v1/decisions` of the service at `base`, whose answers are waited for as long as `timeout`.
    ///
    /// # Errors
    /// See [`EndpointError`].
    pub fn decisions(base: &str, timeout: Duration) -> Result<Self, EndpointError> {
        if base.contains(['?', '#']) {
            return Err(EndpointError::Url);
        }
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(RESOURCE).unwrap_or(base);
        Self::new(&format!("{base}{RESOURCE}"), timeout)
    }

    /// Anything at `url` that takes an `Idempotency-Key`.
    ///
    /// # Errors
    /// See [`EndpointError`].
    pub fn new(url: &str, timeout: Duration) -> Result<Self, EndpointError> {
        let target = parse(url).ok_or(EndpointError::Url)?;
        Ok(Self {
            client: Connections::to(&target).map_err(EndpointError::Certificates)?,
            target,
            timeout,
            authorization: None,
        })
    }

    /// The same with a bearer token (RFC 6750).
    ///
    /// # Errors
    /// It cannot be sent.
    pub fn with_token(self, token: &str) -> Result<Self, EndpointError> {
        let bearer = format!("Bearer {token}");
        let mut bearer = HeaderValue::try_from(bearer).map_err(EndpointError::Token)?;
        bearer.set_sensitive(true);
        Ok(Self {
            authorization: Some(bearer),
            ..self
        })
    }

    fn request(&self, key: &IdempotencyKey, body: Bytes) -> Option<Request<Body>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Printable ASCII, always.
        let mut key = HeaderValue::try_from(key.header_value()).ok()?;
        key.set_sensitive(true);
        headers.insert("idempotency-key", key);
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        Some(request)
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Answer, NoAnswer> {
        let sent = match &self.client {
            Connections::Http(client) => client.request(request).await,
            Connections::Https(client) => client.request(request).await,
        };
        let answer = match sent {
            Ok(answer) => answer,
            Err(error) if error.is_connect() => return Err(NoAnswer::Connection),
            Err(_) => return Err(NoAnswer::Broken),
        };
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, LONGEST_BODY).collect().await;
        let body = body.map_err(|_| NoAnswer::Broken)?.to_bytes();
        Ok(answer_of(&Response::from_parts(head, ()), body))
    }
}

impl Connections {
    fn to(target: &Uri) -> std::io::Result<Self> {
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
}

impl Transport for HttpTransport {
    async fn post(&self, key: &IdempotencyKey, body: Bytes) -> Result<Answer, NoAnswer> {
        let Some(request) = self.request(key, body) else {
            return Err(NoAnswer::Connection);
        };
        let exchanged = timeout(self.timeout, self.exchange(request)).await;
        exchanged.unwrap_or(Err(NoAnswer::InTime))
    }
}

fn answer_of(head: &Response<()>, body: Bytes) -> Answer {
    let text = |name| header(head.headers(), name);
    Answer {
        status: head.status().as_u16(),
        replayed: text("idempotent-replayed") == Some("true"),
        retry_after: text(RETRY_AFTER.as_str())
            .and_then(|value| retry_after(value, jiff::Timestamp::now())),
        body,
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// `None` if nothing can be posted there. Credentials in an URL would be sent to nobody and logged by everybody.
fn parse(url: &str) -> Option<Uri> {
    let target: Uri = url.parse().ok()?;
    let http = matches!(target.scheme_str(), Some("http" | "https"));
    let named = target
        .authority()
        .is_some_and(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'));
    (http && named).then_some(target)
}
