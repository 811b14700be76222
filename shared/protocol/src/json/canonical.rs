//! Writing JSON: the canonical form v1, and compact text in insertion order.

use std::fmt::{self, Write};

use super::{Object, Value, string};

/// In which order the members of an object are written.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// By the UTF-16 code units of their names (RFC 8785 §3.2.3).
    Canonical,
    /// As they were inserted.
    Inserted,
}

/// The compact text of a value.
pub(super) fn write(value: &Value, order: Order) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_value(&mut out, value, order);
    out
}

impl Object {
    /// The canonical form v1 of the object; see [`Value::canonical`].
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = write_object(&mut out, self, Order::Canonical);
        out
    }

    /// Compact JSON text; see [`Value::to_json`].
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = write_object(&mut out, self, Order::Inserted);
        out
    }
}

fn write_value(out: &mut String, value: &Value, order: Order) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::Bool(truth) => write!(out, "{truth}"),
        Value::Number(number) => write!(out, "{number}"),
        Value::String(text) => string::write(out, text),
        Value::Array(items) => {
            out.write_char('[')?;
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.write_char(',')?;
                }
                write_value(out, item, order)?;
            }
            out.write_char(']')
        }
        Value::Object(object) => write_object(out, object, order),
    }
}

fn write_object(out: &mut String, object: &Object, order: Order) -> fmt::Result {
    match order {
        Order::Inserted => write_members(out, object.iter(), order),
        Order::Canonical => {
            let mut members: Vec<_> = object.iter().collect();
            // Not the order of UTF-8 bytes: a character beyond the BMP begins with a surrogate and sorts before U+E000.
            members.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            write_members(out, members.into_iter(), order)
        }
    }
}

fn write_members<'a>(
    out: &mut String,
    members: impl Iterator<Item = (&'a str, &'a Value)>,
    order: Order,
) -> fmt::Result {
    out.write_char('{')?;
    for (position, (name, value)) in members.enumerate() {
        if position > 0 {
            out.write_char(',')?;
        }
        string::write(out, name)?;
        out.write_char(':')?;
        write_value(out, value, order)?;
    }
    out.write_char('}')
}
