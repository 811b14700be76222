//! JSON Pointers (RFC 6901) that a policy names: parsed once, so that following them cannot fail on syntax.

use decide_once_protocol::json::{Object, Value, escape_pointer_token};

/// A pointer to a member of the facts, of at least one token: the facts themselves cannot be named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer {
    text: String,
    tokens: Vec<String>,
}

impl Pointer {
    /// Reads a pointer; `None` for what is not one, and for `""`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let tokens: Option<Vec<String>> =
            text.strip_prefix('/')?.split('/').map(unescape).collect();
        Some(Self {
            text: text.to_owned(),
            tokens: tokens?,
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The member names on the way, unescaped.
    pub(crate) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The value in `facts`, through objects only: a policy names members, not positions in a list.
    pub(crate) fn find<'v>(&self, facts: &'v Object) -> Option<&'v Value> {
        let (last, parents) = self.tokens.split_last()?;
        parents
            .iter()
            .try_fold(facts, |object, token| object.get(token)?.as_object())?
            .get(last)
    }

    /// Takes the member out of `facts`, if it is there.
    pub(crate) fn remove(&self, facts: &mut Object) -> Option<Value> {
        let (last, parents) = self.tokens.split_last()?;
        let parent =
            parents
                .iter()
                .try_fold(facts, |object, token| match object.get_mut(token)? {
                    Value::Object(inner) => Some(inner),
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_) => None,
                })?;
        parent.remove(last)
    }
}

/// RFC 6901 §3: `~` is followed by `0` or `1`, nothing else.
fn unescape(token: &str) -> Option<String> {
    let mut parts = token.split('~');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let (replacement, rest) = match part.as_bytes().first()? {
            b'0' => ('~', part.get(1..)?),
            b'1' => ('/', part.get(1..)?),
            _ => return None,
        };
        text.push(replacement);
        text.push_str(rest);
    }
    Some(text)
}

/// Where a walk over the facts is, as a pointer that grows and shrinks with it.
#[derive(Debug, Default)]
pub(crate) struct Path(String);

impl Path {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// One step deeper; the result leads back by [`Self::leave`].
    pub(crate) fn enter(&mut self, token: &str) -> usize {
        let length = self.0.len();
        self.0.push('/');
        self.0.push_str(&escape_pointer_token(token));
        length
    }

    pub(crate) fn leave(&mut self, length: usize) {
        self.0.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use decide_once_protocol::json::object;

    #[test]
    fn a_pointer_is_read_as_rfc_6901_has_it() {
        assert_eq!(
            Pointer::parse("/a~1b/~0c/").unwrap().tokens(),
            ["a/b", "~c", ""]
        );
        for wrong in ["", "a", "/~", "/~2", "#/a"] {
            assert_eq!(Pointer::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_member_is_found_and_removed_through_objects_only() {
        let inner = object([("b", Value::from(1)), ("c", Value::from(2))]);
        let mut facts = object([("a", Value::from(inner)), ("list", Value::from(vec![1]))]);
        let pointer = Pointer::parse("/a/b").unwrap();
        assert_eq!(pointer.find(&facts), Some(&Value::from(1)));
        assert_eq!(pointer.remove(&mut facts), Some(Value::from(1)));
        assert_eq!(pointer.find(&facts), None);
        assert_eq!(pointer.remove(&mut facts), None);
        assert_eq!(Pointer::parse("/list/0").unwrap().remove(&mut facts), None);
    }
}
