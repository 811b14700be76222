//! What `/openapi.json` says of a request is what the code takes. (What it says of answers: `docs.rs`, and the script `tests/openapi`.)

use decide_once_protocol::{
    key,
    request::{DecisionRequest, PolicyId, Subject},
};
use jsonschema::Validator;
use serde_json::{Value, json};

fn validator(pointer: &str) -> Validator {
    let document = include_str!("../../../functions/decide/openapi.json");
    let document: Value = serde_json::from_str(document).unwrap();
    let schema = document.pointer(pointer).unwrap().clone();
    jsonschema::validator_for(&schema).unwrap()
}

/// Both say the same of each text.
#[track_caller]
fn agree(pointer: &str, texts: &[&str], is_taken: impl Fn(&str) -> bool) {
    let described = validator(pointer);
    let mut verdicts = [0, 0];
    for text in texts {
        let taken = is_taken(text);
        assert_eq!(described.is_valid(&json!(text)), taken, "{text:?}");
        verdicts[usize::from(taken)] += 1;
    }
    assert!(verdicts[0] > 2 && verdicts[1] > 2, "{verdicts:?}");
}

#[test]
fn a_key_is_described_as_it_is_read() {
    let long = |count: usize| "k".repeat(count);
    let quoted = |count: usize| format!("\"{}\"", "k".repeat(count));
    let escaped = format!("\"{}\"", "\\\"".repeat(255));
    let texts = [
        "order-7",
        "A.z_~+/=-",
        "\"order 7\"",
        "\"a,b\"",
        r#""\"\\""#,
        &long(255),
        &quoted(255),
        &escaped,
        "",
        "a b",
        "a,b",
        "\"a",
        "a\"",
        "\"\"",
        "\"a\";q=1",
        "\"a\\b\"",
        "\"ä\"",
        "ä",
        ":a:",
        "\"a\", \"b\"",
        &long(256),
        &quoted(256),
    ];
    agree(
        "/paths/~1v1~1decisions/post/parameters/0/schema",
        &texts,
        |text| key::parse_header(&[text.as_bytes()]).is_ok(),
    );
}

#[test]
fn a_policy_and_a_subject_are_described_as_they_are_read() {
    let long = |count: usize| "s".repeat(count);
    let texts = [
        "a",
        "credit-limit",
        "p2",
        "a-",
        &long(64),
        "",
        "A",
        "2p",
        "-a",
        "a_b",
        "a\n",
        "ä",
        &long(65),
    ];
    let policy = "/components/schemas/Request/properties/policy";
    agree(policy, &texts, |text| PolicyId::parse(text).is_ok());
    let texts = [
        "acct-42",
        " ",
        "ä\u{1f600}",
        "\u{a0}",
        &long(256),
        &"ä".repeat(256),
        "",
        "a\n",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        &long(257),
    ];
    let subject = "/components/schemas/Request/properties/subject";
    agree(subject, &texts, |text| Subject::parse(text).is_ok());
}

#[test]
fn a_request_is_described_as_it_is_read() {
    let texts = [
        r#"{"policy":"p","subject":"s","facts":{}}"#,
        r#"{"policy":"p","version":1,"subject":"s","facts":{"a":null}}"#,
        r#"{"policy":"p","version":4294967295,"subject":"s","facts":{}}"#,
        r#"{"policy":"p","version":1.0,"subject":"s","facts":{}}"#,
        r#"{"policy":"p","version":0,"subject":"s","facts":{}}"#,
        r#"{"policy":"p","version":4294967296,"subject":"s","facts":{}}"#,
        r#"{"policy":"p","version":null,"subject":"s","facts":{}}"#,
        r#"{"policy":"p","version":"1","subject":"s","facts":{}}"#,
        r#"{"policy":"p","subject":"s","facts":[]}"#,
        r#"{"policy":"p","subject":"s"}"#,
        r#"{"policy":"p","subject":"s","facts":{},"more":1}"#,
        "[]",
        "null",
    ];
    let described = validator("/components/schemas/Request");
    for text in texts {
        let value: Value = serde_json::from_str(text).unwrap();
        let taken = DecisionRequest::parse(text.as_bytes()).is_ok();
        assert_eq!(described.is_valid(&value), taken, "{text}");
    }
}
