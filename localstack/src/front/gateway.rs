//! The path of one request, from the wire to the function and back.

use std::time::Duration;

use axum::{body::Bytes, extract::Request, response::Response};
use http::HeaderValue;
use uuid::Uuid;

use super::{
    answer,
    authorizer::{self, Auth},
    event::{HttpApiEvent, Received},
    host,
    last_request::Meter,
    limits,
    refusal::Refusal,
};
use crate::{engine::EngineClock, names, runtime_api::Invoker};

/// What the gateway works with.
#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    pub(crate) auth: Auth,
    /// How long it waits for the function (HTTP APIs: at most 30 s).
    pub(crate) timeout: Duration,
    /// The port that it listens on.
    pub(crate) port: u16,
    pub(crate) invoker: Invoker,
    pub(crate) clock: EngineClock,
    pub(crate) meter: Meter,
}

impl Gateway {
    pub(super) async fn answer(&self, request: Request) -> Response {
        let request_id = Uuid::new_v4().simple().to_string();
        let measured = self.meter.begin();
        let mut response = match self.integrate(request, &request_id).await {
            Ok(response) => response,
            Err(refusal) => axum::response::IntoResponse::into_response(refusal),
        };
        if let Ok(id) = HeaderValue::from_str(&request_id) {
            response.headers_mut().insert("apigw-requestid", id);
        }
        measured.answered(request_id, response.status().as_u16());
        response
    }

    async fn integrate(&self, request: Request, request_id: &str) -> Result<Response, Refusal> {
        let (head, body) = request.into_parts();
        let host = host::loopback_host(&head.headers).ok_or(Refusal::BadHost)?;
        if !head.uri.path().starts_with('/') {
            return Err(Refusal::BadTarget); // `OPTIONS *`, `CONNECT host:port`
        }
        limits::check_head(&head)?;
        let identity = authorizer::identify(self.auth, &head)?;
        let body = limits::read_body(body).await?;
        let received = Received {
            request_id,
            host: &host,
            port: self.port,
            identity,
            now_ms: self.clock.now_ms(),
        };
        let event = HttpApiEvent::new(&head, &body, &received);
        let returned = self.invoke(&event).await?;
        answer::into_http(&returned).map_err(|malformed| {
            tracing::error!(request_id, "the function's answer is none: {malformed}");
            Refusal::IntegrationFailed
        })
    }

    /// In a task of its own: a client that goes away does not stop a call, here as little as on AWS.
    async fn invoke(&self, event: &HttpApiEvent) -> Result<Bytes, Refusal> {
        let payload = serde_json::to_vec(event).map_err(|_| Refusal::IntegrationFailed)?;
        limits::check_event(&payload)?;
        let (invoker, timeout) = (self.invoker.clone(), self.timeout);
        let call =
            tokio::spawn(
                async move { invoker.invoke(names::DECIDE, payload.into(), timeout).await },
            );
        let result = call.await.map_err(|_| Refusal::IntegrationFailed)?;
        result.map_err(|error| {
            tracing::warn!("no answer from the function: {error}");
            Refusal::from(error)
        })
    }
}
