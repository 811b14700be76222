//! JSON as another reader has it, with numbers whose value is worked out here: digits times a power of ten.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use decide_once_protocol::json::{MAX_DEPTH, MAX_DIGITS};
use struson::reader::{JsonReader, JsonStreamReader, ReaderError, ReaderSettings, ValueType};

/// What the other reader says of a text.
#[derive(Debug)]
pub(super) enum Verdict {
    Value(Exact),
    /// JSON, but refused by rules of this service.
    TooStrange,
    NotJson,
}

/// A value; equal by derived equality exactly when it means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exact {
    Null,
    Bool(bool),
    Number(Decimal),
    String(String),
    Array(Vec<Self>),
    Object(BTreeMap<String, Self>),
}

/// `digits × 10^power`; digits without zeros at either end, and none for zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    power: i128,
}

/// Why there is no value.
enum Stop {
    Strange,
    Broken,
}

/// Deeper than anything that is accepted, and not so deep that the stack ends.
const DEEP: u32 = 200;

pub(super) fn read(text: &[u8]) -> Verdict {
    let settings = ReaderSettings {
        max_nesting_depth: Some(DEEP),
        restrict_number_values: false,
        ..ReaderSettings::default()
    };
    let mut reader = JsonStreamReader::new_custom(text, settings);
    let read = value(&mut reader, 0).and_then(|value| {
        reader.consume_trailing_whitespace()?;
        Ok(value)
    });
    match read {
        Ok(Some(value)) => Verdict::Value(value),
        Ok(None) | Err(Stop::Strange) => Verdict::TooStrange,
        Err(Stop::Broken) => Verdict::NotJson,
    }
}

impl From<ReaderError> for Stop {
    fn from(error: ReaderError) -> Self {
        match error {
            ReaderError::MaxNestingDepthExceeded { .. } => Self::Strange,
            _ => Self::Broken,
        }
    }
}

/// `None` once a rule of this service is broken.
fn value(reader: &mut JsonStreamReader<&[u8]>, depth: usize) -> Result<Option<Exact>, Stop> {
    Ok(match reader.peek()? {
        ValueType::Null => reader.next_null().map(|()| Some(Exact::Null))?,
        ValueType::Boolean => Some(Exact::Bool(reader.next_bool()?)),
        ValueType::Number => {
            let number = decimal(reader.next_number_as_str()?);
            number.is_acceptable().then_some(Exact::Number(number))
        }
        ValueType::String => Some(Exact::String(reader.next_string()?)),
        ValueType::Array => {
            reader.begin_array()?;
            let mut items = (depth < MAX_DEPTH).then(Vec::new);
            while reader.has_next()? {
                match value(reader, depth + 1)? {
                    Some(item) => items.iter_mut().for_each(|items| items.push(item.clone())),
                    None => items = None,
                }
            }
            reader.end_array()?;
            items.map(Exact::Array)
        }
        ValueType::Object => {
            reader.begin_object()?;
            let mut members = (depth < MAX_DEPTH).then(BTreeMap::new);
            while reader.has_next()? {
                let name = reader.next_name_owned()?;
                let member = value(reader, depth + 1)?;
                members = members.zip(member).and_then(|(mut members, member)| {
                    members.insert(name, member).is_none().then_some(members)
                });
            }
            reader.end_object()?;
            members.map(Exact::Object)
        }
    })
}

/// The value of a JSON number's text.
pub(super) fn decimal(text: &str) -> Decimal {
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{integer}{fraction}");
    let digits = all.trim_end_matches('0');
    let (zeros, places) = (all.len() - digits.len(), fraction.len());
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Decimal {
            negative: false,
            digits: String::new(),
            power: 0,
        };
    }
    let power = exponent.parse().unwrap_or_else(|_| beyond(exponent));
    Decimal {
        negative,
        digits: digits.to_owned(),
        power: power + i128::try_from(zeros).unwrap() - i128::try_from(places).unwrap(),
    }
}

/// An exponent with more digits than fit: far beyond every bound, however long the text is.
fn beyond(exponent: &str) -> i128 {
    let magnitude = 1 << 100;
    if exponent.starts_with('-') {
        -magnitude
    } else {
        magnitude
    }
}

impl Decimal {
    /// 0, or at most [`MAX_DIGITS`] digits and a magnitude from 10^-308 to 10^308.
    fn is_acceptable(&self) -> bool {
        let first = self.power + i128::try_from(self.digits.len()).unwrap() - 1;
        self.digits.is_empty()
            || (self.digits.len() <= MAX_DIGITS
                && (-308..=308).contains(&first)
                && (first < 308 || self.digits == "1"))
    }
}

impl Exact {
    /// The same value, spelled in an unusual way: members backwards, every character escaped, needless digits.
    pub(super) fn respell(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("\tnull"),
            Self::Bool(truth) => write!(out, " {truth}\r\n").unwrap(),
            Self::Number(Decimal {
                negative,
                digits,
                power,
            }) => {
                let sign = if *negative { "-" } else { "" };
                match digits.split_at_checked(1) {
                    Some((first, rest)) => {
                        let exponent = power + i128::try_from(rest.len()).unwrap();
                        write!(out, "{sign}{first}.{rest}00E{exponent:+04}").unwrap();
                    }
                    None => out.push_str("-0.0e+7"),
                }
            }
            Self::String(text) => string(out, text),
            Self::Array(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    out.push_str(if position > 0 { " ,\n" } else { " " });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (position, (name, member)) in members.iter().rev().enumerate() {
                    out.push_str(if position > 0 { "\t, " } else { "\n" });
                    string(out, name);
                    out.push_str(" : ");
                    member.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for unit in text.encode_utf16() {
        write!(out, "\\u{unit:04x}").unwrap();
    }
    out.push('"');
}
