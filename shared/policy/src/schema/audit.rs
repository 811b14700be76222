//! What a policy's schema may contain.
//!
//! JSON Schema ignores keywords that it does not know, so that `maxlength` silently checks nothing; it can fetch references from the
//! network; and its annotations (`default`, `format: date-time`) have no meaning under alternatives. Here all of that is refused, and
//! the work of following references is bounded.

use super::shape::{MAX_FACTS_BYTES, number};
use crate::problem::Findings;
use crate::size::Size;
use crate::yaml::{self, Node};

/// More subschemas than this, references followed, are no schema that a person wrote.
const MAX_SUBSCHEMAS: usize = 4_000;
/// References inside references.
const MAX_REFERENCES: usize = 16;

/// The most subschemas that validating the largest facts may visit, each of some 30 ns.
const MAX_VISITS: u64 = 1_000_000;

/// Keywords whose value is a schema that each item or member of a value is held to.
const EACH: [&str; 7] = [
    "items",
    "contains",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a schema that holds only under some condition, or beside others.
const CONDITIONAL: [&str; 9] = [
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of such schemas.
const CONDITIONAL_LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a mapping of such schemas.
const CONDITIONAL_MAPS: [&str; 2] = ["patternProperties", "dependentSchemas"];
/// Keywords without schemas inside.
const PLAIN: [&str; 30] = [
    "$comment",
    "$schema",
    "const",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Adds what is refused to `findings`; `true` if nothing is.
pub(super) fn audit(schema: &Node, findings: &mut Findings<'_>) -> bool {
    let mut auditor = Auditor {
        root: schema,
        findings,
        left: MAX_SUBSCHEMAS,
        visits: 0,
        sound: true,
    };
    auditor.schema(schema, Place::ROOT);
    // What nothing refers to is held to the same rules.
    for (_, definition) in schema
        .get("$defs")
        .and_then(Node::as_map)
        .unwrap_or_default()
    {
        auditor.schema(definition, Place::ROOT.beyond_root());
    }
    if auditor.visits > MAX_VISITS {
        auditor.refuse(
            schema.line,
            "the largest facts would take too long to validate: set `maxItems` or `maxProperties`, or use a shorter `enum`",
        );
    }
    auditor.sound
}

/// What a `$ref` points to: `#/$defs/<name>` at the root, nothing else.
pub(super) fn target<'a>(root: &'a Node, reference: &Node) -> Option<&'a Node> {
    let name = reference.as_text()?.strip_prefix("#/$defs/")?;
    root.get("$defs")?.get(name)
}

/// Where in the schema the audit is.
#[derive(Clone, Copy)]
struct Place {
    root: bool,
    /// Whether the subschema describes a part of the facts whenever that part is there.
    direct: bool,
    /// How many references led here.
    references: usize,
    /// How many values of the largest facts the subschema is applied to.
    times: u64,
}

impl Place {
    const ROOT: Self = Self {
        root: true,
        direct: true,
        references: 0,
        times: 1,
    };

    const fn beyond_root(self) -> Self {
        Self {
            root: false,
            ..self
        }
    }

    /// In the items or members of the value; all together they are no more than facts have.
    fn each(self, schema: &Node) -> Self {
        let most = Size::within(MAX_FACTS_BYTES).cells;
        let limits = ["maxItems", "maxProperties"];
        let limit = limits.iter().find_map(|name| number(schema.get(name)?));
        let times = self.times.saturating_mul(limit.unwrap_or(most));
        Self {
            times: times.min(most),
            ..self
        }
    }

    const fn conditional(self) -> Self {
        Self {
            root: false,
            direct: false,
            ..self
        }
    }
}

struct Auditor<'a, 'f> {
    root: &'a Node,
    findings: &'a mut Findings<'f>,
    left: usize,
    visits: u64,
    sound: bool,
}

impl Auditor<'_, '_> {
    fn refuse(&mut self, line: u64, reason: impl Into<String>) {
        self.sound = false;
        self.findings.add(line, reason);
    }

    fn schema(&mut self, schema: &Node, place: Place) {
        let Some(left) = self.left.checked_sub(1) else {
            // Said once: the walk ends here.
            if self.sound {
                self.refuse(
                    schema.line,
                    format!(
                        "the schema has over {MAX_SUBSCHEMAS} parts once references are followed"
                    ),
                );
            }
            return;
        };
        self.left = left;
        let listed = schema
            .get("enum")
            .and_then(Node::as_list)
            .map_or(0, <[_]>::len);
        let visits = u64::try_from(listed).unwrap_or(u64::MAX).saturating_add(1);
        self.visits = self
            .visits
            .saturating_add(visits.saturating_mul(place.times));
        match &schema.kind {
            yaml::Kind::Bool(_) => {}
            yaml::Kind::Map(keywords) => {
                for (keyword, value) in keywords {
                    let each = EACH.contains(&keyword.as_str());
                    self.keyword(
                        keyword,
                        value,
                        if each { place.each(schema) } else { place },
                    );
                }
            }
            yaml::Kind::Null
            | yaml::Kind::Number(_)
            | yaml::Kind::Text(_)
            | yaml::Kind::List(_) => {
                self.refuse(schema.line, "a schema is a mapping, `true` or `false`");
            }
        }
    }

    fn keyword(&mut self, keyword: &str, value: &Node, place: Place) {
        match keyword {
            "$ref" => self.reference(value, place),
            "$defs" if place.root => {}
            "$schema" if value.as_text() != Some(DRAFT) => {
                self.refuse(value.line, format!("`$schema` can only be {DRAFT}"));
            }
            "default" if !place.direct => self.refuse(
                value.line,
                "`default` is only filled in under `properties` and `items`; move it there",
            ),
            "format" if !place.direct && value.as_text() == Some("date-time") => self.refuse(
                value.line,
                "a `date-time` is only compared as an instant under `properties` and `items`; move it there",
            ),
            "properties" => self.map(value, place.beyond_root()),
            "items" => self.schema(value, place.beyond_root()),
            _ if CONDITIONAL.contains(&keyword) => self.schema(value, place.conditional()),
            _ if CONDITIONAL_MAPS.contains(&keyword) => self.map(value, place.conditional()),
            _ if CONDITIONAL_LISTS.contains(&keyword) => match value.as_list() {
                Some(items) => items
                    .iter()
                    .for_each(|item| self.schema(item, place.conditional())),
                None => self.refuse(value.line, format!("`{keyword}` is a list of schemas")),
            },
            _ if PLAIN.contains(&keyword) => {}
            _ => self.refuse(
                value.line,
                format!("`{keyword}` is not a keyword for a policy's schema; JSON Schema would ignore it"),
            ),
        }
    }

    fn map(&mut self, value: &Node, place: Place) {
        match value.as_map() {
            Some(schemas) => schemas
                .iter()
                .for_each(|(_, schema)| self.schema(schema, place)),
            None => self.refuse(value.line, "expected a mapping of names to schemas"),
        }
    }

    fn reference(&mut self, reference: &Node, place: Place) {
        let root = self.root;
        let Some(target) = target(root, reference) else {
            return self.refuse(
                reference.line,
                "`$ref` can only name a schema of this file: `#/$defs/<name>`",
            );
        };
        if place.references >= MAX_REFERENCES {
            return self.refuse(
                reference.line,
                "`$ref` leads in a circle or through too many others; facts have a fixed depth",
            );
        }
        let references = place.references + 1;
        self.schema(
            target,
            Place {
                references,
                ..place.beyond_root()
            },
        );
    }
}
