//! Request headers as an event carries them.

use std::collections::BTreeMap;

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CONNECTION, COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE},
};

/// Headers that end at the gateway, or that only it may set: whatever a client sends under these names never reaches a function.
const GATEWAY_OWNED: [HeaderName; 13] = [
    // RFC 9110 §7.6.1: they are about one connection.
    CONNECTION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    // Sent on as `cookies`.
    COOKIE,
    // Said by the gateway; `lambda_http` builds a URL with the last one and panics if it is no scheme.
    HeaderName::from_static("forwarded"),
    HeaderName::from_static("x-amzn-trace-id"),
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-port"),
    HeaderName::from_static("x-forwarded-proto"),
];

/// Lower-case names; lines of one name are joined by a comma, equal ones too, so that a function sees `a,a`.
pub(super) fn joined(headers: &HeaderMap, port: u16) -> BTreeMap<String, String> {
    let mut joined = BTreeMap::new();
    for name in headers.keys() {
        if GATEWAY_OWNED.contains(name) {
            continue;
        }
        let lines: Vec<_> = headers.get_all(name).iter().map(text).collect();
        joined.insert(name.as_str().to_owned(), lines.join(","));
    }
    joined.insert("x-forwarded-for".to_owned(), SOURCE_IP.to_owned());
    joined.insert("x-forwarded-port".to_owned(), port.to_string());
    joined.insert("x-forwarded-proto".to_owned(), "http".to_owned());
    joined
}

/// The front listens on loopback only.
pub(super) const SOURCE_IP: &str = "127.0.0.1";

/// Every cookie of every `Cookie` line by itself.
pub(super) fn cookies(headers: &HeaderMap) -> Option<Vec<String>> {
    let cookies: Vec<_> = headers
        .get_all(COOKIE)
        .iter()
        .map(text)
        .flat_map(|line| {
            line.split(';')
                .map(|cookie| cookie.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .filter(|cookie| !cookie.is_empty())
        .collect();
    (!cookies.is_empty()).then_some(cookies)
}

/// A header value in a JSON event must be text: UTF-8 stays, other bytes are read as Latin-1, of which every byte is a character.
pub(super) fn text(value: &HeaderValue) -> String {
    match str::from_utf8(value.as_bytes()) {
        Ok(text) => text.to_owned(),
        Err(_) => value.as_bytes().iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn headers(lines: &[(&str, &[u8])]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in lines {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        map
    }

    #[test]
    fn equal_lines_are_joined_not_merged() {
        let joined = joined(
            &headers(&[
                ("Idempotency-Key", b"k"),
                ("X-Other", b"1"),
                ("idempotency-key", b"k"),
            ]),
            3000,
        );
        assert_eq!(joined["idempotency-key"], "k,k");
    }

    #[test]
    fn what_a_client_says_in_the_gateways_name_is_dropped() {
        let joined = joined(
            &headers(&[
                ("x-forwarded-proto", b"://"),
                ("x-forwarded-for", b"10.1.1.1"),
                ("x-amzn-trace-id", b"x"),
                ("connection", b"keep-alive"),
            ]),
            3000,
        );
        assert_eq!(joined["x-forwarded-proto"], "http");
        assert_eq!(joined["x-forwarded-for"], "127.0.0.1");
        assert!(!joined.contains_key("x-amzn-trace-id") && !joined.contains_key("connection"));
    }

    #[test]
    fn bytes_that_are_not_utf8_become_characters_of_latin_1() {
        let joined = joined(
            &headers(&[("a", b"na\xefve"), ("b", "na\u{ef}ve".as_bytes())]),
            3000,
        );
        assert_eq!(joined["a"], "na\u{ef}ve");
        assert_eq!(joined["b"], "na\u{ef}ve");
    }

    #[test]
    fn cookies_are_listed_one_by_one() {
        let cookies = cookies(&headers(&[("cookie", b"a=1; b=2"), ("cookie", b"c=3")]));
        assert_eq!(cookies.unwrap(), ["a=1", "b=2", "c=3"]);
        assert_eq!(super::cookies(&HeaderMap::new()), None);
    }
}
