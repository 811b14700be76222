//! `Prefer` (RFC 7240): how long a caller wants to wait for another worker's result, or that it does not want to wait at all.

use std::time::Duration;

use decide_once_service::Respond;

use lambda_http::http::HeaderMap;

/// The longest wait: API Gateway gives up after 30 seconds, and the answer needs some of them.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The wait that the caller prefers, at most [`LONGEST_WAIT`]. The first one counts (RFC 7240 §2); what cannot be
/// understood is ignored, as a preference may be.
pub(crate) fn wait(headers: &HeaderMap) -> Option<Duration> {
    preferences(headers)
        .find_map(|(name, value)| seconds(name, value))
        .map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT))
}

/// `respond-async` (§4.1): the operation is to be queued. It has no value; one that it has anyway is ignored, as §2 says of parameters.
pub(crate) fn respond(headers: &HeaderMap) -> Respond {
    if preferences(headers).any(|(name, _)| name.eq_ignore_ascii_case("respond-async")) {
        Respond::Later
    } else {
        Respond::Now
    }
}

/// Name and value of each preference, without its parameters, which come after a semicolon.
fn preferences(headers: &HeaderMap) -> impl Iterator<Item = (&str, Option<&str>)> {
    headers
        .get_all("prefer")
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(|text| text.split(';').next())
        .map(|text| match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (text.trim(), None),
        })
}

fn seconds(name: &str, value: Option<&str>) -> Option<u64> {
    if !name.eq_ignore_ascii_case("wait") {
        return None;
    }
    value?.trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("prefer", line.parse().unwrap());
        }
        headers
    }

    fn preferred(lines: &[&str]) -> Option<Duration> {
        wait(&headers(lines))
    }

    #[test]
    fn respond_async_may_stand_anywhere_and_nothing_else_is_taken_for_it() {
        for lines in [
            &["respond-async"][..],
            &["wait=5, Respond-Async"],
            &["wait=5", "respond-async; x=y"],
        ] {
            assert_eq!(respond(&headers(lines)), Respond::Later, "{lines:?}");
        }
        for lines in [
            &[][..],
            &["respond"],
            &["x=respond-async"],
            &["respond-async-not"],
        ] {
            assert_eq!(respond(&headers(lines)), Respond::Now, "{lines:?}");
        }
    }

    #[test]
    fn the_first_wait_counts_and_is_capped() {
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(preferred(&["wait=5"]), seconds(5));
        assert_eq!(preferred(&["respond-async, wait=0", "wait=9"]), seconds(0));
        assert_eq!(preferred(&["WAIT=\"7\"; a=b"]), seconds(7));
        assert_eq!(preferred(&["wait=3600"]), Some(LONGEST_WAIT));
    }

    #[test]
    fn what_is_not_a_wait_is_ignored() {
        for line in [
            "",
            "wait",
            "wait=",
            "wait=-1",
            "wait=x",
            "await=5",
            "return=minimal",
        ] {
            assert_eq!(preferred(&[line]), None, "{line}");
        }
    }
}
