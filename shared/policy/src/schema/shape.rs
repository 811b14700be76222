//! What a schema says about types, in the form that everything else needs: defaults, instants, numbers, the size of things.

use std::collections::BTreeMap;

use decide_once_protocol::json::Value;

use super::audit;
use crate::pointer::Pointer;
use crate::problem::Findings;
use crate::size::Size;
use crate::yaml::{self, Node};

/// The largest facts, in bytes of JSON text (the limit of a request's body, design.md §2).
pub(crate) const MAX_FACTS_BYTES: u64 = 64 * 1024;

/// More shapes than this are no schema that a person wrote.
const MAX_SHAPES: usize = 4_000;

/// The type of a value under the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// Whether `null` is allowed beside the kind.
    pub(crate) nullable: bool,
    /// What stands for the member when it is absent.
    pub(crate) default: Option<Value>,
}

/// The kind of a value under the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The schema does not say, or allows several.
    Any,
    Null,
    Bool,
    /// An int64.
    Integer,
    /// A double.
    Number,
    Text {
        /// In bytes of UTF-8.
        max_bytes: u64,
        /// Whether it is a `date-time`, compared as an instant.
        instant: bool,
    },
    List {
        items: Box<Shape>,
        max_items: Option<u64>,
    },
    Record {
        members: BTreeMap<String, Shape>,
        /// Whether there may be members that the schema does not declare.
        open: bool,
    },
}

impl Shape {
    /// Nothing is said.
    pub(crate) const ANY: Self = Self {
        kind: Kind::Any,
        nullable: false,
        default: None,
    };

    /// The shape of the facts; the schema's root has to be an object.
    pub(super) fn of_facts(schema: &Node, findings: &mut Findings<'_>) -> Option<Self> {
        let mut builder = Builder {
            root: schema,
            left: MAX_SHAPES,
        };
        let reason = match builder.shape(schema) {
            Some(shape) if matches!(shape.kind, Kind::Record { .. }) && !shape.nullable => {
                return Some(shape);
            }
            Some(_) => "facts are an object: the schema needs `type: object` at its root",
            None => "the schema is too large once its references are followed",
        };
        findings.add(schema.line, reason);
        None
    }

    /// The shape of a declared member.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        if let Kind::Record { members, .. } = &self.kind {
            members.get(name)
        } else {
            None
        }
    }

    /// The shape of what a pointer names, if it is declared.
    pub(crate) fn declared(&self, pointer: &Pointer) -> Option<&Self> {
        pointer
            .tokens()
            .iter()
            .try_fold(self, |shape, token| shape.member(token))
    }

    /// The largest size of a value; never more than all facts may have.
    pub(crate) fn max_size(&self) -> Size {
        let most = Size::within(MAX_FACTS_BYTES);
        let size = match &self.kind {
            Kind::Any | Kind::Record { open: true, .. } => most,
            Kind::Null | Kind::Bool => Size::scalar(5),
            Kind::Integer | Kind::Number => Size::scalar(24),
            Kind::Text { max_bytes, .. } => Size::scalar(*max_bytes),
            Kind::List { items, max_items } => {
                max_items.map_or(most, |max| Size::scalar(0).and(items.max_size().times(max)))
            }
            Kind::Record {
                members,
                open: false,
            } => members
                .iter()
                .map(|(name, shape)| Size::scalar(length(name)).and(shape.max_size()))
                .fold(Size::scalar(0), Size::and),
        };
        size.at_most(most)
    }

    /// Forgets the member at the end of `path`, so that no rule can refer to it.
    pub(crate) fn forget(&mut self, path: &[String]) {
        if let (Kind::Record { members, .. }, Some((name, rest))) =
            (&mut self.kind, path.split_first())
        {
            match members.get_mut(name) {
                Some(member) if !rest.is_empty() => member.forget(rest),
                _ => {
                    members.remove(name);
                }
            }
        }
    }
}

struct Builder<'a> {
    root: &'a Node,
    left: usize,
}

impl Builder<'_> {
    /// `None` when there are too many shapes.
    fn shape(&mut self, schema: &Node) -> Option<Shape> {
        self.left = self.left.checked_sub(1)?;
        let referred = schema
            .get("$ref")
            .and_then(|target| audit::target(self.root, target));
        let mut shape = match referred {
            Some(target) => self.shape(target)?,
            None => Shape::ANY,
        };
        if let Some(default) = schema.get("default") {
            shape.default = Some(default.to_value());
        }
        if let Some(written) = schema.get("type") {
            (shape.kind, shape.nullable) = self.typed(schema, written)?;
        }
        Some(shape)
    }

    /// `type` is a name, or a list of names; only `null` beside one other says enough.
    fn typed(&mut self, schema: &Node, written: &Node) -> Option<(Kind, bool)> {
        let names: Vec<&str> = match written.as_list() {
            Some(names) => names.iter().filter_map(Node::as_text).collect(),
            None => written.as_text().into_iter().collect(),
        };
        let nullable = names.contains(&"null");
        let mut others = names.into_iter().filter(|name| *name != "null");
        match (others.next(), others.next()) {
            (None, _) if nullable => Some((Kind::Null, false)),
            (Some(name), None) => Some((self.kind(name, schema)?, nullable)),
            _ => Some((Kind::Any, nullable)),
        }
    }

    fn kind(&mut self, name: &str, schema: &Node) -> Option<Kind> {
        Some(match name {
            "boolean" => Kind::Bool,
            "integer" => Kind::Integer,
            "number" => Kind::Number,
            "string" => Kind::Text {
                max_bytes: max_text(schema),
                instant: schema.get("format").and_then(Node::as_text) == Some("date-time"),
            },
            "array" => Kind::List {
                items: Box::new(match schema.get("items") {
                    Some(items) => self.shape(items)?,
                    None => Shape::ANY,
                }),
                max_items: schema.get("maxItems").and_then(number),
            },
            "object" => self.record(schema)?,
            _ => Kind::Any,
        })
    }

    fn record(&mut self, schema: &Node) -> Option<Kind> {
        let mut members = BTreeMap::new();
        for (name, member) in schema
            .get("properties")
            .and_then(Node::as_map)
            .unwrap_or_default()
        {
            members.insert(name.clone(), self.shape(member)?);
        }
        let others = schema.get("additionalProperties").map(|node| &node.kind);
        let open = !matches!(others, Some(yaml::Kind::Bool(false)));
        Some(Kind::Record { members, open })
    }
}

/// The longest text in bytes: from `const`, `enum` or `maxLength` (characters, each at most four bytes as UTF-8).
fn max_text(schema: &Node) -> u64 {
    let only = schema.get("const").and_then(Node::as_text).map(length);
    let listed = schema
        .get("enum")
        .and_then(Node::as_list)
        .and_then(|allowed| allowed.iter().filter_map(Node::as_text).map(length).max());
    let counted = schema
        .get("maxLength")
        .and_then(number)
        .map(|characters| characters.saturating_mul(4));
    only.or(listed)
        .or(counted)
        .unwrap_or(MAX_FACTS_BYTES)
        .min(MAX_FACTS_BYTES)
}

/// A whole number in a schema.
pub(super) fn number(node: &Node) -> Option<u64> {
    if let yaml::Kind::Number(number) = &node.kind {
        number.as_u64()
    } else {
        None
    }
}

fn length(text: &(impl AsRef<str> + ?Sized)) -> u64 {
    u64::try_from(text.as_ref().len()).unwrap_or(u64::MAX)
}
