//! A JSON object.

use indexmap::{IndexMap, map};

use super::Value;

/// The members of a JSON object: unique names, kept in the order in which they were inserted, found by name in constant time.
/// Equality does not look at the order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object(IndexMap<String, Value>);

/// An object from its members, for values that code builds; of two equal names the last counts.
///
/// ```
/// use decide_once_protocol::json::{Value, object};
/// let facts = object([("amount", 12500.into()), ("currency", "USD".into())]);
/// assert_eq!(Value::from(facts).to_json(), r#"{"amount":12500,"currency":"USD"}"#);
/// ```
pub fn object<N: Into<String>>(members: impl IntoIterator<Item = (N, Value)>) -> Object {
    members.into_iter().collect()
}

impl Object {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The value of a member, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.get_mut(name)
    }

    /// Whether there is a member of this name (also one that is `null`).
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Adds a member at the end, or replaces the value of the one that has this name in its place; the replaced value is returned.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(name.into(), value.into())
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// The members in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.0.iter())
    }

    /// The members in order, with values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.0
            .iter_mut()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Members of an [`Object`] in order.
#[derive(Clone, Debug)]
pub struct Iter<'a>(map::Iter<'a, String, Value>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name.as_str(), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = map::IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Self {
        Self(
            members
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        )
    }
}

impl<N: Into<String>> Extend<(N, Value)> for Object {
    fn extend<I: IntoIterator<Item = (N, Value)>>(&mut self, members: I) {
        self.0.extend(
            members
                .into_iter()
                .map(|(name, value)| (name.into(), value)),
        );
    }
}
