//! Strict access to the attributes of a stored item.

use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::record::RECORD_VERSION;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::trace::TraceParent;
use decide_once_protocol::writes::Unreadable;

use super::{Decoded, Item, TRACE, V};

/// An item whose version this code knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    item: &'a Item,
}

impl<'a> Reader<'a> {
    /// Looks at the version, and at nothing else.
    pub(crate) fn open(item: &'a Item) -> Decoded<Self> {
        let reader = Self { item };
        match reader.number(V)? {
            0 => Err(corrupt(V)),
            version if version > RECORD_VERSION => Err(Unreadable::Newer { version }),
            _ => Ok(reader),
        }
    }

    /// An item of an index that projects keys only, and so no version.
    pub(crate) const fn of_index(item: &'a Item) -> Self {
        Self { item }
    }

    /// Whether the attribute is there, of whatever type.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.item.contains_key(name)
    }

    /// An S.
    pub(crate) fn text(&self, name: &str) -> Decoded<&'a str> {
        match self.item.get(name) {
            Some(AttributeValue::S(text)) => Ok(text),
            _ => Err(corrupt(name)),
        }
    }

    /// An S that `parse` accepts.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Decoded<T> {
        parse(self.text(name)?).ok_or_else(|| corrupt(name))
    }

    /// An N within `T`.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Decoded<T> {
        match self.item.get(name) {
            Some(AttributeValue::N(digits)) => digits.parse().map_err(|_| corrupt(name)),
            _ => Err(corrupt(name)),
        }
    }

    /// An N of milliseconds since the epoch.
    pub(crate) fn instant(&self, name: &str) -> Decoded<Timestamp> {
        Timestamp::from_millis(self.number(name)?).ok_or_else(|| corrupt(name))
    }

    /// A B.
    pub(crate) fn bytes(&self, name: &str) -> Decoded<&'a [u8]> {
        match self.item.get(name) {
            Some(AttributeValue::B(bytes)) => Ok(bytes.as_ref()),
            _ => Err(corrupt(name)),
        }
    }

    /// What `read` reads, if the attribute is there.
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Self, &str) -> Decoded<T>,
    ) -> Decoded<Option<T>> {
        self.has(name).then(|| read(self, name)).transpose()
    }

    /// None of these may be there: another state has them.
    pub(crate) fn none_of<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Decoded<()> {
        names
            .into_iter()
            .find(|name| self.has(name))
            .map_or(Ok(()), |name| Err(corrupt(name)))
    }
}

/// The trace, which decides nothing: one that cannot be read is none.
pub(crate) fn trace(item: Reader<'_>) -> Option<TraceParent> {
    TraceParent::parse(item.text(TRACE).ok()?)
}

/// The attribute is not what any version writes.
pub(crate) fn corrupt(attribute: &str) -> Unreadable {
    Unreadable::Corrupt {
        attribute: attribute.to_owned(),
    }
}
