//! The strict JSON reader and the canonical form, judged by another reader and by arithmetic of its own ([`exact`]).

mod exact;

use decide_once_protocol::json::{self, JsonError, Number, Value};

use self::exact::{Exact, Verdict};

/// How many values of a text are compared with each other.
const COMPARED: usize = 12;

/// * The text is taken or refused as the other reader and the service's own rules say.
/// * The canonical form is a fixpoint, and another spelling of the same value has the same one.
/// * Two values are equal exactly when the other reader's are, and exactly when their canonical forms are the same bytes.
///
/// # Panics
/// One of these does not hold.
pub fn target(text: &[u8]) {
    let value = match (json::parse(text), exact::read(text)) {
        (Ok(value), Verdict::Value(exact)) => {
            holds(&value, &exact);
            value
        }
        // The reader stops here; what the other one finds further on does not matter.
        (
            Err(
                JsonError::DuplicateMember { .. }
                | JsonError::TooDeep { .. }
                | JsonError::NumberTooLarge { .. }
                | JsonError::NumberTooSmall { .. }
                | JsonError::TooManyDigits { .. },
            ),
            Verdict::TooStrange | Verdict::NotJson,
        ) => return,
        // This one looks at the whole text's encoding first; the other one had enough of it before it came to the bytes.
        (Err(JsonError::NotUtf8 { at }), Verdict::TooStrange)
            if str::from_utf8(text).is_err_and(|why| why.valid_up_to() == at) =>
        {
            return;
        }
        // Readers may ignore a byte order mark (RFC 8259 section 8.1).
        (Err(JsonError::ByteOrderMark), _) | (Err(_), Verdict::NotJson) => return,
        (ours, theirs) => panic!("ours: {ours:?}, theirs: {theirs:?}"),
    };
    let mut parts = Vec::new();
    collect(&value, &mut parts);
    for (at, one) in parts.iter().enumerate() {
        for other in &parts[..at] {
            compare(one, other);
        }
    }
}

fn holds(value: &Value, exact: &Exact) {
    let canonical = value.canonical();
    let again = json::parse(canonical.as_bytes()).unwrap();
    assert_eq!(&again, value, "the canonical form is the same value");
    assert_eq!(again.canonical(), canonical, "it is a fixpoint");
    let inserted = json::parse(value.to_json().as_bytes()).unwrap();
    assert_eq!(inserted.to_json(), value.to_json(), "order is kept");
    let respelled = exact.respell();
    let respelled = json::parse(respelled.as_bytes()).unwrap_or_else(|why| {
        panic!("{respelled} is the same value in another spelling, and is refused: {why}")
    });
    assert_eq!(&respelled, value, "another spelling");
    assert_eq!(respelled.canonical(), canonical, "another spelling");
}

/// The value and the first of those inside it, each level before the next.
fn collect<'v>(value: &'v Value, parts: &mut Vec<&'v Value>) {
    let mut at = parts.len();
    parts.push(value);
    while at < parts.len() && parts.len() < COMPARED {
        match parts[at] {
            Value::Array(items) => parts.extend(items),
            Value::Object(members) => parts.extend(members.iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        at += 1;
    }
    parts.truncate(COMPARED);
}

fn compare(one: &Value, other: &Value) {
    let (ones, others) = (one.canonical(), other.canonical());
    let (Verdict::Value(exact), Verdict::Value(its)) =
        (exact::read(ones.as_bytes()), exact::read(others.as_bytes()))
    else {
        panic!("a canonical form is JSON: {ones} {others}");
    };
    let equal = exact == its;
    assert_eq!(one == other, equal, "{ones} {others}");
    assert_eq!(ones == others, equal, "{ones} {others}");
    if let Value::Number(number) = one {
        as_whole_and_as_double(number);
    }
}

/// What leaves as another type is the same number.
fn as_whole_and_as_double(number: &Number) {
    let text = number.to_string();
    let exactly = |other: &str| exact::decimal(other) == exact::decimal(&text);
    if let Some(whole) = number.as_i64() {
        assert!(exactly(&whole.to_string()), "{text} as {whole}");
    }
    if let Some(whole) = number.as_u64() {
        assert!(exactly(&whole.to_string()), "{text} as {whole}");
    }
    if let Some(double) = number.to_f64_exact() {
        let shortest = Number::from_f64(double).unwrap();
        assert_eq!(shortest.to_f64_exact(), Some(double), "{text}");
    }
}
