//! Problem Details (RFC 9457), as far as a client goes by them.

use serde::Deserialize;

/// Why there is no decision. Members that an answer does not have are absent: a gateway's own answer is no Problem Details.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Problem {
    /// A URN whose last segment is the code.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// For people.
    pub title: Option<String>,
    /// For people: what happened and what to do next.
    pub detail: Option<String>,
    /// The advice.
    pub retry: Option<String>,
    /// The operation, where there is one.
    pub operation_id: Option<String>,
    /// A decision that the problem tells of.
    pub decision_id: Option<String>,
    /// JSON Pointers into the request.
    pub pointers: Vec<String>,
}

impl Problem {
    /// Reads an answer's body, whatever it is.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// `key-reused`, `facts-invalid`, …; `unknown` where the answer does not say, or says what is no code: it may be printed.
    #[must_use]
    pub fn code(&self) -> &str {
        let segments = self.kind.as_deref().unwrap_or_default();
        match segments.rsplit(':').next() {
            Some(code) if is_code(code) => code,
            Some(_) | None => "unknown",
        }
    }
}

fn is_code(text: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_types_last_segment_and_a_strange_body_has_none() {
        let body = br#"{"type":"urn:decide-once:problem:key-reused","status":409,"retry":"never"}"#;
        let problem = Problem::read(body);
        assert_eq!(
            (problem.code(), problem.retry.as_deref()),
            ("key-reused", Some("never"))
        );
        for strange in [
            "<html>",
            "[]",
            "{}",
            r#"{"type":7}"#,
            "",
            r#"{"type":"urn:x:\u001b[31mred"}"#,
        ] {
            assert_eq!(
                Problem::read(strange.as_bytes()).code(),
                "unknown",
                "{strange}"
            );
        }
    }
}
