//! Signed webhooks, as of Standard Webhooks
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).
//!
//! `webhook-id` is the event's id, the same whenever it is sent, also after a redrive: a receiver that goes by it applies an
//! event once. `webhook-timestamp` is the instant of this attempt.

use std::fmt;
use std::str::FromStr;

use ::http::HeaderMap;
use ::http::header::{HeaderName, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use decide_once_protocol::ids::EventId;
use decide_once_protocol::time::Timestamp;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// How long a secret is, in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 24..=64;

/// The secrets that each request is signed with: one, or the old and the new one while receivers change over. Their text
/// is `whsec_` and base64, several apart by spaces.
#[derive(Clone)]
pub struct Secrets(Vec<Vec<u8>>);

/// A text that is no list of secrets. It does not tell the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret is whsec_ and the base64 of 24 to 64 bytes")]
pub struct NoSecret;

impl FromStr for Secrets {
    type Err = NoSecret;

    fn from_str(text: &str) -> Result<Self, NoSecret> {
        let secrets: Vec<_> = text
            .split_whitespace()
            .map(|secret| {
                let encoded = secret.strip_prefix("whsec_")?;
                let bytes = STANDARD.decode(encoded).ok()?;
                LENGTH.contains(&bytes.len()).then_some(bytes)
            })
            .collect::<Option<_>>()
            .ok_or(NoSecret)?;
        if secrets.is_empty() {
            return Err(NoSecret);
        }
        Ok(Self(secrets))
    }
}

/// A secret does not reach logs.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Adds the headers of a webhook.
    pub(super) fn sign(&self, headers: &mut HeaderMap, id: &EventId, at: Timestamp, body: &str) {
        let seconds = at.as_millis() / 1_000;
        let signature = self.signature(id.as_str(), seconds, body);
        // Ids and base64 are visible ASCII.
        if let (Ok(id), Ok(signature)) = (
            HeaderValue::from_str(id.as_str()),
            HeaderValue::from_str(&signature),
        ) {
            headers.insert(ID, id);
            headers.insert(TIMESTAMP, seconds.into());
            headers.insert(SIGNATURE, signature);
        }
    }

    /// `v1,` and the base64 of each secret's HMAC-SHA256 over id, timestamp and body.
    fn signature(&self, id: &str, seconds: i64, body: &str) -> String {
        let signed = format!("{id}.{seconds}.{body}");
        let signatures = self.0.iter().filter_map(|secret| {
            // HMAC takes a key of any length.
            let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
            mac.update(signed.as_bytes());
            let code = mac.finalize().into_bytes();
            Some(format!("v1,{}", STANDARD.encode(code)))
        });
        signatures.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// The secret of the published vector.
    const PUBLISHED: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn published(secrets: &str) -> String {
        let secrets: Secrets = secrets.parse().unwrap();
        let body = r#"{"test": 2432232314}"#;
        secrets.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body)
    }

    /// Of the libraries that the specification names, as are its id, timestamp and body.
    #[test]
    fn the_published_vector_is_met() {
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(published(PUBLISHED), expected);
    }

    #[test]
    fn with_two_secrets_there_are_two_signatures() {
        let other = format!("whsec_{}", STANDARD.encode([7; 32]));
        let both = published(&format!("{other} {PUBLISHED}"));
        let (first, second) = both.split_once(' ').unwrap();
        assert_eq!(first, published(&other));
        assert_eq!(second, published(PUBLISHED));
    }

    #[test]
    fn what_is_no_secret_is_refused_and_not_told() {
        let short = format!("whsec_{}", STANDARD.encode([7; 23]));
        let long = format!("whsec_{}", STANDARD.encode([7; 65]));
        let bare = STANDARD.encode([7; 32]);
        let one_of_two = format!("{PUBLISHED} {short}");
        for text in [
            "",
            " ",
            "whsec_",
            "whsec_$$$",
            &short,
            &long,
            &bare,
            &one_of_two,
        ] {
            let error = text.parse::<Secrets>().unwrap_err();
            let told = text.trim().trim_start_matches("whsec_");
            assert!(told.is_empty() || !error.to_string().contains(told));
        }
        let secrets: Secrets = PUBLISHED.parse().unwrap();
        assert_eq!(format!("{secrets:?}"), "Secrets(1)");
    }
}
