//! `Prefer: wait=N` (RFC 7240 §4.3): how long a caller wants to wait for another worker's result.

use std::time::Duration;

use lambda_http::http::HeaderMap;

/// The longest wait: API Gateway gives up after 30 seconds, and the answer needs some of them.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The wait that the caller prefers, at most [`LONGEST_WAIT`]. The first one counts (RFC 7240 §2); what cannot be
/// understood is ignored, as a preference may be.
pub(crate) fn wait(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all("prefer")
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .find_map(preference)
        .map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT))
}

fn preference(text: &str) -> Option<u64> {
    // Parameters of a preference come after a semicolon; `wait` has none.
    let (name, value) = text.split(';').next()?.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("wait") {
        return None;
    }
    value.trim().trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn preferred(lines: &[&str]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("prefer", line.parse().unwrap());
        }
        wait(&headers)
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
