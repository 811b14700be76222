//! The strict reader and exact numbers, by example.

use decide_once_protocol::json::{
    self, JsonError, MAX_DEPTH, Number, NumberError, Object, Value, object,
};

use crate::support::B0;

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

fn refusal(text: impl AsRef<[u8]>) -> JsonError {
    json::parse(text.as_ref()).unwrap_err()
}

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

#[test]
fn c06_exponent_bombs_cost_nothing() {
    assert_eq!(refusal("1e1000000000"), JsonError::NumberTooLarge { at: 0 });
    assert_eq!(
        refusal("[0,-1e99999999999999999999]"),
        JsonError::NumberTooLarge { at: 3 }
    );
    assert_eq!(refusal("1e-400"), JsonError::NumberTooSmall { at: 0 });
    assert_eq!(
        refusal("1e-99999999999999999999"),
        JsonError::NumberTooSmall { at: 0 }
    );
    assert_eq!(parse("0e99999999999999999999"), Value::from(0));
}

#[test]
fn c07_duplicate_member_names() {
    assert_eq!(
        refusal(r#"{"amount":1,"amount":999999}"#),
        JsonError::DuplicateMember { at: 12 }
    );
    assert_eq!(
        refusal(r#"{"facts":{"amount":1,"amount":1}}"#),
        JsonError::DuplicateMember { at: 21 }
    );
    assert_eq!(
        refusal(r#"{"amount":1,"\u0061mount":2}"#),
        JsonError::DuplicateMember { at: 12 }
    );
    // The same name in two objects is no duplicate.
    parse(r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#);
}

#[test]
fn c09_raw_invalid_utf8() {
    for bytes in [
        &b"\"a\xffb\""[..],
        b"\"a\xc0\xafb\"",
        b"\"a\xed\xa0\xbdb\"",
        b"\"a\xf4\x90\x80\x80b\"",
        b"\"a\xe2\x82\"",
    ] {
        assert_eq!(refusal(bytes), JsonError::NotUtf8 { at: 2 }, "{bytes:x?}");
    }
}

#[test]
fn c11_byte_order_mark() {
    let error = refusal(format!("\u{feff}{B0}"));
    assert_eq!(error, JsonError::ByteOrderMark);
    assert!(error.to_string().contains("byte order mark (BOM"));
    // Elsewhere it is a character like any other, and not white space.
    assert_eq!(
        refusal(" \u{feff}1"),
        JsonError::Unexpected {
            at: 1,
            expected: "a JSON value"
        }
    );
    assert_eq!(parse("\"\u{feff}\""), Value::from("\u{feff}"));
}

#[test]
fn c12_trailing_data() {
    let at = B0.len();
    for trailing in ["}}}} junk", B0, "\0", ","] {
        assert_eq!(
            refusal(format!("{B0}{trailing}")),
            JsonError::TrailingData { at }
        );
    }
    assert_eq!(parse(&format!("{B0}\n")), parse(B0));
}

#[test]
fn a05_empty_values_are_kept_as_they_are() {
    let text = r#"{"a":{},"b":[],"c":0,"d":false,"e":"","f":null,"g":[{},[],0,false,"",null]}"#;
    assert_eq!(parse(text).to_json(), text);
    assert_eq!(parse(text).canonical(), text);
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    parse(&nested(MAX_DEPTH));
    assert_eq!(
        refusal(nested(MAX_DEPTH + 1)),
        JsonError::TooDeep { at: MAX_DEPTH }
    );
    assert_eq!(
        refusal("[".repeat(65_536)),
        JsonError::TooDeep { at: MAX_DEPTH }
    );
    assert_eq!(
        refusal(r#"{"":"#.repeat(10_000)),
        JsonError::TooDeep { at: 4 * MAX_DEPTH }
    );
}

#[test]
fn surrogates_come_in_pairs() {
    assert_eq!(parse(r#""\ud83d\ude00\uD83D\uDE00""#), Value::from("😀😀"));
    for lone in [
        r#""a\ud83d""#,
        r#""a\ude00""#,
        r#""a\ud83d\u0041""#,
        r#""a\ud83d\n""#,
        r#""a\ud83d\ud83d\ude00""#,
    ] {
        assert_eq!(refusal(lone), JsonError::LoneSurrogate { at: 2 }, "{lone}");
    }
    assert_eq!(refusal(r#""a\ud83d\u00""#), JsonError::BadEscape { at: 8 });
}

#[test]
fn an_error_never_repeats_the_text() {
    for text in [
        r#"{"SECRET":1,"SECRET":2}"#,
        "SECRET",
        r#"["SECRET" "SECRET"]"#,
        "\"SECRET\u{1}\"",
        r#""SECRET\x""#,
        "[1e999SECRET]",
    ] {
        let error = refusal(text);
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error}");
    }
}

#[test]
fn the_worst_64_kib_are_read_in_linear_work() {
    const SIZE: usize = 65_536;
    let filled = |open: &str, each: &dyn Fn(usize) -> String, close: &str| {
        let mut text = open.to_owned();
        for position in 0.. {
            let next = each(position);
            if text.len() + next.len() + close.len() + 1 > SIZE {
                break;
            }
            if position > 0 {
                text.push(',');
            }
            text.push_str(&next);
        }
        text + close
    };
    let accepted = [
        filled("[", &|_| "[]".into(), "]"),
        filled("[", &|_| "1".into(), "]"),
        filled("{", &|position| format!("\"{position:x}\":0"), "}"),
        filled(
            "{",
            &|position| format!("\"{}{position:04}\":0", "n".repeat(100)),
            "}",
        ),
        filled("[\"", &|_| r"\ud83d\ude00".into(), "\"]"),
        filled("[\"", &|_| r"\u0000".into(), "\"]"),
        filled(
            "[",
            &|_| format!("0.{}1e{}400", "0".repeat(400), "0".repeat(400)),
            "]",
        ),
        format!("0.{}1e65000", "0".repeat(64_990)),
        format!("0e{}", "9".repeat(65_000)),
        format!("1e{}1", "0".repeat(65_000)),
        format!("{}1{}", " ".repeat(32_000), " ".repeat(32_000)),
    ];
    for text in accepted {
        let value = parse(&text);
        assert_eq!(json::parse(value.canonical().as_bytes()).unwrap(), value);
    }
    let refused = [
        "1".repeat(SIZE),
        format!("1{}", "0".repeat(SIZE)),
        "[".repeat(SIZE),
        "[{\"\":".repeat(9_000),
        "\\".repeat(SIZE),
    ];
    for text in refused {
        json::parse(text.as_bytes()).unwrap_err();
    }
}

#[test]
fn numbers_have_bounds() {
    for within in [
        "1e308",
        "-1e308",
        "1e-308",
        "9.999e307",
        "1234567890123456789012345678901234567890123456789012345678901234",
    ] {
        assert_eq!(number(within).to_string().parse(), Ok(number(within)));
    }
    for (text, error) in [
        ("1.1e308", NumberError::TooLarge),
        ("1e309", NumberError::TooLarge),
        ("9.9e-309", NumberError::TooSmall),
        (
            "12345678901234567890123456789012345678901234567890123456789012345",
            NumberError::TooManyDigits,
        ),
        ("0x10", NumberError::Syntax),
        (" 1", NumberError::Syntax),
        ("inf", NumberError::Syntax),
        ("", NumberError::Syntax),
        ("-", NumberError::Syntax),
        ("1é", NumberError::Syntax),
    ] {
        assert_eq!(text.parse::<Number>(), Err(error), "{text}");
    }
    // Zeros at either end are not significant digits.
    let padded = format!("{}.{}", "1".to_owned() + &"0".repeat(100), "0".repeat(100));
    assert_eq!(number(&padded), number("1e100"));
}

#[test]
fn whole_numbers_are_exact() {
    for (text, signed, unsigned) in [
        ("0", Some(0), Some(0)),
        ("-0.0", Some(0), Some(0)),
        ("1.0", Some(1), Some(1)),
        ("12500e-2", Some(125), Some(125)),
        ("1.5", None, None),
        (
            "9223372036854775807",
            Some(i64::MAX),
            Some(9_223_372_036_854_775_807),
        ),
        ("9223372036854775808", None, Some(9_223_372_036_854_775_808)),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("-9223372036854775809", None, None),
        ("18446744073709551615", None, Some(u64::MAX)),
        ("18446744073709551616", None, None),
        ("1e19", None, Some(10_000_000_000_000_000_000)),
        ("1e20", None, None),
        ("1e300", None, None),
    ] {
        assert_eq!(number(text).as_i64(), signed, "{text}");
        assert_eq!(number(text).as_u64(), unsigned, "{text}");
    }
    for whole in [0, 1, -1, 10, -1200, i64::MAX, i64::MIN] {
        assert_eq!(Number::from_i64(whole), number(&whole.to_string()));
        assert_eq!(Number::from_i64(whole).as_i64(), Some(whole));
    }
    assert_eq!(
        Number::from_u64(u64::MAX).to_string(),
        "18446744073709551615"
    );
}

#[test]
fn a_double_stands_only_for_a_number_that_it_holds() {
    for (text, double) in [
        ("0.1", 0.1),
        ("-0.0", 0.0),
        ("1e23", 1e23),
        ("1e308", 1e308),
        ("1e-308", 1e-308),
        ("9007199254740992", 9_007_199_254_740_992.0),
        // Exact, though not the shortest form.
        (
            "0.1000000000000000055511151231257827021181583404541015625",
            0.1,
        ),
        ("99999999999999991611392", 1e23),
        // Halfway between its two shortest forms, and these.
        ("1424953923781206.25", 1_424_953_923_781_206.3),
        ("1424953923781206.2", 1_424_953_923_781_206.3),
        ("1424953923781206.3", 1_424_953_923_781_206.3),
        ("18014398509481988", 18_014_398_509_481_988.0),
        (
            "5.5511151231257827021181583404541015625e-17",
            5.551_115_123_125_783e-17,
        ),
    ] {
        assert_eq!(number(text).to_f64_exact(), Some(double), "{text}");
    }
    for text in [
        "9007199254740993",
        "0.10000000000000001",
        "0.100000000000000005551115123125782702118158340454101562",
        "99999999999999991611391",
        "100000000000000000000001",
        "1.0000000000000000000000000000000000000000000000000000000000001",
        "333333333.33333329",
        "1424953923781206.24",
        "1.00000000000000000001e-300",
        "1.00000000000000000001e300",
    ] {
        assert_eq!(number(text).to_f64_exact(), None, "{text}");
    }
    assert_eq!(Number::from_f64(f64::NAN), None);
    assert_eq!(Number::from_f64(f64::INFINITY), None);
    assert_eq!(Number::from_f64(f64::MAX), None);
    assert_eq!(Number::from_f64(f64::MIN_POSITIVE / 1e10), None);
}

#[test]
fn json_pointers_find_members() {
    // The document of RFC 6901 section 5.
    let mut document = parse(
        r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9}"#,
    );
    assert_eq!(document.pointer(""), Some(&document));
    for (pointer, value) in [
        ("/foo/0", Value::from("bar")),
        ("/", 0.into()),
        ("/a~1b", 1.into()),
        ("/c%d", 2.into()),
        ("/e^f", 3.into()),
        ("/g|h", 4.into()),
        ("/i\\j", 5.into()),
        ("/k\"l", 6.into()),
        ("/ ", 7.into()),
        ("/m~0n", 8.into()),
        ("/~01", 9.into()),
    ] {
        assert_eq!(document.pointer(pointer), Some(&value), "{pointer}");
        assert_eq!(
            document.pointer_mut(pointer),
            Some(&mut value.clone()),
            "{pointer}"
        );
    }
    for nothing in [
        "foo", "/foo/2", "/foo/00", "/foo/-", "/foo/+0", "/foo/0/x", "/bar", "/m~n/x",
    ] {
        assert_eq!(document.pointer(nothing), None, "{nothing}");
    }
    for name in ["a/b", "m~n", "~1", "", "plain"] {
        let pointer = format!("/{}", json::escape_pointer_token(name));
        assert_eq!(
            document.pointer(&pointer).is_some(),
            name != "plain",
            "{pointer}"
        );
    }
}

#[test]
fn an_object_keeps_its_order_but_is_equal_without_it() {
    let mut first = object([("b", 1.into()), ("a", Value::from(vec![1, 2]))]);
    let second: Object = [("a", Value::from(vec![1, 2])), ("b", 1.into())]
        .into_iter()
        .collect();
    assert_eq!(first, second);
    assert_eq!(first.to_json(), r#"{"b":1,"a":[1,2]}"#);
    assert_eq!(second.to_json(), r#"{"a":[1,2],"b":1}"#);
    assert_eq!(first.canonical(), second.canonical());
    assert_eq!(first.insert("b", 2), Some(1.into()));
    assert_eq!(first.to_json(), r#"{"b":2,"a":[1,2]}"#);
    first.insert("c", true);
    assert_eq!(first.remove("b"), Some(2.into()));
    assert_eq!(first.to_json(), r#"{"a":[1,2],"c":true}"#);
    assert_eq!(
        (first.len(), first.contains("c"), first.get("b")),
        (2, true, None)
    );
}
