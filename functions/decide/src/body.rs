//! The key and the body, read strictly: what is refused here is stored nowhere.

use decide_once_protocol::key::{self, IdempotencyKey, KeyError};
use decide_once_protocol::request::{DecisionRequest, MAX_BODY_BYTES};
use decide_once_service::problem::{Kind, Problem};
use lambda_http::Request;
use lambda_http::http::HeaderMap;
use lambda_http::http::header::{CONTENT_ENCODING, CONTENT_TYPE};

/// The `Idempotency-Key`.
///
/// # Errors
/// `key-missing` or `key-invalid`.
pub(crate) fn key(headers: &HeaderMap) -> Result<IdempotencyKey, Box<Problem>> {
    let lines: Vec<&[u8]> = headers
        .get_all("idempotency-key")
        .iter()
        .map(|line| line.as_bytes())
        .collect();
    key::parse_header(&lines).map_err(|error| {
        let kind = match error {
            KeyError::Missing => Kind::KeyMissing,
            KeyError::Invalid(_) => Kind::KeyInvalid,
        };
        Box::new(Problem::new(kind, error.to_string()))
    })
}

/// The decision request in the body.
///
/// # Errors
/// 415, 413 or `body-invalid`.
pub(crate) fn request(request: &Request) -> Result<DecisionRequest, Box<Problem>> {
    if !is_json(request.headers()) || is_encoded(request.headers()) {
        let detail = "send the body as application/json in UTF-8, without a Content-Encoding";
        return Err(Box::new(Problem::new(Kind::MediaTypeUnsupported, detail)));
    }
    let body: &[u8] = request.body().as_ref();
    if body.len() > MAX_BODY_BYTES {
        let detail = format!(
            "the body has {} bytes; at most {MAX_BODY_BYTES} are taken",
            body.len()
        );
        return Err(Box::new(Problem::new(Kind::BodyTooLarge, detail)));
    }
    DecisionRequest::parse(body)
        .map_err(|error| Box::new(Problem::new(Kind::BodyInvalid, error.to_string())))
}

/// `application/json`, with UTF-8 or nothing as its charset (RFC 8259 §8.1, §11). No media type at all is taken for JSON:
/// the body decides.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else {
        return true;
    };
    let Ok(text) = value.to_str() else {
        return false;
    };
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    essence.eq_ignore_ascii_case("application/json") && parts.all(is_harmless_parameter)
}

/// A content coding would have to be undone before the bytes mean anything, and nobody undoes it (RFC 9110 §8.4, 415).
fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn is_harmless_parameter(parameter: &str) -> bool {
    match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        Some(_) | None => true,
    }
}
