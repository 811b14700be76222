//! Field cases in which two requests are, or are not, the same request.

use decide_once_protocol::{
    fingerprint::{self, Fingerprint, Scheme, UnknownScheme},
    request::{DecisionRequest, PolicyVersion},
    scope::OperationName,
};

use crate::support::{B0, exact, operation, request, with_amount, with_facts};

#[track_caller]
fn assert_same(first: &str, retry: &str) {
    assert_eq!(exact(first), exact(retry), "{first}\n{retry}");
}

#[track_caller]
fn assert_other(first: &str, other: &str) {
    assert_ne!(exact(first), exact(other), "{first}\n{other}");
}

fn normalised(request: &DecisionRequest, version: u32) -> Fingerprint {
    let version = PolicyVersion::new(version).unwrap();
    fingerprint::normalised(
        Scheme::V1,
        &operation(),
        &request.policy,
        version,
        &request.subject,
        &request.facts,
    )
}

#[test]
fn c01_member_order_and_spacing() {
    assert_same(
        B0,
        "{ \"facts\" : { \"currency\" : \"USD\",\n \"amount\":12500 }, \"subject\":\"acct-42\",\r\n\t\"policy\":\"credit-limit\" }\n",
    );
    assert_same(
        &with_facts(r#"{"a":{"b":1,"c":[{"d":2,"e":3}]}}"#),
        &with_facts(r#"{"a":{"c":[{"e":3,"d":2}],"b":1}}"#),
    );
    assert_other(
        &with_facts(r#"{"list":[1,2]}"#),
        &with_facts(r#"{"list":[2,1]}"#),
    );
}

#[test]
fn c02_escape_spelling() {
    let first = r#"{"policy":"credit-limit","subject":"a\\b/é","facts":{"amount":1}}"#;
    assert_same(
        first,
        r#"{"policy":"credit-limit","subject":"\u0061\u005Cb\/\u00e9","facts":{"amount":1}}"#,
    );
    assert_same(
        first,
        r#"{"policy":"credit-limit","\u0073ubject":"a\\b/é","facts":{"\u0061mount":1}}"#,
    );
}

#[test]
fn c04_negative_zero() {
    for zero in [
        "-0",
        "0.0",
        "-0.0",
        "0e5",
        "-0E-5",
        "0e99999999999999999999",
    ] {
        assert_same(&with_amount("0"), &with_amount(zero));
    }
    assert_other(&with_amount("0"), &with_amount("1e-308"));
}

#[test]
fn c06_numbers_beyond_a_double() {
    let first = with_amount("1.5777777777770001");
    assert_same(&first, &first);
    // What is printed and read again, by whomever, has the fingerprint of what was sent.
    let facts = request(&first).facts;
    assert_same(&first, &with_facts(&facts.to_json()));
    assert_same(&first, &with_facts(&facts.canonical()));
    assert_other(&first, &with_amount("1.5777777777770002"));
    for refused in ["1e1000000000", "-1e99999999999999999999", "1e-400"] {
        assert!(
            DecisionRequest::parse(with_amount(refused).as_bytes()).is_err(),
            "{refused}"
        );
    }
}

#[test]
fn c13_null_is_not_absent() {
    let with_null = with_facts(r#"{"amount":12500,"currency":"USD","memo":null}"#);
    assert_other(B0, &with_null);
    assert_ne!(
        normalised(&request(B0), 1),
        normalised(&request(&with_null), 1)
    );
}

#[test]
fn c16_sort_order_beyond_the_bmp() {
    assert_same(
        &with_facts(r#"{"\ue000":1,"\ud83d\ude00":2}"#),
        &with_facts("{\"\u{1f600}\":2,\"\u{e000}\":1}"),
    );
}

#[test]
fn c18_a_scheme_is_stored_by_its_code_and_an_unknown_one_is_refused() {
    assert_eq!(
        Scheme::from_code(Scheme::CURRENT.code()),
        Ok(Scheme::CURRENT)
    );
    for unknown in [0, 2, 255] {
        assert_eq!(Scheme::from_code(unknown), Err(UnknownScheme(unknown)));
    }
}

#[test]
fn a05_empty_values_are_values() {
    let empty = ["{}", "[]", "0", "false", r#""""#, "null"];
    for (position, value) in empty.iter().enumerate() {
        for other in &empty[position + 1..] {
            assert_other(&with_amount(value), &with_amount(other));
        }
        assert_other(&with_amount(value), &with_facts(r#"{"currency":"USD"}"#));
    }
}

#[test]
fn a07_exact_decimal_identity() {
    for one in [
        "1.0",
        "1e0",
        "10e-1",
        "0.1E+1",
        "1.000000000000000000000000000000000000000000000000000000000000000000000",
    ] {
        assert_same(&with_amount("1"), &with_amount(one));
    }
    assert_same(&with_amount("0"), &with_amount("-0.0"));
    assert_other(
        &with_amount("9007199254740992"),
        &with_amount("9007199254740993"),
    );
    assert_other(&with_amount("0.1"), &with_amount("0.10000000000000001"));
    assert_other(&with_amount("1"), &with_amount(r#""1""#));
    assert_same(
        &with_facts(r#"{"a":1,"A":2}"#),
        &with_facts(r#"{"A":2,"a":1}"#),
    );
    assert_other(
        &with_facts(r#"{"a":1,"A":2}"#),
        &with_facts(r#"{"A":1,"a":2}"#),
    );
}

#[test]
fn no_unicode_normalisation() {
    assert_other(&with_amount(r#""\u00e9""#), &with_amount(r#""e\u0301""#));
}

#[test]
fn each_part_of_a_request_counts() {
    let others = [
        B0.replace("credit-limit", "credit-limits"),
        B0.replace("acct-42", "acct-43"),
        B0.replace(r#""subject""#, r#""version":1,"subject""#),
        B0.replace(r#""subject""#, r#""version":2,"subject""#),
        with_facts("{}"),
        B0.replace("12500", "12501"),
    ];
    let mut fingerprints: Vec<_> = others.iter().map(exact).chain([exact(B0)]).collect();
    let other_operation = OperationName::parse("other").unwrap();
    fingerprints.push(fingerprint::exact(
        Scheme::V1,
        &other_operation,
        &request(B0),
    ));
    fingerprints.push(normalised(&request(B0), 1));
    fingerprints.push(normalised(&request(B0), 2));
    // The exact and the normalised fingerprint of the same request and version differ: their domains do.
    fingerprints.push(normalised(&request(&others[2]), 3));
    let distinct: std::collections::HashSet<_> = fingerprints.iter().collect();
    assert_eq!(distinct.len(), fingerprints.len());
}

#[test]
fn a_spelling_of_the_version_is_not_another_version() {
    let pinned =
        |version: &str| B0.replace(r#""subject""#, &format!(r#""version":{version},"subject""#));
    assert_same(&pinned("3"), &pinned("3.0"));
    assert_same(&pinned("3"), &pinned("30e-1"));
}

#[test]
fn a_fingerprint_survives_storage_and_debug_shows_its_beginning_only() {
    let fingerprint = exact(B0);
    assert_eq!(
        Fingerprint::from_bytes(*fingerprint.as_bytes()),
        fingerprint
    );
    assert_eq!(
        format!("{fingerprint:?}"),
        format!("Fingerprint({}…)", &fingerprint.to_hex()[..8])
    );
}
