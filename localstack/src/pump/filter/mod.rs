//! Lambda's event filtering: which records of a stream a function gets to see.
//!
//! Rules from AWS, "Control which events Lambda sends to your function" and "Using event filtering with a DynamoDB
//! event source". Two of them surprise: a rule tests leaves only (`NewImage.undelivered.S`, never
//! `NewImage.undelivered`), and DynamoDB writes numbers as strings, so that `numeric` never matches an attribute's `N`.

mod parse;
mod rule;

use std::fmt;

use serde_json::Value;

pub use parse::FilterError;

use rule::Rule;

/// A mapping's filters: a record passes if any of them matches, or if there are none.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    patterns: Vec<Pattern>,
}

impl Filters {
    /// Lets every record pass.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads patterns, each the JSON text of one `Pattern`.
    ///
    /// # Errors
    /// A pattern is not JSON, has a rule that Lambda does not know, or there are more than five.
    pub fn parse<T: AsRef<str>>(patterns: &[T]) -> Result<Self, FilterError> {
        parse::filters(patterns).map(|patterns| Self { patterns })
    }

    /// Whether the function gets to see this record, given in Lambda's event form.
    pub fn pass(&self, record: &Value) -> bool {
        self.patterns.is_empty()
            || self
                .patterns
                .iter()
                .any(|pattern| pattern.matches(Some(record)))
    }
}

/// One level of a pattern.
#[derive(Clone)]
enum Pattern {
    /// Every field and every `$or` must match.
    Fields {
        fields: Vec<(String, Self)>,
        any_of: Vec<Vec<Self>>,
    },
    /// Any rule must match.
    Leaf(Vec<Rule>),
}

impl Pattern {
    /// `None` stands for a member that is not there; only `exists: false` matches it.
    fn matches(&self, value: Option<&Value>) -> bool {
        match self {
            Self::Leaf(rules) => {
                let leaves = leaves(value);
                rules.iter().any(|rule| rule.matches(&leaves))
            }
            Self::Fields { .. } => match value {
                Some(Value::Array(elements)) => {
                    elements.iter().any(|element| self.matches(Some(element)))
                }
                other => self.matches_object(other),
            },
        }
    }

    fn matches_object(&self, value: Option<&Value>) -> bool {
        let Self::Fields { fields, any_of } = self else {
            return false;
        };
        fields
            .iter()
            .all(|(name, pattern)| pattern.matches(value.and_then(|value| value.get(name))))
            && any_of
                .iter()
                .all(|branches| branches.iter().any(|branch| branch.matches(value)))
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields { fields, any_of } => f
                .debug_map()
                .entries(fields.iter().map(|(name, pattern)| (name, pattern)))
                .entries(any_of.iter().map(|branches| ("$or", branches)))
                .finish(),
            Self::Leaf(rules) => f.debug_list().entries(rules).finish(),
        }
    }
}

/// What the rules of a leaf are tried on: the value itself, or an array's elements. An object is not a leaf.
fn leaves(value: Option<&Value>) -> Vec<&Value> {
    match value {
        None | Some(Value::Object(_)) => Vec::new(),
        Some(Value::Array(elements)) => elements
            .iter()
            .filter(|element| !element.is_object() && !element.is_array())
            .collect(),
        Some(leaf) => vec![leaf],
    }
}

#[cfg(test)]
mod tests;
