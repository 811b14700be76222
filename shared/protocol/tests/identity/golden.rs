//! The committed vectors, which a second implementation wrote (`golden/vectors.py`).

use decide_once_protocol::{
    fingerprint::{self, Scheme},
    json::{self, Number},
    key::IdempotencyKey,
    request::PolicyVersion,
    scope::{OperationName, Scope, Tenant},
};
use serde_json::Value;

use crate::support::request;

fn vectors(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn canonical_vectors() -> Value {
    vectors(include_str!("../../golden/canonical-v1.json"))
}

fn fingerprint_vectors() -> Value {
    vectors(include_str!("../../golden/fingerprint-v1.json"))
}

fn each<'a>(vectors: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    vectors[list].as_array().unwrap().iter()
}

fn text<'a>(vector: &'a Value, name: &str) -> &'a str {
    vector[name].as_str().unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).unwrap());
    digits
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

#[test]
fn canonical_form_v1_is_what_was_committed() {
    for vector in each(&canonical_vectors(), "accepted") {
        let value = json::parse(text(vector, "input").as_bytes()).unwrap();
        assert_eq!(
            value.canonical(),
            text(vector, "canonical"),
            "{}",
            vector["name"]
        );
    }
}

#[test]
fn what_is_refused_is_refused_for_the_reason_that_was_committed() {
    for vector in each(&canonical_vectors(), "refused") {
        let error = json::parse(&unhex(text(vector, "inputHex"))).unwrap_err();
        assert!(
            format!("{error:?}").starts_with(text(vector, "error")),
            "{}: {error:?}",
            vector["name"]
        );
    }
}

#[test]
fn doubles_are_written_as_rfc_8785_appendix_b_has_them() {
    for vector in each(&canonical_vectors(), "doubles") {
        let double = f64::from_bits(u64::from_str_radix(text(vector, "bits"), 16).unwrap());
        let number = Number::from_f64(double);
        assert_eq!(
            number.as_ref().map(ToString::to_string).as_deref(),
            vector["text"].as_str(),
            "{double:e}"
        );
        if let Some(number) = number {
            // -0 and 0 are one number.
            assert_eq!(number.to_f64_exact(), Some(double + 0.0), "{double:e}");
        }
    }
}

#[test]
fn fingerprint_scheme_1_is_what_was_committed() {
    let vectors = fingerprint_vectors();
    let scheme =
        Scheme::from_code(vectors["scheme"].as_u64().unwrap().try_into().unwrap()).unwrap();
    let operation = OperationName::parse(text(&vectors, "operation")).unwrap();
    let pin = vectors["pinnedWhereAbsent"]
        .as_u64()
        .unwrap()
        .try_into()
        .unwrap();
    let pin = PolicyVersion::new(pin).unwrap();
    for vector in each(&vectors, "requests") {
        let request = request(text(vector, "body"));
        let exact = fingerprint::exact(scheme, &operation, &request);
        assert_eq!(exact.to_hex(), text(vector, "exact"), "{}", vector["name"]);
        let version = request.version.unwrap_or(pin);
        let normalised = fingerprint::normalised(
            scheme,
            &operation,
            &request.policy,
            version,
            &request.subject,
            &request.facts,
        );
        assert_eq!(
            normalised.to_hex(),
            text(vector, "normalised"),
            "{}",
            vector["name"]
        );
    }
}

#[test]
fn operation_ids_are_what_was_committed() {
    for vector in each(&fingerprint_vectors(), "operationIds") {
        let scope = Scope {
            tenant: Tenant::parse(text(vector, "tenant")).unwrap(),
            operation: OperationName::parse(text(vector, "operation")).unwrap(),
            key: IdempotencyKey::parse(text(vector, "key")).unwrap(),
        };
        assert_eq!(scope.operation_id().as_str(), text(vector, "operationId"));
    }
}
