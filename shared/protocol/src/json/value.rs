//! A JSON value.

use super::{Number, Object, canonical, pointer};

/// A JSON value. Equality is by meaning: numbers by exact decimal value, objects whatever the order of their members.
///
/// [`super::parse`] never builds a value deeper than [`super::MAX_DEPTH`], so the recursive walks over it are bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`, which is not the same as an absent member.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An exact decimal number.
    Number(Number),
    /// A string, not normalised in any way.
    String(String),
    /// An array; its order counts.
    Array(Vec<Self>),
    /// An object; the order of its members is kept but does not count.
    Object(Object),
}

impl Value {
    /// Canonical form v1: RFC 8785 member order and escapes, numbers by their exact decimal digits.
    ///
    /// Two values are equal exactly when their canonical forms are equal. Wherever RFC 8785 applies without loss (numbers that
    /// are the shortest form of a double), the result is what RFC 8785 prescribes.
    #[must_use]
    pub fn canonical(&self) -> String {
        canonical::write(self, canonical::Order::Canonical)
    }

    /// Compact JSON text with members in the order in which they were inserted.
    #[must_use]
    pub fn to_json(&self) -> String {
        canonical::write(self, canonical::Order::Inserted)
    }

    /// The value that a JSON Pointer (RFC 6901) names; `""` is the value itself. `None` where there is none.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        pointer::tokens(pointer)?.try_fold(self, |value, token| match value {
            Self::Object(object) => object.get(&token),
            Self::Array(items) => items.get(pointer::index(&token)?),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => None,
        })
    }

    /// As [`Value::pointer`], to change what it names.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        pointer::tokens(pointer)?.try_fold(self, |value, token| match value {
            Self::Object(object) => object.get_mut(&token),
            Self::Array(items) => items.get_mut(pointer::index(&token)?),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => None,
        })
    }

    /// The JSON type's name, for messages: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The number.
    #[must_use]
    pub const fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// The truth value.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(truth) = self {
            Some(*truth)
        } else {
            None
        }
    }

    /// The elements of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// The members of an object.
    #[must_use]
    pub const fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }
}

macro_rules! value_from {
    ($($type:ty => |$input:ident| $value:expr),+ $(,)?) => {$(
        impl From<$type> for Value {
            fn from($input: $type) -> Self {
                $value
            }
        }
    )+};
}

value_from! {
    bool => |truth| Self::Bool(truth),
    Number => |number| Self::Number(number),
    i32 => |number| Self::Number(Number::from_i64(number.into())),
    u32 => |number| Self::Number(Number::from_u64(number.into())),
    i64 => |number| Self::Number(Number::from_i64(number)),
    u64 => |number| Self::Number(Number::from_u64(number)),
    &str => |text| Self::String(text.to_owned()),
    String => |text| Self::String(text),
    Object => |object| Self::Object(object),
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}
