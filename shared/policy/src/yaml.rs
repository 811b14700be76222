//! YAML, read strictly and in bounded memory: what has two readings is refused, and what has none is refused early.
//!
//! No aliases (so no alias bombs), no merge keys, no tags, no duplicate keys, and of booleans only `true` and `false`: a currency
//! or a country called `no` stays text.

use std::fmt;

use decide_once_protocol::json::{Number, Object, Value};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{Error, Spanned};

/// The largest policy file, in bytes: 500 rules of the largest sensible size, with room for examples.
pub(crate) const MAX_BYTES: usize = 512 * 1024;
/// How deep lists and mappings may be nested; every walk over a [`Node`] is bounded by it.
const MAX_DEPTH: usize = 48;

/// Why a text was refused: one line, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// From 1; 0 if not known.
    pub(crate) line: u64,
    pub(crate) reason: String,
}

/// Reads one document.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, YamlError> {
    if bytes.len() > MAX_BYTES {
        return Err(YamlError {
            line: 0,
            reason: format!("the file is over {MAX_BYTES} bytes"),
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        YamlError {
            line: u64::try_from(line).unwrap_or(0),
            reason: "the file is not UTF-8".to_owned(),
        }
    })?;
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| YamlError {
        line: error.location().map_or(0, |location| location.line()),
        reason: reason(&error),
    })
}

/// What is wrong, without the place. The library's words, but where they speak of its settings.
fn reason(error: &Error) -> String {
    match error {
        Error::Budget {
            breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. },
            ..
        } => "anchors and aliases are not for policies; write it out".to_owned(),
        Error::Budget {
            breach: BudgetBreach::Documents { .. },
            ..
        } => "a file is one document; remove the `---`".to_owned(),
        Error::Budget { .. } => "the file is too large or too deep for a policy".to_owned(),
        Error::DuplicateMappingKey { key, .. } => {
            format!(
                "the key {} is there twice",
                key.as_deref().unwrap_or_default()
            )
        }
        Error::MergeKeyNotAllowed { .. } => {
            "merge keys are not for policies; write it out".to_owned()
        }
        Error::NonFiniteFloat { .. } => TOO_BIG.to_owned(),
        // The location stands at the end of the library's message too; it is said once.
        other => other
            .to_string()
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_aliases: 0,
            max_anchors: 0,
            max_merge_keys: 0,
            max_documents: 1,
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_events: 400_000,
            max_nodes: 200_000,
            max_total_scalar_bytes: MAX_BYTES,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        reject_tagged_field_names: true,
        with_snippet: false,
    }
}

/// A YAML value that knows its line.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// From 1.
    pub(crate) line: u64,
    pub(crate) kind: Kind,
}

/// What a YAML value is, in JSON's terms.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file; names are unique.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The same as a JSON value.
    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(truth) => Value::Bool(*truth),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Map(members) => Value::Object(
                members
                    .iter()
                    .map(|(name, node)| (name.clone(), node.to_value()))
                    .collect::<Object>(),
            ),
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind {
            Some(text)
        } else {
            None
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        if let Kind::List(items) = &self.kind {
            Some(items)
        } else {
            None
        }
    }

    pub(crate) fn as_map(&self) -> Option<&[(String, Self)]> {
        if let Kind::Map(members) = &self.kind {
            Some(members)
        } else {
            None
        }
    }

    /// What the tokens of a JSON Pointer lead to, or the nearest part of it that is there.
    pub(crate) fn nearest<'t>(&self, tokens: impl IntoIterator<Item = &'t str>) -> &Self {
        let mut node = self;
        for token in tokens {
            let part = match &node.kind {
                Kind::Map(_) => node.get(token),
                Kind::List(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
                Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => None,
            };
            match part {
                Some(part) => node = part,
                None => break,
            }
        }
        node
    }

    /// The member of a mapping.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.as_map()?
            .iter()
            .find_map(|(key, node)| (key == name).then_some(node))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Kind>::deserialize(deserializer)?;
        Ok(Self {
            line: spanned.referenced.line(),
            kind: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Kind, E> {
        Ok(Kind::Bool(truth))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Kind, E> {
        Ok(Kind::Number(Number::from_i64(number)))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Kind, E> {
        Ok(Kind::Number(Number::from_u64(number)))
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<Kind, E> {
        Err(E::custom(TOO_BIG))
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<Kind, E> {
        Err(E::custom(TOO_BIG))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Kind, E> {
        // A whole number that does not fit an integer arrives as a double, rounded.
        const TWO_TO_53: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() > TWO_TO_53 {
            return Err(E::custom(TOO_BIG));
        }
        Number::from_f64(number)
            .map(Kind::Number)
            .ok_or_else(|| E::custom(TOO_BIG))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Kind, E> {
        Ok(Kind::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Kind, E> {
        Ok(Kind::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Kind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Kind, A::Error> {
        let mut members = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            members.push(entry);
        }
        Ok(Kind::Map(members))
    }
}

const TOO_BIG: &str = "the number is too large to be held exactly; use a string";
