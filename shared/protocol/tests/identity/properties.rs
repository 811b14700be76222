//! Properties of the canonical form over arbitrary values and arbitrary spellings of them.

use std::fmt::Write;

use decide_once_protocol::json::{self, Number, Value};
use proptest::prelude::*;

use crate::support::Dice;

fn numbers() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from_i64),
        (-20_i64..20).prop_map(Number::from_i64),
        any::<f64>().prop_filter_map("beyond the bounds", Number::from_f64),
        ("-?[1-9][0-9]{0,63}", -330_i32..250).prop_filter_map(
            "beyond the bounds",
            |(digits, exponent)| format!("{digits}e{exponent}").parse().ok()
        ),
    ]
}

/// Any doubles, and those with a quarter, which are halfway between two shortest forms.
fn doubles() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        (1_u32..1 << 20, any::<u32>(), 0_u8..4).prop_map(|(high, low, quarters)| {
            f64::from(high) * 1_073_741_824.0 + f64::from(low >> 2) + f64::from(quarters) / 4.0
        }),
    ]
}

/// Few names and values, so that members meet; and any characters at all.
fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{0,2}",
        "[\\x00-\\x20\"\\\\/~\u{7f}\u{e000}\u{fb33}\u{ffff}\u{10000}😀é]{0,4}",
        any::<String>()
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers().prop_map(Value::Number),
        strings().prop_map(Value::String),
    ];
    leaves.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((strings(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Writes a value in one of its many spellings: other member order, white space, escapes, and spellings of numbers.
struct Speller {
    dice: Dice,
    out: String,
}

impl Speller {
    fn spell(value: &Value, seed: u64) -> String {
        let mut speller = Self {
            dice: Dice::new(seed),
            out: String::new(),
        };
        speller.space();
        speller.value(value);
        speller.space();
        speller.out
    }

    fn space(&mut self) {
        for _ in 0..self.dice.below(3) {
            self.out
                .push_str(self.dice.pick(&["", " ", "\n", "\r\n", "\t"]));
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => self.out.push_str(&value.to_json()),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list('[', ']', items.iter(), Self::value),
            Value::Object(object) => {
                let mut members: Vec<_> = object.iter().collect();
                for at in (1..members.len()).rev() {
                    members.swap(at, self.dice.below(at + 1));
                }
                self.list('{', '}', members.into_iter(), |speller, (name, value)| {
                    speller.string(name);
                    speller.space();
                    speller.out.push(':');
                    speller.space();
                    speller.value(value);
                });
            }
        }
    }

    fn list<T>(
        &mut self,
        open: char,
        close: char,
        items: impl Iterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        self.out.push(open);
        self.space();
        for (position, item) in items.enumerate() {
            if position > 0 {
                self.out.push(',');
                self.space();
            }
            write(self, item);
            self.space();
        }
        self.out.push(close);
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' | '\\' if self.dice.below(2) == 0 => self.out.extend(['\\', character]),
                '/' if self.dice.below(2) == 0 => self.out.push_str("\\/"),
                '\n' if self.dice.below(2) == 0 => self.out.push_str("\\n"),
                plain
                    if plain >= ' ' && plain != '"' && plain != '\\' && self.dice.below(3) > 0 =>
                {
                    self.out.push(plain)
                }
                escaped => {
                    for unit in escaped.encode_utf16(&mut [0; 2]) {
                        let upper = self.dice.below(2) == 0;
                        let _ = if upper {
                            write!(self.out, "\\u{unit:04X}")
                        } else {
                            write!(self.out, "\\u{unit:04x}")
                        };
                    }
                }
            }
        }
        self.out.push('"');
    }

    fn number(&mut self, number: &Number) {
        if *number == Number::from_i64(0) {
            self.out.push_str(self.dice.pick(&[
                "0",
                "-0",
                "0.0",
                "-0.00",
                "0e7",
                "0E-99999999999999999999",
                "0.0e+5",
            ]));
            return;
        }
        // digits × 10^exponent, from the canonical text.
        let text = number.to_string();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, mantissa) = mantissa
            .strip_prefix('-')
            .map_or(("", mantissa), |mantissa| ("-", mantissa));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut exponent =
            exponent.parse::<i32>().unwrap() - i32::try_from(fraction.len()).unwrap();
        let mut digits = [integer, fraction]
            .concat()
            .trim_start_matches('0')
            .to_owned();
        for _ in 0..self.dice.below(4) {
            digits.push('0');
            exponent -= 1;
        }
        let after_point = self.dice.below(digits.len() + 3);
        if after_point > 0 {
            exponent += i32::try_from(after_point).unwrap();
            digits = format!("{digits:0>width$}", width = after_point + 1);
            digits.insert(digits.len() - after_point, '.');
        }
        let e = self.dice.pick(&["e", "E"]);
        let zeros = self.dice.pick(&["", "0", "00"]);
        let plus = self.dice.pick(&["", "+"]);
        let _ = match exponent {
            0 if self.dice.below(2) == 0 => write!(self.out, "{sign}{digits}"),
            0.. => write!(self.out, "{sign}{digits}{e}{plus}{zeros}{exponent}"),
            _ => write!(self.out, "{sign}{digits}{e}-{zeros}{}", -exponent),
        };
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn canonical_is_a_fixpoint(value in values()) {
        let canonical = value.canonical();
        let again = json::parse(canonical.as_bytes()).unwrap();
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(again.canonical(), canonical);
    }

    #[test]
    fn what_is_written_is_read_back(value in values()) {
        let text = value.to_json();
        let again = json::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(again.to_json(), text);
    }

    #[test]
    fn values_are_equal_exactly_when_their_canonical_forms_are(first in values(), second in values()) {
        prop_assert_eq!(first == second, first.canonical() == second.canonical());
    }

    #[test]
    fn spelling_changes_nothing(value in values(), seed in any::<u64>()) {
        let spelled = Speller::spell(&value, seed);
        let read = json::parse(spelled.as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&value), "{}", spelled);
        prop_assert_eq!(read.unwrap().canonical(), value.canonical());
    }

    #[test]
    fn a_changed_number_changes_the_canonical_form(number in numbers(), other in numbers()) {
        prop_assert_eq!(number == other, number.to_string() == other.to_string());
    }

    #[test]
    fn a_double_is_held_exactly(double in doubles()) {
        if let Some(number) = Number::from_f64(double) {
            prop_assert_eq!(number.to_f64_exact(), Some(double));
            // Another reader of our text gets the same double, and another writer writes the same number.
            prop_assert_eq!(number.to_string().parse::<f64>(), Ok(double));
            prop_assert_eq!(serde_json::to_string(&double).unwrap().parse(), Ok(number));
        }
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in any::<Vec<u8>>()) {
        let _ = json::parse(&bytes);
    }
}
