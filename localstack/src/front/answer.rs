//! From what the function returned to an HTTP answer, byte for byte.

use std::collections::BTreeMap;

use axum::{body::Body, response::Response};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_LENGTH, SET_COOKIE, TRANSFER_ENCODING, UPGRADE},
};
use serde::Deserialize;

/// Headers that are about the connection, which is the server's business.
const OF_THE_CONNECTION: [HeaderName; 4] = [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE];

/// A function's answer in payload format 2.0. The format has no `multiValueHeaders`; what is there is ignored, as API Gateway does.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionAnswer {
    status_code: u16,
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
    #[serde(default)]
    cookies: Option<Vec<String>>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// What the function returned is not an answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Malformed {
    #[error("it is not JSON of payload format 2.0")]
    Json(#[from] serde_json::Error),
    #[error("a final answer cannot have the status {0}")]
    Status(u16),
    #[error("a header name, header value or cookie is not one")]
    Header,
    #[error("its body is not base64, as it says")]
    Base64(#[from] base64::DecodeError),
}

pub(super) fn into_http(returned: &[u8]) -> Result<Response, Malformed> {
    let answer: FunctionAnswer = serde_json::from_slice(returned)?;
    let body = answer.body.unwrap_or_default();
    let body = if answer.is_base64_encoded {
        Body::from(BASE64_STANDARD.decode(body)?)
    } else {
        Body::from(body)
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status_code)
        .ok()
        .filter(|status| !status.is_informational())
        .ok_or(Malformed::Status(answer.status_code))?;

    let headers = response.headers_mut();
    for (name, value) in answer.headers.unwrap_or_default() {
        let name: HeaderName = name.parse().map_err(|_| Malformed::Header)?;
        if !OF_THE_CONNECTION.contains(&name) {
            headers.insert(name, header_value(&value)?);
        }
    }
    for cookie in answer.cookies.unwrap_or_default() {
        headers.append(SET_COOKIE, header_value(&cookie)?);
    }
    Ok(response)
}

fn header_value(value: &str) -> Result<HeaderValue, Malformed> {
    HeaderValue::from_str(value).map_err(|_| Malformed::Header)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn status_headers_cookies_and_bytes_arrive() {
        let returned =
            br#"{"statusCode":201,"headers":{"location":"/v1/decisions/d1","content-length":"999"},
            "multiValueHeaders":{},"cookies":["a=1","b=2"],"isBase64Encoded":true,"body":"AP8="}"#;
        let response = into_http(returned).unwrap();
        assert_eq!(response.status(), 201);
        assert_eq!(response.headers()["location"], "/v1/decisions/d1");
        assert_eq!(response.headers().get(CONTENT_LENGTH), None);
        assert_eq!(response.headers().get_all(SET_COOKIE).iter().count(), 2);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.as_ref(), [0, 255]);
    }

    #[test]
    fn an_answer_that_is_none_is_refused() {
        for returned in [
            "null",
            "{}",
            r#"{"statusCode":99}"#,
            r#"{"statusCode":100}"#,
            r#"{"statusCode":200,"headers":{"a b":"c"}}"#,
            r#"{"statusCode":200,"headers":{"a":"b\nc"}}"#,
            r#"{"statusCode":200,"isBase64Encoded":true,"body":"%%%"}"#,
        ] {
            assert!(into_http(returned.as_bytes()).is_err(), "{returned}");
        }
    }
}
