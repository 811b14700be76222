//! Events of HTTP APIs and function URLs (payload format 2.0) and of REST APIs (format 1.0), read strictly.
//!
//! `lambda_http` reads both, but loses or does not survive some of what they may contain:
//! * a header that comes twice, or in two spellings, keeps its last value only: for the key that would be another request's key ([`KeyLines`]);
//! * it panics on a body that is not the base64 it says it is, and on a path, host or query that no URL can have. The caller would get a 502 that
//!   says nothing, where a problem says what is wrong.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayProxyRequest, ApiGatewayV2httpRequest};
use lambda_http::http::header::HOST;
use lambda_http::http::uri::PathAndQuery;
use lambda_http::http::{HeaderMap, HeaderValue};
use lambda_http::request::LambdaRequest;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The header whose lines are all told.
const KEY: &str = "idempotency-key";

/// A request's event, as `lambda_http` survives it.
#[derive(Debug)]
pub struct Event(pub(crate) LambdaRequest);

/// What has to be seen before `lambda_http` reads the event.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow, default)]
    version: Option<Cow<'a, str>>,
    #[serde(default)]
    headers: Option<KeyLines>,
    #[serde(default)]
    multi_value_headers: Option<KeyLines>,
}

/// The values of the key's header, in any spelling of its name and as often as they come.
#[derive(Debug, Default)]
struct KeyLines(Vec<String>);

/// What a header has in `headers`, or in `multiValueHeaders`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Values {
    One(String),
    Many(Vec<String>),
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let head: Head<'_> = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        let is_v2 = head.version.as_deref() == Some("2.0");
        let lines = head.lines();
        // Not by trial, as `lambda_http` does: that would read the whole event twice.
        let request = if is_v2 {
            let mut request = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
            prepare_v2(&mut request, &lines);
            LambdaRequest::ApiGatewayV2(request)
        } else {
            let mut request = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
            prepare_v1(&mut request, &lines);
            LambdaRequest::ApiGatewayV1(request)
        };
        Ok(Self(request))
    }
}

impl Head<'_> {
    /// A REST API has each line in `multiValueHeaders` and the last one again in `headers`.
    fn lines(self) -> Vec<String> {
        let single = self.headers.unwrap_or_default().0;
        let Some(KeyLines(mut lines)) = self.multi_value_headers else {
            return single;
        };
        for line in single {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }
}

impl<'de> Deserialize<'de> for KeyLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Headers;

        impl<'de> Visitor<'de> for Headers {
            type Value = KeyLines;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("headers by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut headers: A) -> Result<KeyLines, A::Error> {
                let mut lines = Vec::new();
                while let Some(name) = headers.next_key::<String>()? {
                    if !name.eq_ignore_ascii_case(KEY) {
                        headers.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    match headers.next_value::<Option<Values>>()? {
                        None => {}
                        Some(Values::One(line)) => lines.push(line),
                        Some(Values::Many(many)) => lines.extend(many),
                    }
                }
                Ok(KeyLines(lines))
            }
        }

        deserializer.deserialize_map(Headers)
    }
}

fn prepare_v2(request: &mut ApiGatewayV2httpRequest, lines: &[String]) {
    readable_body(&mut request.body, request.is_base64_encoded);
    // A URL is made of host, scheme, path and query. Nobody reads its host and scheme; without a host none of them is looked at.
    request.headers.remove(HOST);
    request.request_context.domain_name = None;
    readable_path(&mut request.raw_path);
    if let Some(query) = &mut request.raw_query_string
        && !is_readable(&format!("/?{query}"))
    {
        UNREADABLE.clone_into(query);
    }
    set_key(&mut request.headers, lines);
}

fn prepare_v1(request: &mut ApiGatewayProxyRequest, lines: &[String]) {
    readable_body(&mut request.body, request.is_base64_encoded);
    // What is in `headers` would take the place of all lines that `multiValueHeaders` has of the same name.
    for name in request.multi_value_headers.keys() {
        request.headers.remove(name);
    }
    request.headers.remove(HOST);
    request.headers.remove(KEY);
    request.multi_value_headers.remove(HOST);
    request.request_context.domain_name = None;
    readable_path(&mut request.path);
    let (single, multi) = (
        &mut request.query_string_parameters,
        &mut request.multi_value_query_string_parameters,
    );
    if !single.is_empty() || !multi.is_empty() {
        *single = format!("{UNREADABLE}=").parse().unwrap_or_default();
        *multi = single.clone();
    }
    set_key(&mut request.multi_value_headers, lines);
}

/// In the place of a path or query that no URL can have; there is no such resource, and none that takes a query.
const UNREADABLE: &str = "unreadable";

/// The quota of API Gateway for a request line and its headers together, in bytes. A path may be three times as long once it is a URL's, which has at
/// most 65,534.
const LONGEST: usize = 10_240;

/// A path that no URL can have is one that no resource has.
fn readable_path(path: &mut Option<String>) {
    if path.as_ref().is_some_and(|path| !is_readable(path)) {
        *path = Some(format!("/{UNREADABLE}"));
    }
}

/// Without the slash it would run into the host of a URL.
fn is_readable(path_and_query: &str) -> bool {
    path_and_query.starts_with('/')
        && path_and_query.len() <= LONGEST
        && PathAndQuery::try_from(path_and_query).is_ok()
}

/// A body that is not the base64 it says it is leaves an empty one, which is refused as any other that is not JSON.
fn readable_body(body: &mut Option<String>, is_base64: bool) {
    let undecodable = |body: &String| STANDARD.decode(body).is_err();
    if is_base64 && body.as_ref().is_some_and(undecodable) {
        *body = None;
    }
}

/// All lines, and no others. One that cannot be a header's value is still a line: an empty one.
fn set_key(headers: &mut HeaderMap, lines: &[String]) {
    headers.remove(KEY);
    for line in lines {
        let value = HeaderValue::from_bytes(line.as_bytes());
        headers.append(KEY, value.unwrap_or(HeaderValue::from_static("")));
    }
}
