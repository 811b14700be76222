//! Several texts in one attribute.
//!
//! An attribute of its own costs a text its name and a dozen bytes more in every request; what is only ever read as a whole
//! is stored as a whole. Texts are packed as length, colon, bytes (`8:standard11:{"limit":1}`), so that every text, also the
//! empty one and one with colons, comes back as it was.
//!
//! Most of these texts are JSON, and inside the JSON of a request each of their double quotes would travel as two bytes. So
//! single and double quotes are swapped: `{'limit':1}`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use decide_once_protocol::answer::Verdict;
use decide_once_protocol::record::PolicyPin;
use decide_once_protocol::request::{PolicyId, PolicyVersion};

/// The texts, one after the other.
pub(crate) fn pack<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let packed: String = texts
        .into_iter()
        .map(|text| format!("{}:{text}", text.len()))
        .collect();
    swap_quotes(&packed)
}

/// What [`pack`] packed; `None` for anything else.
pub(crate) fn unpack(packed: &str) -> Option<Vec<String>> {
    let swapped = swap_quotes(packed);
    let mut packed = swapped.as_str();
    let mut texts = Vec::new();
    while !packed.is_empty() {
        let (length, rest) = packed.split_once(':')?;
        let (text, rest) = rest.split_at_checked(whole(length)?)?;
        texts.push(text.to_owned());
        packed = rest;
    }
    Some(texts)
}

/// Its own inverse. Lengths stay, since both are one byte.
fn swap_quotes(text: &str) -> String {
    let swap = |character| match character {
        '"' => '\'',
        '\'' => '"',
        other => other,
    };
    text.chars().map(swap).collect()
}

/// A whole number in its one spelling.
pub(crate) fn whole<T: std::str::FromStr + ToString>(digits: &str) -> Option<T> {
    let number: T = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// Rule, outcome, event types.
pub(crate) fn verdict_texts(verdict: &Verdict) -> impl Iterator<Item = &str> {
    [verdict.rule.as_str(), verdict.outcome.as_str()]
        .into_iter()
        .chain(verdict.event_types.iter().map(String::as_str))
}

/// The way back from [`verdict_texts`].
pub(crate) fn verdict(texts: &[String]) -> Option<Verdict> {
    let [rule, outcome, event_types @ ..] = texts else {
        return None;
    };
    Some(Verdict {
        rule: rule.clone(),
        outcome: outcome.clone(),
        event_types: event_types.to_vec(),
    })
}

/// A policy version with its file's digest: `credit-limit/3/` and 43 characters of base64url.
pub(crate) fn pin_text(pin: &PolicyPin) -> String {
    format!("{}/{}/{}", pin.id, pin.version, digest_text(&pin.digest))
}

/// The way back from [`pin_text`].
pub(crate) fn pin(text: &str) -> Option<PolicyPin> {
    let (id, rest) = text.split_once('/')?;
    let (version, digest) = rest.split_once('/')?;
    Some(PolicyPin {
        id: PolicyId::parse(id).ok()?,
        version: PolicyVersion::new(whole(version)?).ok()?,
        digest: self::digest(digest)?,
    })
}

/// Characters of a digest.
pub(crate) const DIGEST_LENGTH: usize = 43;

/// A SHA-256 as 43 characters of base64url.
pub(crate) fn digest_text(digest: &[u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(digest)
}

/// The way back from [`digest_text`].
pub(crate) fn digest(text: &str) -> Option<[u8; 32]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_text_comes_back_as_it_was() {
        for texts in [
            vec![],
            vec![""],
            vec!["a", "", "3:b", "ü:ß\n", r#"{"it's":1}"#],
        ] {
            assert_eq!(unpack(&pack(texts.iter().copied())).unwrap(), texts);
        }
        assert_eq!(
            pack(["standard", r#"{"limit":1}"#]),
            "8:standard11:{'limit':1}"
        );
    }

    #[test]
    fn what_was_not_packed_is_not_unpacked() {
        for broken in ["x", "1", "2:a", "01:a", "+1:a", "1:ü", "1:a,"] {
            assert_eq!(unpack(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_pin_has_one_spelling() {
        let pinned = PolicyPin {
            id: PolicyId::parse("credit-limit").unwrap(),
            version: PolicyVersion::new(3).unwrap(),
            digest: [9; 32],
        };
        let text = pin_text(&pinned);
        assert_eq!(pin(&text).unwrap(), pinned);
        assert_eq!(pin(&text.replace("/3/", "/03/")), None);
        assert_eq!(pin(&text[..text.len() - 1]), None);
    }
}
