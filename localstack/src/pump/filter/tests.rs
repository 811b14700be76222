#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use serde_json::{Value, json};

use super::*;

fn passes(pattern: &Value, record: &Value) -> bool {
    Filters::parse(&[pattern.to_string()]).unwrap().pass(record)
}

/// The record of a row that its sink has not acknowledged.
fn insert() -> Value {
    json!({
        "eventName": "INSERT",
        "dynamodb": {
            "SizeBytes": 120,
            "Keys": { "event": { "S": "e-1" } },
            "NewImage": {
                "event": { "S": "e-1" },
                "undelivered": { "S": "1-7" },
                "attempts": { "N": "3" },
                "note": { "NULL": true },
                "tags": { "SS": ["red", "green"] },
                "lines": { "L": [{ "S": "one" }, { "S": "two" }] },
            },
        },
    })
}

fn leaf(rule: &Value) -> Value {
    json!({ "dynamodb": { "NewImage": { "undelivered": { "S": [rule] } } } })
}

#[test]
fn without_filters_everything_passes() {
    assert!(Filters::none().pass(&insert()));
}

#[test]
fn a_value_matches_itself_only_and_a_list_is_any_of() {
    assert!(passes(&json!({ "eventName": ["INSERT"] }), &insert()));
    assert!(passes(
        &json!({ "eventName": ["MODIFY", "INSERT"] }),
        &insert()
    ));
    assert!(!passes(&json!({ "eventName": ["insert"] }), &insert()));
    assert!(!passes(&json!({ "eventName": [""] }), &insert()));
    assert!(passes(
        &json!({ "dynamodb": { "SizeBytes": [120] } }),
        &insert()
    ));
    // Numbers compare as written ("300, 300.0 and 3.0e2 are not considered equal").
    assert!(!passes(
        &json!({ "dynamodb": { "SizeBytes": [120.0] } }),
        &insert()
    ));
    assert!(passes(
        &json!({ "dynamodb": { "NewImage": { "note": { "NULL": [true] } } } }),
        &insert()
    ));
}

#[test]
fn fields_are_all_of() {
    let both =
        json!({ "eventName": ["INSERT"], "dynamodb": { "Keys": { "event": { "S": ["e-2"] } } } });
    assert!(!passes(&both, &insert()));
}

#[test]
fn null_matches_a_null_and_not_an_absent_member() {
    let pattern = json!({ "userIdentity": [null] });
    assert!(passes(&pattern, &json!({ "userIdentity": null })));
    assert!(!passes(&pattern, &insert()));
}

#[test]
fn exists_sees_leaves_and_not_what_lies_above_them() {
    assert!(passes(&leaf(&json!({ "exists": true })), &insert()));
    assert!(!passes(&leaf(&json!({ "exists": false })), &insert()));
    // The attribute itself is an intermediate node: the trap that design.md §3 warns of.
    let above = json!({ "dynamodb": { "NewImage": { "undelivered": [{ "exists": true }] } } });
    assert!(!passes(&above, &insert()));
    // A missing parent means a missing leaf.
    let remove = json!({ "eventName": "REMOVE", "dynamodb": { "OldImage": {} } });
    assert!(passes(&leaf(&json!({ "exists": false })), &remove));
    assert!(!passes(&leaf(&json!({ "exists": true })), &remove));
}

#[test]
fn texts_match_by_prefix_suffix_and_without_case() {
    assert!(passes(&leaf(&json!({ "prefix": "1-" })), &insert()));
    assert!(!passes(&leaf(&json!({ "prefix": "2-" })), &insert()));
    assert!(passes(&leaf(&json!({ "suffix": "-7" })), &insert()));
    assert!(!passes(&leaf(&json!({ "suffix": "1-" })), &insert()));
    let any_case = json!({ "eventName": [{ "equals-ignore-case": "insert" }] });
    assert!(passes(&any_case, &insert()));
}

#[test]
fn anything_but_needs_a_value_that_is_none_of_these() {
    assert!(passes(
        &leaf(&json!({ "anything-but": ["x", "y"] })),
        &insert()
    ));
    assert!(passes(&leaf(&json!({ "anything-but": "x" })), &insert()));
    assert!(!passes(
        &leaf(&json!({ "anything-but": ["1-7"] })),
        &insert()
    ));
    let remove = json!({ "dynamodb": { "OldImage": {} } });
    assert!(!passes(&leaf(&json!({ "anything-but": ["x"] })), &remove));
}

#[test]
fn numeric_compares_json_numbers_within_all_bounds() {
    let size = |bounds: Value| json!({ "dynamodb": { "SizeBytes": [{ "numeric": bounds }] } });
    assert!(passes(&size(json!(["=", 120.0])), &insert()));
    assert!(passes(&size(json!([">", 100, "<=", 120])), &insert()));
    assert!(!passes(&size(json!([">", 120])), &insert()));
    assert!(!passes(&size(json!(["<", 120])), &insert()));
    assert!(passes(&size(json!([">=", 120])), &insert()));
}

#[test]
fn numeric_never_matches_a_dynamodb_number_because_it_is_a_string() {
    let attempts =
        json!({ "dynamodb": { "NewImage": { "attempts": { "N": [{ "numeric": [">", 0] }] } } } });
    assert!(!passes(&attempts, &insert()));
    let as_text = json!({ "dynamodb": { "NewImage": { "attempts": { "N": ["3"] } } } });
    assert!(passes(&as_text, &insert()));
}

#[test]
fn an_array_in_the_record_matches_by_any_of_its_elements() {
    let tags = |rule: Value| json!({ "dynamodb": { "NewImage": { "tags": { "SS": [rule] } } } });
    assert!(passes(&tags(json!("green")), &insert()));
    assert!(!passes(&tags(json!("blue")), &insert()));
    let lines = json!({ "dynamodb": { "NewImage": { "lines": { "L": { "S": ["two"] } } } } });
    assert!(passes(&lines, &insert()));
}

#[test]
fn or_needs_one_of_its_branches_and_the_fields_beside_it() {
    let pattern = json!({
        "eventName": ["INSERT"],
        "$or": [
            { "dynamodb": { "Keys": { "event": { "S": ["e-9"] } } } },
            { "dynamodb": { "SizeBytes": [{ "numeric": [">", 100] }] } },
        ],
    });
    assert!(passes(&pattern, &insert()));
    let mut small = insert();
    small["dynamodb"]["SizeBytes"] = json!(50);
    assert!(!passes(&pattern, &small));
}

#[test]
fn several_filters_are_any_of() {
    let filters = Filters::parse(&[r#"{"eventName":["REMOVE"]}"#, r#"{"eventName":["INSERT"]}"#]);
    assert!(filters.unwrap().pass(&insert()));
}

#[test]
fn what_lambda_would_refuse_is_refused() {
    let refuse = |pattern: &str| Filters::parse(&[pattern]).unwrap_err().to_string();
    assert!(refuse("{").contains("not JSON"));
    assert!(refuse("[]").contains("JSON object"));
    assert!(refuse("{}").contains("JSON object"));
    assert!(refuse(r#"{"eventName":"INSERT"}"#).contains("`eventName`"));
    assert!(refuse(r#"{"eventName":[]}"#).contains("`eventName`"));
    assert!(refuse(r#"{"a":{"b":[{"regex":"x"}]}}"#).contains("`b`"));
    assert!(refuse(r#"{"a":[{"numeric":[">"]}]}"#).contains("numeric"));
    assert!(refuse(r#"{"a":[{"prefix":"x","suffix":"y"}]}"#).contains("prefix"));
    assert!(refuse(r#"{"a":[{"anything-but":[]}]}"#).contains("anything-but"));
    assert!(matches!(
        Filters::parse(&[r#"{"a":[1]}"#; 6]),
        Err(FilterError::TooMany(6))
    ));
}
