//! The lines of the file, read strictly: what is wrong is known before anything is sent.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
};

use decide_once_client::keys;
use decide_once_protocol::{
    hash,
    json::{self, Value},
    key::IdempotencyKey,
    request::DecisionRequest,
};

use super::error::{SubmitError, WrongLine};

/// A request of the file.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    pub(super) key: IdempotencyKey,
    /// The request as it is sent.
    pub(super) body: String,
    /// Of key and content: whether a result is this very line's.
    pub(super) digest: String,
}

/// Reads every line and sends none; returns how many there are.
///
/// # Errors
/// The file cannot be read, or a line is no request.
pub(super) fn check(path: &Path) -> Result<usize, SubmitError> {
    let (mut total, mut wrong) = (0, Vec::new());
    for line in read(path)? {
        match line {
            Ok(_) => total += 1,
            Err(SubmitError::Lines(lines)) => wrong.extend(lines),
            Err(error) => return Err(error),
        }
    }
    if wrong.is_empty() {
        Ok(total)
    } else {
        Err(SubmitError::Lines(wrong))
    }
}

/// The lines one after the other; empty ones are passed over.
///
/// # Errors
/// The file cannot be opened. Each line has its own.
pub(super) fn read(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Line, SubmitError>>, SubmitError> {
    let unreadable = |source| SubmitError::File {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let lines = (1..).zip(BufReader::new(file).lines());
    Ok(lines.filter_map(move |(number, text)| match text {
        Err(error) => Some(Err(unreadable(error))),
        Ok(text) if text.trim().is_empty() => None,
        Ok(text) => {
            let line = parse(number, &text);
            Some(line.map_err(|why| SubmitError::Lines(vec![WrongLine { number, why }])))
        }
    }))
}

fn parse(number: usize, text: &str) -> Result<Line, String> {
    let line =
        json::parse(text.as_bytes()).map_err(|why| format!("it is not acceptable JSON: {why}"))?;
    let Value::Object(mut members) = line else {
        return Err("it is not an object; write {\"key\":…,\"request\":{…}}".to_owned());
    };
    let key = match members.remove("key") {
        None => None,
        Some(Value::String(key)) => {
            let key = IdempotencyKey::parse(&key);
            Some(key.map_err(|why| format!("its key is not valid: {why}"))?)
        }
        Some(_) => return Err("its key is not a string".to_owned()),
    };
    let request = members
        .remove("request")
        .ok_or("it has no request; write {\"key\":…,\"request\":{…}}")?;
    if !members.is_empty() {
        return Err("it has members beside key and request; leave them out".to_owned());
    }
    let body = request.to_json();
    let request =
        DecisionRequest::from_json(request).map_err(|why| format!("its request: {why}"))?;
    let key = key.unwrap_or_else(|| keys::of_content(&request));
    let content = request.canonical();
    let digest = hash::parts(
        "decide-once/submitted-line",
        &[key.as_str().as_bytes(), content.as_bytes()],
    );
    Ok(Line {
        number,
        key,
        body,
        // Neither part is ever empty.
        digest: digest
            .map(|digest| hash::base32(&digest[..16]))
            .unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const REQUEST: &str =
        r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":1.10}}"#;

    #[test]
    fn a_line_has_its_own_key_or_that_of_its_content() {
        let named = parse(1, &format!(r#"{{"key":"order 7","request":{REQUEST}}}"#)).unwrap();
        assert_eq!(named.key.as_str(), "order 7");
        assert_eq!(
            named.body,
            r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":1.1}}"#
        );
        let one = parse(2, &format!(r#"{{"request":{REQUEST}}}"#)).unwrap();
        let same = parse(
            3,
            r#"{ "request": {"facts":{"amount":1.1},"subject":"acct-42","policy":"credit-limit"} }"#,
        );
        let same = same.unwrap();
        assert_eq!((&one.key, &one.digest), (&same.key, &same.digest));
        assert_ne!(one.digest, named.digest);
    }

    #[test]
    fn a_wrong_line_says_what_is_wrong_and_never_what_is_in_it() {
        for (line, what) in [
            ("secret", "not acceptable JSON"),
            ("[]", "not an object"),
            (r#"{"key":"secret"}"#, "no request"),
            (r#"{"key":7,"request":{}}"#, "not a string"),
            (r#"{"key":"","request":{}}"#, "key is not valid"),
            (r#"{"key":"k","request":{"policy":"secret!"}}"#, "/policy"),
            (r#"{"key":"k","request":[]}"#, "its request"),
            (
                r#"{"key":"k","secret":1,"request":{"policy":"p","subject":"s","facts":{}}}"#,
                "beside",
            ),
            (
                r#"{"key":"k","key":"l","request":{}}"#,
                "not acceptable JSON",
            ),
        ] {
            let why = parse(1, line).unwrap_err();
            assert!(why.contains(what), "{line}: {why}");
            assert!(!why.contains("secret"), "{why}");
        }
    }
}
