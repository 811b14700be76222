//! Whose operation it is.

use decide_once_protocol::{
    hash::{self, EmptyPart},
    key::IdempotencyKey,
    scope::{InvalidOperationId, NameError, OperationId, OperationName, Scope, Tenant},
};

fn operation_id(tenant: &str, operation: &str, key: &str) -> OperationId {
    Scope {
        tenant: Tenant::parse(tenant).unwrap(),
        operation: OperationName::parse(operation).unwrap(),
        key: IdempotencyKey::parse(key).unwrap(),
    }
    .operation_id()
}

#[test]
fn a08_a_part_of_the_composite_key_is_missing() {
    assert_eq!(Tenant::parse(""), Err(NameError::Empty("tenant")));
    assert_eq!(
        OperationName::parse(""),
        Err(NameError::Empty("operation name"))
    );
    assert!(IdempotencyKey::parse("").is_err());
    assert_eq!(
        hash::parts("test", &[b"a", b"", b"c"]),
        Err(EmptyPart {
            domain: "test",
            position: 1
        })
    );
    assert!(hash::parts("test", &[b"a", b"b", b"c"]).is_ok());
}

#[test]
fn a08_parts_do_not_run_into_each_other() {
    let ids = [
        operation_id("ab", "c", "d"),
        operation_id("a", "bc", "d"),
        operation_id("a", "b", "cd"),
        operation_id("abc", "d", "d"),
    ];
    for (position, id) in ids.iter().enumerate() {
        assert!(!ids[position + 1..].contains(id));
    }
    assert_ne!(
        hash::parts("x", &[b"ab", b"c"]),
        hash::parts("x", &[b"a", b"bc"])
    );
    assert_ne!(hash::parts("x", &[b"ab"]), hash::parts("xa", &[b"b"]));
    assert_ne!(hash::parts("x", &[b"a", b"b"]), hash::parts("x", &[b"a"]));
}

#[test]
fn s01_the_same_key_of_two_tenants_is_two_operations() {
    assert_ne!(
        operation_id("t-alpha", "decisions", "k"),
        operation_id("t-beta", "decisions", "k")
    );
    assert_ne!(
        operation_id("t-alpha", "decisions", "k"),
        operation_id("t-alpha", "decisions", "K")
    );
    assert_eq!(
        operation_id("t-alpha", "decisions", "k"),
        operation_id("t-alpha", "decisions", "k")
    );
}

#[test]
fn s06_an_operation_id_shows_nothing_and_has_one_form() {
    let id = operation_id("t-alpha", "decisions", "secret-key");
    assert_eq!(id.as_str().len(), 52);
    assert_eq!(OperationId::parse(id.as_str()), Ok(id.clone()));
    let upper = id.as_str().to_uppercase();
    let padded = format!("{id}====");
    for other in [
        "",
        &id.as_str()[1..],
        &upper,
        &padded,
        &"1".repeat(52),
        &"é".repeat(26),
    ] {
        assert_eq!(
            OperationId::parse(other),
            Err(InvalidOperationId),
            "{other}"
        );
    }
}

#[test]
fn names_are_bounded_and_printable() {
    assert!(Tenant::parse(&"t".repeat(256)).is_ok());
    assert_eq!(
        Tenant::parse(&"t".repeat(257)),
        Err(NameError::TooLong("tenant"))
    );
    assert_eq!(
        Tenant::parse("a\nb"),
        Err(NameError::ControlCharacter("tenant"))
    );
    assert_eq!(
        OperationName::parse("a\u{85}b"),
        Err(NameError::ControlCharacter("operation name"))
    );
}

#[test]
fn debug_of_a_scope_shows_neither_tenant_nor_key() {
    let scope = Scope {
        tenant: Tenant::parse("t-alpha").unwrap(),
        operation: OperationName::parse("decisions").unwrap(),
        key: IdempotencyKey::parse("t-alpha").unwrap(),
    };
    let debug = format!("{scope:?}");
    assert!(!debug.contains("t-alpha"), "{debug}");
    // Hashed in domains of their own: that key and tenant are the same text does not show.
    assert_ne!(scope.tenant.log_hash(), scope.key.log_hash());
}

#[test]
fn base32_is_that_of_rfc_4648_in_lower_case() {
    // RFC 4648 section 10.
    for (bytes, text) in [
        ("", ""),
        ("f", "my"),
        ("fo", "mzxq"),
        ("foo", "mzxw6"),
        ("foob", "mzxw6yq"),
        ("fooba", "mzxw6ytb"),
        ("foobar", "mzxw6ytboi"),
    ] {
        assert_eq!(hash::base32(bytes.as_bytes()), text);
    }
    assert_eq!(hash::hex(&[0, 0x0f, 0xff]), "000fff");
}
