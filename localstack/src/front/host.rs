//! Only requests that were meant for this machine.
//!
//! API Gateway answers under its own domain names only. Here those are the loopback names: a web page elsewhere whose name resolves to
//! 127.0.0.1 (DNS rebinding) has no business with a developer's stack, and a host that is none makes `lambda_http` panic.

use std::net::IpAddr;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, header::HOST, uri::Authority};

use super::refusal::Refusal;

/// A middleware for everything that the front serves.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    match loopback_host(request.headers()) {
        Some(_) => next.run(request).await,
        None => Refusal::BadHost.into_response(),
    }
}

/// The host that the request names, without its port, if it is one of this machine.
pub(super) fn loopback_host(headers: &HeaderMap) -> Option<String> {
    let mut lines = headers.get_all(HOST).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return None; // RFC 9112 §3.2: exactly one
    };
    let authority: Authority = line.to_str().ok()?.parse().ok()?;
    let port = authority.as_str().strip_prefix(authority.host())?; // user information comes before the host
    if !port.is_empty() && authority.port_u16().is_none() {
        return None;
    }
    let host = authority.host().to_ascii_lowercase();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let local = host == "localhost"
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    local.then_some(host)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn host(value: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, value.parse().unwrap());
        loopback_host(&headers)
    }

    #[test]
    fn loopback_names_pass_with_and_without_port() {
        for name in [
            "localhost",
            "LOCALHOST:3000",
            "127.0.0.1:3000",
            "[::1]:3000",
            "127.0.0.1",
        ] {
            assert!(host(name).is_some(), "{name}");
        }
    }

    #[test]
    fn other_names_and_impossible_hosts_are_refused() {
        for name in [
            "",
            "example.com",
            "127.0.0.1.example.com",
            "10.0.0.1",
            "a b",
            "[::1",
            "local^host",
            "user@localhost",
            "localhost:",
            "localhost:x",
            "localhost/x",
            "localhost:99999",
        ] {
            assert_eq!(host(name), None, "{name}");
        }
        assert_eq!(loopback_host(&HeaderMap::new()), None);
    }

    #[test]
    fn two_host_lines_are_refused() {
        let mut headers = HeaderMap::new();
        headers.append(HOST, "localhost".parse().unwrap());
        headers.append(HOST, "localhost".parse().unwrap());
        assert_eq!(loopback_host(&headers), None);
    }
}
