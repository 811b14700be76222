//! What evaluating a policy gives.

use std::fmt;

use decide_once_protocol::json::{Object, Value};

use crate::facts::Claim;

/// What a policy says about facts. `Debug` shows no values.
#[derive(Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// A rule hit. A business "no" is an outcome too.
    Decided {
        /// The id of the rule: the first whose condition is true.
        rule: String,
        /// The rule's `then` with its templates filled in.
        outcome: Object,
        /// The events to publish, in order.
        events: Vec<EventSpec>,
        /// The natural keys that the decision takes.
        claims: Vec<Claim>,
    },
    /// No decision is possible, now or later, for these facts under this version: never taken for an approval.
    Failed {
        /// Which kind of failure, and where.
        code: FailureCode,
        /// A sentence for people, without values.
        detail: String,
    },
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decided {
                rule,
                events,
                claims,
                ..
            } => f
                .debug_struct("Decided")
                .field("rule", rule)
                .field("events", events)
                .field("claims", claims)
                .finish_non_exhaustive(),
            Self::Failed { code, detail } => f
                .debug_struct("Failed")
                .field("code", code)
                .field("detail", detail)
                .finish(),
        }
    }
}

/// An event to publish with a decision; its id and time are given at commit. `Debug` shows no values.
#[derive(Clone, PartialEq, Eq)]
pub struct EventSpec {
    /// The CloudEvents `type`.
    pub r#type: String,
    /// The CloudEvents `data`.
    pub data: Value,
}

impl fmt::Debug for EventSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSpec")
            .field("type", &self.r#type)
            .finish_non_exhaustive()
    }
}

/// Where an evaluation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureCode {
    /// No rule's condition was true. Never taken for an approval.
    NoRuleMatched,
    /// A rule's condition could not be computed; the rules after it were not tried.
    ConditionError {
        /// The rule's id.
        rule: String,
    },
    /// The outcome of the rule that hit could not be computed.
    OutcomeError {
        /// The rule's id.
        rule: String,
    },
    /// The condition or the data of an event could not be computed.
    EventError {
        /// The event's type.
        event: String,
    },
}

impl FailureCode {
    /// The kind of failure as a word: `no-rule-matched`, `condition-error`, `outcome-error` or `event-error`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NoRuleMatched => "no-rule-matched",
            Self::ConditionError { .. } => "condition-error",
            Self::OutcomeError { .. } => "outcome-error",
            Self::EventError { .. } => "event-error",
        }
    }
}

/// What happened in an evaluation, for the policy's author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The rules that were tried, in order; the last one hit or failed, if any did.
    pub rules: Vec<TracedCondition>,
    /// The events whose conditions were tried, in order.
    pub events: Vec<TracedCondition>,
}

/// A rule or an event whose condition was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedCondition {
    /// The rule's id, or the event's type.
    pub id: String,
    /// Its condition as written.
    pub condition: String,
    /// What the condition was, or why it could not be computed.
    pub result: Result<bool, String>,
}

impl TracedCondition {
    pub(crate) fn new(id: &str, condition: &str, result: &Result<bool, String>) -> Self {
        Self {
            id: id.to_owned(),
            condition: condition.to_owned(),
            result: result.clone(),
        }
    }
}
