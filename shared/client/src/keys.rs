//! Idempotency keys: one for an operation, the same for each of its attempts.

use decide_once_protocol::hash;
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::request::DecisionRequest;
use uuid::Uuid;

/// A key that nobody else has: a UUID of version 7 (RFC 9562). To be kept *before* the first attempt, where a caller that has
/// crashed finds it again.
#[must_use]
pub fn random() -> IdempotencyKey {
    parsed(&Uuid::now_v7().to_string())
}

/// The key of a request that has none: a hash of its content, whatever its spacing and the order of its members. The same request has the same
/// key, so that it is one operation, however often and by whomever it is asked. Right for a file that may be submitted twice; wrong where two
/// equal requests are meant to be two operations.
#[must_use]
pub fn of_content(request: &DecisionRequest) -> IdempotencyKey {
    let content = request.canonical();
    let digest = hash::parts("decide-once/content-key", &[content.as_bytes()]);
    // A canonical request is never empty.
    parsed(&hash::base32(&digest.unwrap_or_default()))
}

fn parsed(key: &str) -> IdempotencyKey {
    match IdempotencyKey::parse(key) {
        Ok(key) => key,
        Err(_) => unreachable!("hexadecimal, base32 and '-' are a key"),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn key(request: &str) -> IdempotencyKey {
        of_content(&DecisionRequest::parse(request.as_bytes()).unwrap())
    }

    #[test]
    fn equal_requests_have_one_key_and_others_have_others() {
        let one = key(r#"{"policy":"p","subject":"s","facts":{"a":1,"b":[2]}}"#);
        assert_eq!(
            one,
            key(r#"{ "facts": {"b":[2.0], "a":1}, "subject":"s", "policy":"p" }"#)
        );
        assert_ne!(
            one,
            key(r#"{"policy":"p","subject":"s","facts":{"a":1,"b":[3]}}"#)
        );
        assert_ne!(
            one,
            key(r#"{"policy":"p","version":1,"subject":"s","facts":{"a":1,"b":[2]}}"#)
        );
        assert_ne!(random(), random());
    }

    /// Committed: with another hash a file that was submitted yesterday would be decided again today.
    #[test]
    fn a_contents_key_never_changes() {
        let key = key(r#"{"policy":"p","subject":"s","facts":{}}"#);
        assert_eq!(
            key.as_str(),
            "agymvsmzhdself2tfyw36fj2vowbdo52iikaw6cv4vq2dkutapdq"
        );
    }
}
