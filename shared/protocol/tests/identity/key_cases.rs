//! The key and its header field.

use decide_once_protocol::key::{IdempotencyKey, InvalidKey, KeyError, parse_header};

const K1: &str = "7b6f0c1e-2f5a-4a57-9f0e-0a4d1c9b6e11";
const K2: &str = "0d9a5b52-58c4-4a0b-8f0b-5a1d54f6f1c2";

fn line(value: impl AsRef<[u8]>) -> Result<IdempotencyKey, KeyError> {
    parse_header(&[value.as_ref()])
}

#[track_caller]
fn assert_key(value: impl AsRef<[u8]>, key: &str) {
    assert_eq!(
        line(value).map(|parsed| parsed.as_str().to_owned()),
        Ok(key.to_owned())
    );
}

#[track_caller]
fn assert_invalid(value: impl AsRef<[u8]>, reason: InvalidKey) {
    assert_eq!(line(value), Err(KeyError::Invalid(reason)));
}

#[test]
fn h01_missing_empty_and_blank_keys() {
    assert_eq!(parse_header(&[]), Err(KeyError::Missing));
    for blank in ["", " ", "\t ", "\"\"", "\"   \"", " \"\" "] {
        assert_invalid(blank, InvalidKey::Blank);
    }
}

#[test]
fn h02_over_long_keys() {
    // Letters that do not repeat soon, as random base64 would be.
    let varied: String = (0..8192_u32)
        .map(|at| char::from(b'A' + u8::try_from(at * at % 26).unwrap()))
        .collect();
    for characters in [varied, "a".repeat(8192)] {
        for length in [1, 255] {
            assert_key(&characters[..length], &characters[..length]);
            assert_key(
                format!("\"{}\"", &characters[..length]),
                &characters[..length],
            );
        }
        for length in [256, 2048, 8192] {
            assert_invalid(&characters[..length], InvalidKey::TooLong);
            assert_invalid(
                format!("\"{}\"", &characters[..length]),
                InvalidKey::TooLong,
            );
        }
    }
    // The limit is on the key, not on its spelling.
    assert_key(format!("\"{}\"", r"\\".repeat(255)), &r"\".repeat(255));
}

#[test]
fn h04_quoted_and_bare() {
    assert_key(r#""abc-1""#, "abc-1");
    assert_key("abc-1", "abc-1");
    assert_key("  abc-1\t", "abc-1");
    assert_key(" \"abc-1\"\t", "abc-1");
    assert_key(r#""a\"b""#, r#"a"b"#);
    // Decoded once: two backslashes are one, and what is behind it stays.
    assert_key(r#""a\\\"b""#, r#"a\"b"#);
    assert_key(r#""a\\nb""#, r"a\nb");
    assert_key(r#""abc 1""#, "abc 1");
    assert_key(r#"":YWJj:""#, ":YWJj:");
    assert_key("AZaz09._~+/=-", "AZaz09._~+/=-");
    assert_invalid(r#""abc-1";v=2"#, InvalidKey::Parameters);
    assert_invalid(r#""abc-1";v"#, InvalidKey::Parameters);
    assert_invalid(r#""abc-1"#, InvalidKey::MalformedString);
    assert_invalid(r#"""#, InvalidKey::MalformedString);
    assert_invalid(r#""a\b""#, InvalidKey::MalformedString);
    assert_invalid(r#""a"b"#, InvalidKey::MalformedString);
    assert_invalid(r#""abc-1", "abc-2""#, InvalidKey::List);
    assert_invalid("abc,1", InvalidKey::List);
    for other in [
        ":YWJj:",
        "?1",
        "abc 1",
        "abc;v=1",
        "('a')",
        "@1659578233",
        "%\"a\"",
        "a\"b\"",
        "*a*",
        "'a'",
    ] {
        assert_invalid(other, InvalidKey::NotBare);
    }
    // An integer or a token is written like a bare key, and is one.
    assert_key("42", "42");
    assert_key("-1.50", "-1.50");
    assert_ne!(line("abc"), line("ABC"));
}

#[test]
fn h05_header_sent_twice() {
    for (first, second) in [(K1, K1), (K1, K2), (K1, ""), ("", "")] {
        assert_eq!(
            parse_header(&[first.as_bytes(), second.as_bytes()]),
            Err(KeyError::Invalid(InvalidKey::Repeated))
        );
    }
    // As a gateway merges the lines (RFC 9110 section 5.3).
    for merged in [
        format!("{K1}, {K1}"),
        format!("{K1},{K1}"),
        format!("\"{K1}\", \"{K1}\""),
        format!("\"{K1}\",\"{K1}\""),
    ] {
        assert_invalid(merged, InvalidKey::List);
    }
    assert_invalid(format!("\"{K1}\", {K2}x@"), InvalidKey::MalformedString);
    assert_key(K1, K1);
}

#[test]
fn h09_control_and_non_ascii_characters() {
    for bytes in [
        &b"\"a\tb\""[..],
        b"\"a\x00b\"",
        b"\"a\x7fb\"",
        "\"naïve\"".as_bytes(),
        b"\"na\xefve\"",
        b"na\xefve",
        "naïve".as_bytes(),
    ] {
        assert_invalid(bytes, InvalidKey::NotPrintableAscii);
    }
    for harmless in [
        "a#b|c",
        "../../t-beta",
        "{{x}}",
        "<script>",
        "' OR 1=1 --",
        "%00%0a",
        "${jndi:x}",
    ] {
        assert_key(format!("\"{harmless}\""), harmless);
    }
}

#[test]
fn h09_logs_show_only_a_hash() {
    let key = IdempotencyKey::parse("../../t-beta").unwrap();
    assert_eq!(
        format!("{key:?}"),
        format!("IdempotencyKey(#{})", key.log_hash())
    );
    assert_eq!(key.log_hash().len(), 12);
    assert_ne!(
        key.log_hash(),
        IdempotencyKey::parse("../../t-bet").unwrap().log_hash()
    );
}

#[test]
fn a_key_from_elsewhere_meets_the_same_rules() {
    assert_eq!(IdempotencyKey::parse(""), Err(InvalidKey::Blank));
    assert_eq!(IdempotencyKey::parse("  "), Err(InvalidKey::Blank));
    assert_eq!(
        IdempotencyKey::parse("a\nb"),
        Err(InvalidKey::NotPrintableAscii)
    );
    assert_eq!(
        IdempotencyKey::parse(&"a".repeat(256)),
        Err(InvalidKey::TooLong)
    );
    // No header here: quotes and commas are characters of the key.
    assert_eq!(
        IdempotencyKey::parse("\"a\", b").unwrap().as_str(),
        "\"a\", b"
    );
}

#[test]
fn the_value_of_a_header_reads_back_as_its_key() {
    for (key, value) in [
        ("order-7", "order-7"),
        ("a b", r#""a b""#),
        ("a,b", r#""a,b""#),
        (r#"a"b\c"#, r#""a\"b\\c""#),
    ] {
        let key = IdempotencyKey::parse(key).unwrap();
        assert_eq!(key.header_value(), value);
        let read = parse_header(&[value.as_bytes()]);
        assert_eq!(read.unwrap(), key);
    }
}
