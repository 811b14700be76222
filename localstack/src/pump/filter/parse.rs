//! Reads filter patterns and refuses what Lambda would refuse when the mapping is created.

use serde_json::{Map, Value};

use super::Pattern;
use super::rule::{Comparison, Rule};

/// Lambda's default quota of filters for one mapping.
const MOST_FILTERS: usize = 5;

/// Why a filter cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// More filters than Lambda takes.
    #[error("{0} filters are too many; Lambda takes {MOST_FILTERS} for one mapping")]
    TooMany(usize),
    /// The pattern's text is not JSON.
    #[error("a filter pattern is not JSON")]
    NotJson(#[from] serde_json::Error),
    /// A pattern, or a branch of `$or`, is not an object.
    #[error("a filter pattern must be a JSON object with at least one field")]
    NotAnObject,
    /// A field's value is neither a nested object nor a list of rules.
    #[error("field `{field}` must hold a nested object or a non-empty list of rules")]
    NotALeaf {
        /// The field.
        field: String,
    },
    /// A rule that Lambda does not have, or one with the wrong operand.
    #[error("field `{field}` has a rule that Lambda does not know: {rule}")]
    UnknownRule {
        /// The field.
        field: String,
        /// The rule as written.
        rule: String,
    },
}

pub(super) fn filters<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Pattern>, FilterError> {
    if texts.len() > MOST_FILTERS {
        return Err(FilterError::TooMany(texts.len()));
    }
    texts
        .iter()
        .map(|text| match serde_json::from_str(text.as_ref())? {
            Value::Object(fields) => object(&fields),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Err(FilterError::NotAnObject),
        })
        .collect()
}

fn object(members: &Map<String, Value>) -> Result<Pattern, FilterError> {
    if members.is_empty() {
        return Err(FilterError::NotAnObject);
    }
    let mut fields = Vec::new();
    let mut any_of = Vec::new();
    for (name, value) in members {
        match value {
            Value::Array(branches) if name == "$or" => {
                any_of.push(branches.iter().map(branch).collect::<Result<_, _>>()?);
            }
            Value::Object(nested) => fields.push((name.clone(), object(nested)?)),
            Value::Array(rules) if !rules.is_empty() => {
                let rules = rules.iter().map(|written| {
                    rule(written).ok_or_else(|| FilterError::UnknownRule {
                        field: name.clone(),
                        rule: written.to_string(),
                    })
                });
                fields.push((
                    name.clone(),
                    Pattern::Leaf(rules.collect::<Result<_, _>>()?),
                ));
            }
            Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => {
                return Err(FilterError::NotALeaf {
                    field: name.clone(),
                });
            }
        }
    }
    Ok(Pattern::Fields { fields, any_of })
}

fn branch(value: &Value) -> Result<Pattern, FilterError> {
    object(value.as_object().ok_or(FilterError::NotAnObject)?)
}

fn rule(written: &Value) -> Option<Rule> {
    let Value::Object(members) = written else {
        return (!written.is_array()).then(|| Rule::Equals(written.clone()));
    };
    let mut members = members.iter();
    let (operator, operand) = members.next()?;
    if members.next().is_some() {
        return None;
    }
    let text = || operand.as_str().map(str::to_owned);
    match operator.as_str() {
        "exists" => operand.as_bool().map(Rule::Exists),
        "prefix" => text().map(Rule::Prefix),
        "suffix" => text().map(Rule::Suffix),
        "equals-ignore-case" => text().map(Rule::EqualsIgnoreCase),
        "anything-but" => anything_but(operand),
        "numeric" => numeric(operand.as_array()?),
        _ => None,
    }
}

fn anything_but(operand: &Value) -> Option<Rule> {
    let excluded = match operand {
        Value::Array(list) if !list.is_empty() => list.clone(),
        Value::String(_) | Value::Number(_) => vec![operand.clone()],
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Object(_) => return None,
    };
    excluded
        .iter()
        .all(|value| value.is_string() || value.is_number())
        .then_some(Rule::AnythingBut(excluded))
}

fn numeric(operand: &[Value]) -> Option<Rule> {
    if operand.is_empty() || !operand.len().is_multiple_of(2) {
        return None;
    }
    operand
        .chunks_exact(2)
        .map(|pair| match pair {
            [operator, bound] => Some((Comparison::parse(operator.as_str()?)?, bound.as_f64()?)),
            _ => None,
        })
        .collect::<Option<_>>()
        .map(Rule::Numeric)
}
