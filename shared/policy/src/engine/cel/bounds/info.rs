//! What is known of a value before there is one.

use crate::schema::{Kind, MAX_FACTS_BYTES, Shape};
use crate::size::Size;

/// A value's type and its largest size.
#[derive(Clone, Debug)]
pub(super) struct Info<'s> {
    pub(super) ty: Type<'s>,
    pub(super) size: Size,
}

/// A value's type, as far as it is known.
#[derive(Clone, Debug)]
pub(super) enum Type<'s> {
    Any,
    Null,
    Bool,
    Int,
    Double,
    Text,
    List {
        item: Box<Info<'s>>,
        max: Option<u64>,
    },
    /// An object with declared members.
    Record(&'s Shape),
    /// A map that the expression makes.
    Map,
}

impl Type<'_> {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Null => "null",
            Self::Bool => "a truth value",
            Self::Int => "an integer",
            Self::Double => "a number",
            Self::Text => "a string",
            Self::List { .. } => "a list",
            Self::Record(_) | Self::Map => "an object",
        }
    }

    /// Whether two values may be of one type.
    pub(super) const fn may_equal(&self, other: &Self) -> bool {
        use Type::{Any, Bool, Double, Int, List, Map, Null, Record, Text};
        matches!(
            (self, other),
            (Any, _)
                | (_, Any)
                | (Null, Null)
                | (Bool, Bool)
                | (Int, Int)
                | (Double, Double)
                | (Text, Text)
                | (List { .. }, List { .. })
                | (Record(_) | Map, Record(_) | Map)
        )
    }
}

impl<'s> Info<'s> {
    pub(super) const ANY: Self = Self {
        ty: Type::Any,
        size: Size::within(MAX_FACTS_BYTES),
    };
    pub(super) const BOOL: Self = Self {
        ty: Type::Bool,
        size: Size::scalar(5),
    };
    pub(super) const INT: Self = Self {
        ty: Type::Int,
        size: Size::scalar(20),
    };
    /// `string()` writes a double with up to 330 digits.
    pub(super) const DOUBLE: Self = Self {
        ty: Type::Double,
        size: Size::scalar(330),
    };

    pub(super) const fn text(bytes: u64) -> Self {
        Self {
            ty: Type::Text,
            size: Size::scalar(bytes),
        }
    }

    /// A value that the schema describes. A nullable one is taken for its kind: with `null` an operation is an error, and cheap.
    pub(super) fn of(shape: &'s Shape) -> Self {
        let size = shape.max_size();
        let ty = match &shape.kind {
            Kind::Any => Type::Any,
            Kind::Null => Type::Null,
            Kind::Bool => Type::Bool,
            Kind::Integer => Type::Int,
            Kind::Number => Type::Double,
            Kind::Text { .. } => Type::Text,
            Kind::List { items, max_items } => Type::List {
                item: Box::new(Self::of(items)),
                max: *max_items,
            },
            Kind::Record { .. } => Type::Record(shape),
        };
        Self { ty, size }
    }

    /// A list literal.
    pub(super) fn list_of(items: Vec<Self>) -> Self {
        let max = Some(u64::try_from(items.len()).unwrap_or(u64::MAX));
        let size = items
            .iter()
            .fold(Size::scalar(0), |size, item| size.and(item.size));
        let item = items.into_iter().reduce(Self::or).unwrap_or(Self {
            ty: Type::Any,
            size: Size::NOTHING,
        });
        Self {
            ty: Type::List {
                item: Box::new(item),
                max,
            },
            size,
        }
    }

    /// One value or the other.
    pub(super) fn or(self, other: Self) -> Self {
        let size = self.size.or(other.size);
        let ty = match (self.ty, other.ty) {
            (Type::List { item: a, max: m }, Type::List { item: b, max: n }) => Type::List {
                item: Box::new(a.or(*b)),
                max: m.zip(n).map(|(m, n)| m.max(n)),
            },
            (Type::Record(a), Type::Record(b)) if std::ptr::eq(a, b) => Type::Record(a),
            (Type::Record(_) | Type::Map, Type::Record(_) | Type::Map) => Type::Map,
            (a, b) if a.may_equal(&b) && !matches!(b, Type::Any) => a,
            _ => Type::Any,
        };
        Self { ty, size }
    }

    pub(super) const fn is_number(&self) -> bool {
        matches!(self.ty, Type::Int | Type::Double)
    }
}

pub(super) fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
