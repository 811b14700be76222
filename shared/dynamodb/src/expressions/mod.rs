//! The requests, each beside the rule of the protocol that it implements.
//!
//! | request | condition | rule |
//! |---|---|---|
//! | [`reserve`] | `attribute_not_exists(op) OR keyExpiry<=:n` | [`Reserve::permits`] |
//! | [`transition`] | `stands=:s` | [`Transition::permits`] |
//! | [`commit`] operation | `stands=:s` | [`Transition::permits`] |
//! | [`commit`] decision, events | `attribute_not_exists(…)` | [`Commit`] |
//! | [`commit`] claims | `attribute_not_exists(id) OR keyExpiry<=:n` | [`Commit::permits_claim`] |
//! | [`marks`] delivered, quarantined | `undelivered=:s` | [`Mark::permits`] |
//! | [`marks`] redriven | `attribute_exists(event)` | [`Mark::permits`] |
//! | [`mismatches`] | none | [`Mismatches`] |
//! | [`inbox`] claim, keep | `attribute_not_exists(id) OR lapses<=:now OR keptUntil<=:end` | [`Claim::permits`], [`Keep::permits`] |
//! | [`inbox`] finish, release | `claim=:own` | [`Finish::permits`], [`Release::permits`] |
//!
//! `:n` is the writer's clock less [`EXPIRY_MARGIN`]. A missing attribute makes a comparison false, so a record without
//! `keyExpiry` (one that carries a request) is never free, and no update ever creates an item.
//!
//! [`Reserve::permits`]: decide_once_protocol::writes::Reserve::permits
//! [`Transition::permits`]: decide_once_protocol::writes::Transition::permits
//! [`Commit`]: decide_once_protocol::writes::Commit
//! [`Commit::permits_claim`]: decide_once_protocol::writes::Commit::permits_claim
//! [`Mismatches`]: decide_once_service::ports::Mismatches
//! [`Claim::permits`]: decide_once_protocol::inbox::Claim::permits
//! [`Keep::permits`]: decide_once_protocol::inbox::Keep::permits
//! [`Finish::permits`]: decide_once_protocol::inbox::Finish::permits
//! [`Release::permits`]: decide_once_protocol::inbox::Release::permits
//! [`Mark::permits`]: decide_once_protocol::outbox::Mark::permits
//! [`EXPIRY_MARGIN`]: decide_once_protocol::record::EXPIRY_MARGIN

pub mod commit;
pub mod inbox;
pub mod marks;
pub mod mismatches;
pub mod reserve;
pub mod transition;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

/// The values of an expression's placeholders.
pub(crate) type Values = HashMap<String, AttributeValue>;

/// An update expression with its values.
#[derive(Debug)]
pub(crate) struct Changes {
    /// `SET a=:0,b=:1 REMOVE c,d`, without a space too many.
    pub(crate) expression: String,
    /// `:0`, `:1` …
    pub(crate) values: Values,
}

impl Changes {
    /// Sets and removes.
    pub(crate) fn new<'a>(
        set: impl IntoIterator<Item = (&'a str, AttributeValue)>,
        remove: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut values = Values::new();
        let mut sets = Vec::new();
        for (index, (name, value)) in set.into_iter().enumerate() {
            let placeholder = format!(":{index}");
            sets.push(format!("{name}={placeholder}"));
            values.insert(placeholder, value);
        }
        let removes: Vec<_> = remove.into_iter().collect();
        let clauses = [("SET", sets.join(",")), ("REMOVE", removes.join(","))];
        let expression = clauses
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(keyword, names)| format!("{keyword} {names}"))
            .collect::<Vec<_>>()
            .join(" ");
        Self { expression, values }
    }

    /// With one more value, for the condition.
    pub(crate) fn with(mut self, placeholder: &str, value: AttributeValue) -> Self {
        self.values.insert(placeholder.to_owned(), value);
        self
    }
}
