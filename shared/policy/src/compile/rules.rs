//! Rules and events: conditions, templates, and what they cost.

use std::collections::BTreeSet;

use serde_saphyr::Spanned;

use super::{Compiler, MAX_NAME, NAME, is_name};
use crate::document::{EventText, RuleText};
use crate::engine::{Cel, Compiled, Engine, Variables};
use crate::policy::{Event, Rule};
use crate::size::Size;
use crate::template::{Template, TemplateCompiler};

/// The most rules.
const MAX_RULES: usize = 500;
/// A transaction has 100 items (DynamoDB `TransactWriteItems`); the operation and the decision are two of them.
const MAX_EVENTS_AND_CLAIMS: usize = 98;

impl Compiler<'_, '_> {
    /// The rules, and the largest size of an outcome.
    pub(super) fn rules(
        &mut self,
        texts: &[RuleText],
        variables: Variables<'_>,
    ) -> (Vec<Rule<Cel>>, Size) {
        self.findings.enter("rules");
        if texts.is_empty() || texts.len() > MAX_RULES {
            self.findings
                .add(0, format!("a policy has from 1 to {MAX_RULES} rules"));
        }
        let mut ids = BTreeSet::new();
        let (mut largest_cost, mut largest) = (0, Size::NOTHING);
        let mut rules = Vec::new();
        for text in texts.iter().take(MAX_RULES) {
            let line = text.id.referenced.line();
            self.findings.enter(format!("rule {}", text.id.value));
            if !is_name(&text.id.value) {
                self.findings.add(line, NAME);
            }
            if !ids.insert(&text.id.value) {
                self.findings
                    .add(line, "there is another rule with this id");
            }
            if text.then.as_map().is_none_or(<[_]>::is_empty) {
                self.findings.add(
                    text.then.line,
                    "`then` is the outcome: a mapping with at least one member",
                );
            }
            let when = self.condition(&text.when, variables);
            let mut compiler = TemplateCompiler {
                variables,
                findings: self.findings,
                cost: 0,
                size: Size::NOTHING,
            };
            let then = compiler.compile::<Cel>(&text.then);
            largest_cost = largest_cost.max(compiler.cost);
            largest = largest.or(compiler.size);
            if let Some(when) = when {
                rules.push(Rule {
                    id: text.id.value.clone(),
                    condition: text.when.value.clone(),
                    when,
                    then,
                });
            }
        }
        self.cost = self.cost.saturating_add(largest_cost);
        (rules, largest)
    }

    pub(super) fn events(
        &mut self,
        texts: &[EventText],
        claims: usize,
        variables: Variables<'_>,
    ) -> Vec<Event<Cel>> {
        self.findings.enter("events");
        if texts.len() + claims > MAX_EVENTS_AND_CLAIMS {
            self.findings.add(0, format!("events and natural keys are together at most {MAX_EVENTS_AND_CLAIMS}: what one transaction holds"));
        }
        let mut events = Vec::new();
        for text in texts.iter().take(MAX_EVENTS_AND_CLAIMS) {
            let r#type = text.r#type.value.clone();
            self.findings
                .enter(format!("event {type}", r#type = r#type));
            if !is_event_type(&r#type) {
                self.findings.add(text.r#type.referenced.line(), format!("an event's type has from 1 to {MAX_NAME} of A-Z, a-z, 0-9, '.', '-' and '_'"));
            }
            let always = Spanned {
                value: "true".to_owned(),
                ..text.r#type.clone()
            };
            let written = text.when.as_ref().unwrap_or(&always);
            let when = self.condition(written, variables);
            let mut compiler = TemplateCompiler {
                variables,
                findings: self.findings,
                cost: 0,
                size: Size::NOTHING,
            };
            let data = match &text.data {
                Some(data) => compiler.compile::<Cel>(data),
                None => Template::Object(Vec::new()),
            };
            self.cost = self.cost.saturating_add(compiler.cost);
            if let Some(when) = when {
                events.push(Event {
                    r#type,
                    condition: written.value.clone(),
                    when,
                    data,
                });
            }
        }
        events
    }

    fn condition(
        &mut self,
        text: &Spanned<String>,
        variables: Variables<'_>,
    ) -> Option<<Cel as Engine>::Expression> {
        let line = text.referenced.line();
        match Cel::compile(&text.value, variables) {
            Ok(Compiled {
                may_be_bool: false, ..
            }) => {
                self.findings
                    .add(line, "a condition is true or false, and this is neither");
                None
            }
            Ok(Compiled {
                expression, cost, ..
            }) => {
                self.cost = self.cost.saturating_add(cost);
                Some(expression)
            }
            Err(reasons) => {
                reasons
                    .into_iter()
                    .for_each(|reason| self.findings.add(line, reason));
                None
            }
        }
    }
}

fn is_event_type(name: &str) -> bool {
    let characters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(characters)
}
