//! An HTTP request, step by step. Nothing is added to what a test says, except `Host` and the length.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use serde_json::Value;

use crate::Answer;

/// The client of a stack's requests; each opens a connection of its own.
pub type HttpClient = Client<HttpConnector, Full<Bytes>>;

/// A request that is not sent yet.
#[derive(Debug, Clone)]
#[must_use]
pub struct Request {
    client: HttpClient,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    /// A request without headers and body.
    pub fn new(client: HttpClient, method: Method, url: String) -> Self {
        Self {
            client,
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    /// Its method.
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// Its path, with the query.
    ///
    /// # Panics
    /// Its URL is none.
    pub fn path(&self) -> String {
        let url: http::Uri = self.url.parse().unwrap();
        url.path_and_query().unwrap().to_string()
    }

    /// One more header line. The value may be any bytes that HTTP allows.
    ///
    /// # Panics
    /// HTTP does not allow it.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.append(
            name.parse::<HeaderName>().unwrap(),
            HeaderValue::from_bytes(value.as_ref()).unwrap(),
        );
        self
    }

    /// `Authorization: Bearer <token>`.
    pub fn token(self, token: &str) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }

    /// `Idempotency-Key: <key>`.
    pub fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// A body as it is.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// A JSON body with its media type.
    pub fn json(self, body: &Value) -> Self {
        self.json_text(body.to_string())
    }

    /// A JSON body with its media type, in these very bytes.
    pub fn json_text(self, body: impl Into<Bytes>) -> Self {
        self.header("content-type", "application/json").body(body)
    }

    /// Sends it and reads the answer.
    ///
    /// # Panics
    /// There is no answer.
    pub async fn send(self) -> Answer {
        self.try_send().await.unwrap()
    }

    /// Sends it; the error says why there is no answer.
    ///
    /// # Errors
    /// The connection failed or broke off.
    ///
    /// # Panics
    /// It is no request.
    pub async fn try_send(self) -> Result<Answer, String> {
        let mut request = http::Request::new(Full::new(self.body));
        *request.method_mut() = self.method;
        *request.uri_mut() = self.url.parse().unwrap();
        *request.headers_mut() = self.headers;
        let answer = self
            .client
            .request(request)
            .await
            .map_err(|error| format!("{error:?}"))?;
        let (head, body) = answer.into_parts();
        let body = body
            .collect()
            .await
            .map_err(|error| format!("{error:?}"))?
            .to_bytes();
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body,
        })
    }
}
