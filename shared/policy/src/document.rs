//! A policy file as it is written, before anything in it is understood. Unknown members are refused everywhere.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::yaml::Node;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub(crate) policy: Spanned<String>,
    pub(crate) version: Spanned<u32>,
    /// JSON Schema 2020-12 of the facts.
    pub(crate) input: Node,
    #[serde(default)]
    pub(crate) identity: Identity,
    /// Natural keys: names, and JSON Pointers to their parts.
    #[serde(default)]
    pub(crate) unique: BTreeMap<String, Vec<Spanned<String>>>,
    pub(crate) retention: Spanned<RetentionText>,
    pub(crate) rules: Vec<RuleText>,
    #[serde(default)]
    pub(crate) events: Vec<EventText>,
    #[serde(default)]
    pub(crate) examples: Vec<Spanned<ExampleText>>,
}

/// What belongs to the identity of an operation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    /// JSON Pointers to members that do not.
    #[serde(default)]
    pub(crate) exclude: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionText {
    pub(crate) result: String,
    pub(crate) key: String,
    pub(crate) decision: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleText {
    pub(crate) id: Spanned<String>,
    /// A condition.
    pub(crate) when: Spanned<String>,
    /// A template for the outcome.
    pub(crate) then: Node,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventText {
    pub(crate) r#type: Spanned<String>,
    /// A condition; without one the event is always published.
    pub(crate) when: Option<Spanned<String>>,
    /// A template.
    pub(crate) data: Option<Node>,
}

/// Facts and what the policy must make of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExampleText {
    pub(crate) facts: Node,
    /// Members that the outcome must have; it may have more.
    pub(crate) expect: Option<Node>,
    /// The rule that must hit.
    pub(crate) rule: Option<String>,
    /// The types of the events that must be published, in order.
    pub(crate) events: Option<Vec<String>>,
    /// Instead of an outcome: the failure, such as `no-rule-matched`.
    pub(crate) fails: Option<String>,
    /// Instead of an outcome: pointers to what the schema refuses.
    pub(crate) invalid: Option<Vec<String>>,
    pub(crate) subject: Option<String>,
    /// The evaluation instant, RFC 3339.
    pub(crate) now: Option<String>,
}
