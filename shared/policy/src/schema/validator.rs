//! The JSON Schema validator, and its errors in this service's words: where and what is asked for, never what was sent.

use decide_once_protocol::json::escape_pointer_token;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};

use crate::facts::{FactsError, MAX_FACTS_ERRORS};
use crate::pointer::Pointer;
use crate::yaml::{self, Node};

/// The reason for a member that is absent.
pub(super) const REQUIRED: &str = "is required";

/// Compiles a schema that the audit let pass; an error has its line.
pub(super) fn compile(schema: &Node) -> Result<Validator, (u64, String)> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        // Linear in the text, whatever the pattern: no backtracking.
        .with_pattern_options(PatternOptions::regex())
        .build(&to_serde(schema))
        .map_err(|error| {
            let at = error.instance_path().as_str();
            let pointer = Pointer::parse(at);
            let tokens = pointer.iter().flat_map(Pointer::tokens).map(String::as_str);
            let place = if at.is_empty() { "its root" } else { at };
            (
                schema.nearest(tokens).line,
                format!("the schema is not valid at {place}: {error}"),
            )
        })
}

/// All errors, at most [`MAX_FACTS_ERRORS`].
pub(super) fn validate(
    validator: &Validator,
    facts: &serde_json::Value,
) -> Result<(), Vec<FactsError>> {
    if validator.is_valid(facts) {
        return Ok(());
    }
    let mut errors: Vec<FactsError> = Vec::new();
    for error in validator
        .iter_errors(facts)
        .flat_map(|error| explain(&error))
    {
        // One reason for one place: what is of the wrong type is not also told to be out of range.
        let told = errors.iter().any(|told| told.pointer == error.pointer);
        if !told && errors.len() < MAX_FACTS_ERRORS {
            errors.push(error);
        }
    }
    if errors.is_empty() {
        // The two calls disagree: a fault in the validator is no reason to let facts pass.
        errors.push(FactsError {
            pointer: String::new(),
            reason: "must meet the policy's schema".to_owned(),
        });
    }
    Err(errors)
}

fn explain(error: &ValidationError<'_>) -> Vec<FactsError> {
    let at = error.instance_path().as_str();
    let member = |name: &str| format!("{at}/{}", escape_pointer_token(name));
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|name| FactsError {
                pointer: member(name),
                reason: "is not a member that this policy knows".to_owned(),
            })
            .collect(),
        ValidationErrorKind::Required { property } => vec![FactsError {
            pointer: member(property.as_str().unwrap_or_default()),
            reason: REQUIRED.to_owned(),
        }],
        kind => vec![FactsError {
            pointer: at.to_owned(),
            reason: reason(kind),
        }],
    }
}

/// What is asked for. Limits are the schema's, so that they may be told.
fn reason(kind: &ValidationErrorKind) -> String {
    match kind {
        ValidationErrorKind::Type { kind } => match kind {
            jsonschema::error::TypeKind::Single(name) => format!("must be of type {name}"),
            jsonschema::error::TypeKind::Multiple(_) => "must be of another type".to_owned(),
        },
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        ValidationErrorKind::MinLength { limit } => {
            format!("must have at least {limit} characters")
        }
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::Format { format } => format!("must have the format {format}"),
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
            "must be a value that the schema lists".to_owned()
        }
        ValidationErrorKind::Pattern { .. } => "must match the schema's pattern".to_owned(),
        ValidationErrorKind::UniqueItems => "must have no item twice".to_owned(),
        // Some of these name what was sent: only the keyword is told.
        other => format!("must meet the schema's `{}`", other.keyword()),
    }
}

/// A schema's text as `serde_json` has it. Numbers beyond 64 bits were refused when the file was read.
fn to_serde(node: &Node) -> serde_json::Value {
    match &node.kind {
        yaml::Kind::Null => serde_json::Value::Null,
        yaml::Kind::Bool(truth) => (*truth).into(),
        yaml::Kind::Number(number) => match (number.as_i64(), number.to_f64_exact()) {
            (Some(integer), _) => integer.into(),
            (None, Some(double)) => double.into(),
            (None, None) => serde_json::Value::Null,
        },
        yaml::Kind::Text(text) => text.as_str().into(),
        yaml::Kind::List(items) => items.iter().map(to_serde).collect(),
        yaml::Kind::Map(members) => serde_json::Value::Object(
            members
                .iter()
                .map(|(name, node)| (name.clone(), to_serde(node)))
                .collect(),
        ),
    }
}
