//! Only people and programs of this machine steer the stack, not the pages that their browser shows.
//!
//! A page of another site may post anything anywhere without asking (a "simple request"), and a browser then names the page in
//! `Origin`. Killing workers and moving clocks is none of such a page's business.

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode, Uri, header::ORIGIN};

use super::problem::Problem;

/// A middleware for everything under `/_local`.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    if is_foreign(request.headers()) {
        let message = "pages of other sites cannot steer the local stack";
        return Problem::new(StatusCode::FORBIDDEN, message).into_response();
    }
    next.run(request).await
}

/// Whether a browser says that the request comes from a page that is not of this machine.
fn is_foreign(headers: &HeaderMap) -> bool {
    headers.get_all(ORIGIN).iter().any(|origin| {
        let host = origin
            .to_str()
            .ok()
            .and_then(|text| text.parse::<Uri>().ok())
            .and_then(|uri| uri.host().map(str::to_owned));
        !host.is_some_and(|host| matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]"))
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn only_pages_of_this_machine_may_call() {
        let from = |origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ORIGIN, origin.parse().unwrap());
            is_foreign(&headers)
        };
        assert!(!is_foreign(&HeaderMap::new()), "curl sends none");
        assert!(!from("http://127.0.0.1:3000"));
        assert!(!from("http://localhost:8080"));
        assert!(from("http://evil.example"));
        assert!(from("http://127.0.0.1.evil.example"));
        assert!(from("null"));
    }
}
