//! The request's body.

use decide_once_protocol::{
    json::{JsonError, Value},
    request::{BodyError, DecisionRequest, PolicyId, PolicyVersion, Subject},
};

use crate::support::{B0, request};

fn refusal(body: &str) -> BodyError {
    DecisionRequest::parse(body.as_bytes()).unwrap_err()
}

/// B0 with a member's value (as it stands in B0) replaced.
fn replaced(from: &str, to: &str) -> String {
    assert!(B0.contains(from));
    B0.replace(from, to)
}

#[test]
fn a_request_is_read() {
    let request = request(B0.replace(r#""subject""#, r#""version":3,"subject""#));
    assert_eq!(request.policy.as_str(), "credit-limit");
    assert_eq!(request.version, PolicyVersion::new(3).ok());
    assert_eq!(request.subject.as_str(), "acct-42");
    assert_eq!(request.facts.get("amount"), Some(&Value::from(12500)));
}

#[test]
fn an_absent_version_is_absent() {
    assert_eq!(request(B0).version, None);
}

#[test]
fn c07_c11_c12_strictness_holds_for_the_body() {
    assert!(matches!(
        refusal(&replaced("12500", r#"1,"amount":2"#)),
        BodyError::Json(JsonError::DuplicateMember { .. })
    ));
    assert_eq!(
        refusal(&format!("\u{feff}{B0}")),
        BodyError::Json(JsonError::ByteOrderMark)
    );
    assert!(matches!(
        refusal(&format!("{B0}{B0}")),
        BodyError::Json(JsonError::TrailingData { .. })
    ));
    assert_eq!(request(format!("{B0}\n")), request(B0));
}

#[test]
fn only_an_object_is_a_request() {
    for body in ["null", "[]", "1", r#""{}""#] {
        assert_eq!(refusal(body), BodyError::NotAnObject);
    }
    assert_eq!(refusal(""), BodyError::Json(JsonError::Empty));
}

#[test]
fn a_missing_member_is_named() {
    for (without, pointer) in [
        (r#"{"subject":"s","facts":{}}"#, "/policy"),
        (r#"{"policy":"p","facts":{}}"#, "/subject"),
        (r#"{"policy":"p","subject":"s"}"#, "/facts"),
        ("{}", "/policy"),
    ] {
        assert_eq!(refusal(without), BodyError::Missing { pointer });
    }
}

#[test]
fn an_unknown_member_is_named_when_it_can_be() {
    let with =
        |name: &str| refusal(&B0.replace(r#""subject""#, &format!(r#""{name}":1,"subject""#)));
    let unknown = |pointer: &str| BodyError::Unknown {
        pointer: pointer.to_owned(),
    };
    assert_eq!(with("amount"), unknown("/amount"));
    assert_eq!(with("Subject"), unknown("/Subject"));
    assert_eq!(with("a/b~c"), unknown("/a~1b~0c"));
    assert_eq!(with(&"n".repeat(65)), unknown(""));
    assert_eq!(with("a\\nb"), unknown(""));
    assert_eq!(with(""), unknown("/"));
}

#[test]
fn a_value_of_the_wrong_type_or_form_is_refused_by_its_place() {
    let pointer = |body: &str| match refusal(body) {
        BodyError::Unacceptable { pointer, .. } => pointer,
        other => panic!("{other:?}"),
    };
    for policy in [
        "null",
        "1",
        r#""""#,
        r#""Credit""#,
        r#""1a""#,
        r#""-a""#,
        r#""a_b""#,
        r#""a/b""#,
        &format!("\"{}\"", "a".repeat(65)),
    ] {
        assert_eq!(
            pointer(&replaced(r#""credit-limit""#, policy)),
            "/policy",
            "{policy}"
        );
    }
    for version in [
        "null",
        r#""3""#,
        "0",
        "-1",
        "1.5",
        "4294967296",
        "1e300",
        "true",
    ] {
        let body = B0.replace(r#""subject""#, &format!(r#""version":{version},"subject""#));
        assert_eq!(pointer(&body), "/version", "{version}");
    }
    for subject in [
        "null",
        "42",
        r#""""#,
        r#""a\nb""#,
        r#""a\u007fb""#,
        r#""a\u0085b""#,
        &format!("\"{}\"", "é".repeat(257)),
    ] {
        assert_eq!(
            pointer(&replaced(r#""acct-42""#, subject)),
            "/subject",
            "{subject}"
        );
    }
    for facts in ["null", "[]", r#""{}""#, "0"] {
        assert_eq!(
            pointer(&replaced(r#"{"amount":12500,"currency":"USD"}"#, facts)),
            "/facts",
            "{facts}"
        );
    }
}

#[test]
fn the_bounds_themselves_are_accepted() {
    let widest = format!(
        r#"{{"policy":"{}","version":4294967295,"subject":"{}","facts":{{}}}}"#,
        "a".repeat(64),
        "é".repeat(256)
    );
    let request = request(widest);
    assert_eq!(request.version.map(PolicyVersion::get), Some(u32::MAX));
    assert!(PolicyId::parse("a").is_ok() && Subject::parse("😀").is_ok());
    assert!(PolicyVersion::new(0).is_err());
}

#[test]
fn neither_errors_nor_debug_show_values() {
    let request = request(B0.replace("acct-42", "SECRET").replace("USD", "SECRET"));
    assert!(!format!("{request:?}").contains("SECRET"));
    for body in [
        replaced(r#""credit-limit""#, r#""SECRET""#),
        replaced(r#""acct-42""#, r#""SECRET\n""#),
        replaced(r#"{"amount":12500,"currency":"USD"}"#, r#""SECRET""#),
        B0.replace(r#""subject""#, r#""version":"SECRET","subject""#),
        B0.replace(r#""subject""#, r#""other":"SECRET","subject""#),
    ] {
        let error = refusal(&body);
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error}");
    }
}
