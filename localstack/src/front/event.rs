//! The event of payload format 2.0.

use std::collections::BTreeMap;

use axum::body::Bytes;
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{header::USER_AGENT, request::Parts};
use serde::Serialize;

use super::{
    authorizer::{AuthorizerContext, Identity},
    headers::{self, SOURCE_IP},
};
use crate::names;

/// What the gateway knows of a request beside what the client sent.
#[derive(Debug)]
pub(super) struct Received<'a> {
    pub(super) request_id: &'a str,
    /// The host that the client named, without a port.
    pub(super) host: &'a str,
    pub(super) port: u16,
    /// None on a route without an authorizer.
    pub(super) identity: Option<Identity>,
    /// Milliseconds since the epoch.
    pub(super) now_ms: i64,
}

/// What the function gets. Members that are absent are left out, as API Gateway does.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HttpApiEvent {
    version: &'static str,
    route_key: &'static str,
    raw_path: String,
    raw_query_string: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<Vec<String>>,
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    query_string_parameters: BTreeMap<String, String>,
    request_context: RequestContext,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    is_base64_encoded: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestContext {
    account_id: &'static str,
    api_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    authorizer: Option<AuthorizerContext>,
    domain_name: String,
    domain_prefix: String,
    http: Http,
    request_id: String,
    route_key: &'static str,
    stage: &'static str,
    time: String,
    time_epoch: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Http {
    method: String,
    path: String,
    protocol: String,
    source_ip: &'static str,
    user_agent: String,
}

impl HttpApiEvent {
    pub(super) fn new(request: &Parts, body: &Bytes, received: &Received<'_>) -> Self {
        let query = request.uri.query().unwrap_or_default();
        let (body, is_base64_encoded) = encode_body(body);
        Self {
            version: "2.0",
            route_key: "$default",
            raw_path: request.uri.path().to_owned(),
            raw_query_string: query.to_owned(),
            cookies: headers::cookies(&request.headers),
            headers: headers::joined(&request.headers, received.port),
            query_string_parameters: decode_query(query),
            request_context: RequestContext::new(request, received),
            body,
            is_base64_encoded,
        }
    }
}

impl RequestContext {
    fn new(request: &Parts, received: &Received<'_>) -> Self {
        let prefix = received.host.split('.').next().unwrap_or_default();
        Self {
            account_id: names::ACCOUNT,
            api_id: "local",
            authorizer: received.identity.map(Identity::context),
            domain_name: received.host.to_owned(),
            domain_prefix: prefix.to_owned(),
            http: Http {
                method: request.method.to_string(),
                path: request.uri.path().to_owned(),
                protocol: format!("{:?}", request.version),
                source_ip: SOURCE_IP,
                user_agent: request
                    .headers
                    .get(USER_AGENT)
                    .map(headers::text)
                    .unwrap_or_default(),
            },
            request_id: received.request_id.to_owned(),
            route_key: "$default",
            stage: "$default",
            time: log_time(received.now_ms),
            time_epoch: received.now_ms,
        }
    }
}

/// No body is absent, not empty. What is not UTF-8 goes as base64. (API Gateway decides by the media type; a function has to take
/// both forms for any type, and this way JSON with broken text arrives as the bytes that were sent.)
fn encode_body(body: &Bytes) -> (Option<String>, bool) {
    if body.is_empty() {
        return (None, false);
    }
    match str::from_utf8(body) {
        Ok(text) => (Some(text.to_owned()), false),
        Err(_) => (Some(BASE64_STANDARD.encode(body)), true),
    }
}

/// Decoded; values of one name are joined by a comma.
fn decode_query(query: &str) -> BTreeMap<String, String> {
    let mut parameters: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        parameters
            .entry(name.into_owned())
            .and_modify(|values| {
                values.push(',');
                values.push_str(&value);
            })
            .or_insert_with(|| value.into_owned());
    }
    parameters
}

/// The form of `requestContext.time`: `01/Dec/2026:00:00:00 +0000`.
fn log_time(now_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(now_ms)
        .unwrap_or_default()
        .strftime("%d/%b/%Y:%H:%M:%S +0000")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_text_if_it_can_be() {
        assert_eq!(encode_body(&Bytes::new()), (None, false));
        let text = Bytes::from_static("{\"a\":\"\u{e4}\"}".as_bytes());
        assert_eq!(
            encode_body(&text),
            (Some("{\"a\":\"\u{e4}\"}".to_owned()), false)
        );
        let binary = Bytes::from_static(b"{\"a\":\"\xe4\"}");
        assert_eq!(
            encode_body(&binary),
            (Some("eyJhIjoi5CJ9".to_owned()), true)
        );
    }

    #[test]
    fn query_parameters_are_decoded_and_joined() {
        let parameters = decode_query("a=1&b=x%20y&a=2&c");
        assert_eq!(parameters["a"], "1,2");
        assert_eq!(parameters["b"], "x y");
        assert_eq!(parameters["c"], "");
    }

    #[test]
    fn the_time_of_a_request_is_in_the_form_of_a_log() {
        assert_eq!(log_time(1_796_083_200_000), "01/Dec/2026:00:00:00 +0000");
    }
}
