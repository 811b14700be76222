//! The URL that events go to.

use http::Uri;

/// Reads it; `None` if nothing can be posted there. Credentials in an URL would be sent to nobody and logged by
/// everybody.
pub(super) fn parse(url: &str) -> Option<Uri> {
    let target: Uri = url.parse().ok()?;
    let http = matches!(target.scheme_str(), Some("http" | "https"));
    let named = target
        .authority()
        .is_some_and(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'));
    (http && named).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_url_is_absolute_and_http() {
        for url in [
            "http://127.0.0.1:3000/_local/sink/receive",
            "https://events.example.com/in?stream=a",
            "http://sink",
        ] {
            assert!(parse(url).is_some(), "{url}");
        }
        for url in [
            "",
            "/events",
            "sink:80",
            "ftp://sink/",
            "https:///events",
            "https://user:secret@sink/",
            "not an url",
        ] {
            assert_eq!(parse(url), None, "{url}");
        }
    }
}
