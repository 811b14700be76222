//! The lines of the file, read strictly: what is wrong is known before anything is sent.

use std::{
    collections::HashMap,
    fs,
    io::{self, Read as _},
    path::Path,
};

use decide_once_client::keys;
use decide_once_protocol::{
    hash,
    json::{self, Value},
    key::IdempotencyKey,
    request::{DecisionRequest, MAX_BODY_BYTES},
};

use super::error::{SubmitError, WrongLine};

/// What some editors begin a file of UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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

/// Reads all of the file, once: what is sent is what was checked, also where the file changes meanwhile or is a pipe. `-` is standard input;
/// empty lines are passed over.
///
/// # Errors
/// The file cannot be read or has no request, a line is none, or two lines have one key and different requests.
pub(super) fn read(path: &Path) -> Result<Vec<Line>, SubmitError> {
    let whole = if path == Path::new("-") {
        let mut whole = Vec::new();
        io::stdin().read_to_end(&mut whole).map(|_| whole)
    } else {
        fs::read(path)
    };
    let whole = whole.map_err(|source| SubmitError::File {
        path: path.to_owned(),
        source,
    })?;
    let (lines, wrong) = check(&whole);
    if !wrong.is_empty() {
        Err(SubmitError::Lines(wrong))
    } else if lines.is_empty() {
        Err(SubmitError::Empty {
            path: path.to_owned(),
        })
    } else {
        Ok(lines)
    }
}

fn check(whole: &[u8]) -> (Vec<Line>, Vec<WrongLine>) {
    let (mut lines, mut wrong) = (Vec::<Line>::new(), Vec::new());
    let mut keys = HashMap::new();
    let whole = whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(whole);
    let texts = whole.split(|byte| *byte == b'\n').enumerate();
    for (index, text) in texts.filter(|(_, text)| !text.trim_ascii().is_empty()) {
        let number = index + 1;
        let line = parse(number, text).and_then(|line| {
            let first = keys.entry(line.key.clone());
            let first: &mut (usize, String) = first.or_insert((number, line.digest.clone()));
            if first.1 == line.digest {
                Ok(line)
            } else {
                let first = first.0;
                Err(format!(
                    "it has the key of line {first} and another request; one of them needs a key of its own"
                ))
            }
        });
        match line {
            Ok(line) => lines.push(line),
            Err(why) => wrong.push(WrongLine { number, why }),
        }
    }
    (lines, wrong)
}

fn parse(number: usize, text: &[u8]) -> Result<Line, String> {
    let line = json::parse(text).map_err(|why| format!("it is not acceptable JSON: {why}"))?;
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
    if body.len() > MAX_BODY_BYTES {
        let bytes = body.len();
        return Err(format!(
            "its request has {bytes} bytes; at most {MAX_BODY_BYTES} are taken"
        ));
    }
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
        let named = parse(
            1,
            format!(r#"{{"key":"order 7","request":{REQUEST}}}"#).as_bytes(),
        )
        .unwrap();
        assert_eq!(named.key.as_str(), "order 7");
        assert_eq!(
            named.body,
            r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":1.1}}"#
        );
        let one = parse(2, format!(r#"{{"request":{REQUEST}}}"#).as_bytes()).unwrap();
        let same = parse(
            3,
            br#"{ "request": {"facts":{"amount":1.1},"subject":"acct-42","policy":"credit-limit"} }"#,
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
            let why = parse(1, line.as_bytes()).unwrap_err();
            assert!(why.contains(what), "{line}: {why}");
            assert!(!why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn one_key_with_two_requests_is_known_before_anything_is_sent() {
        let line = |amount: &str| {
            format!(
                r#"{{"key":"k","request":{{"policy":"p","subject":"s","facts":{{"amount":{amount}}}}}}}"#
            )
        };
        let file = [
            "\u{feff}",
            &line("1"),
            "\r\n \r\n",
            &line("1.0"),
            "\n",
            &line("2"),
        ]
        .concat();
        let (lines, wrong) = check(file.as_bytes());
        let numbers: Vec<_> = lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, 3], "said twice is one operation");
        assert_eq!(wrong.len(), 1);
        assert!(
            wrong[0]
                .to_string()
                .starts_with("line 4: it has the key of line 1")
        );
    }

    #[test]
    fn what_is_no_text_or_too_large_is_known_by_its_line() {
        let large = format!(
            r#"{{"request":{{"policy":"p","subject":"s","facts":{{"text":"{}"}}}}}}"#,
            "x".repeat(MAX_BODY_BYTES)
        );
        let file = [&b"\n{\"key\":\"\xff\"}\n"[..], large.as_bytes()].concat();
        let (lines, wrong) = check(&file);
        assert!(lines.is_empty());
        let numbers: Vec<_> = wrong.iter().map(|wrong| wrong.number).collect();
        assert_eq!(numbers, [2, 3], "{wrong:?}");
    }
}
