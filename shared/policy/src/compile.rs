//! From a policy file to a policy: everything that can be refused is refused here, so that evaluation is total and bounded.

use std::collections::BTreeSet;

use decide_once_protocol::request::{PolicyId, PolicyVersion};
use serde_saphyr::Spanned;
use sha2::{Digest as _, Sha256};

use crate::document::{Document, EventText, RuleText};
use crate::engine::{Cel, Compiled, Engine, Variables};
use crate::example::Example;
use crate::pointer::Pointer;
use crate::policy::{Event, NaturalKey, Policy, Rule};
use crate::problem::{Findings, Problem};
use crate::retention::Retention;
use crate::schema::{InputSchema, Kind, Shape};
use crate::size::Size;
use crate::template::{Template, TemplateCompiler};
use crate::yaml;

/// The most rules.
const MAX_RULES: usize = 500;
/// A transaction has 100 items (DynamoDB `TransactWriteItems`); the operation and the decision are two of them.
const MAX_EVENTS_AND_CLAIMS: usize = 98;
/// The most examples.
const MAX_EXAMPLES: usize = 500;
/// The most work of one evaluation, in about nanoseconds: all conditions, the largest outcome, all events.
const MAX_COST: u64 = 20_000_000;
/// The longest name of a rule, a natural key or an event.
const MAX_NAME: usize = 128;

impl Policy {
    /// Compiles the bytes of `file`, which is the place of version `version` of policy `id`.
    pub(crate) fn compile(
        file: &str,
        id: &PolicyId,
        version: PolicyVersion,
        bytes: &[u8],
    ) -> Result<Self, Vec<Problem>> {
        let mut findings = Findings::new(file);
        let policy = yaml::read(bytes)
            .map_err(|error| findings.add(error.line, error.reason))
            .ok()
            .and_then(|document: Document| {
                Compiler {
                    findings: &mut findings,
                    cost: 0,
                }
                .policy(&document, id, version, bytes)
            });
        match policy {
            Some(policy) if findings.is_empty() => Ok(policy),
            _ => Err(findings.into_problems()),
        }
    }
}

struct Compiler<'f, 'n> {
    findings: &'f mut Findings<'n>,
    cost: u64,
}

impl Compiler<'_, '_> {
    fn policy(
        &mut self,
        document: &Document,
        id: &PolicyId,
        version: PolicyVersion,
        bytes: &[u8],
    ) -> Option<Policy> {
        self.belongs(document, id, version);
        self.findings.enter("retention");
        let retention = &document.retention;
        let retention = Retention::parse(
            &retention.value.result,
            &retention.value.key,
            &retention.value.decision,
        )
        .map_err(|reason| {
            self.findings
                .add(document.retention.referenced.line(), reason)
        })
        .ok();
        self.findings.enter("input");
        let schema = InputSchema::compile(&document.input, self.findings)?;
        let excluded = self.excluded(&document.identity.exclude, &schema);
        let mut visible = schema.shape().clone();
        excluded
            .iter()
            .for_each(|pointer| visible.forget(pointer.tokens()));
        let unique = self.unique(document, &visible);
        let variables = Variables {
            facts: &visible,
            outcome: None,
        };
        let (rules, outcome) = self.rules(&document.rules, variables);
        let variables = Variables {
            outcome: Some(outcome),
            ..variables
        };
        let events = self.events(&document.events, unique.len(), variables);
        self.findings.enter("rules");
        if self.cost > MAX_COST {
            let (cost, limit) = (self.cost / 1_000, MAX_COST / 1_000);
            self.findings.add(
                0,
                format!("the worst facts would take about {cost} µs to decide, and {limit} is the limit: set `maxLength`, `maxItems` and `additionalProperties: false` in the schema, or compute less"),
            );
        }
        let examples = self.examples(document);
        Some(Policy {
            id: id.clone(),
            version,
            digest: Sha256::digest(bytes).into(),
            retention: retention?,
            schema,
            visible,
            excluded,
            unique,
            rules,
            events,
            examples,
        })
    }

    /// The file says itself which policy and version it is.
    fn belongs(&mut self, document: &Document, id: &PolicyId, version: PolicyVersion) {
        if document.policy.value != id.as_str() {
            self.findings.add(
                document.policy.referenced.line(),
                format!("`policy` differs from its folder, `{id}`"),
            );
        }
        if document.version.value != version.get() {
            self.findings.add(
                document.version.referenced.line(),
                format!("`version` differs from its file name, {version}.yaml"),
            );
        }
    }

    fn excluded(&mut self, exclude: &[Spanned<String>], schema: &InputSchema) -> Vec<Pointer> {
        self.findings.enter("identity");
        let mut excluded = Vec::new();
        for text in exclude {
            let line = text.referenced.line();
            match Pointer::parse(&text.value) {
                Some(pointer) if schema.shape().declared(&pointer).is_some() => {
                    excluded.push(pointer)
                }
                Some(_) => self.findings.add(
                    line,
                    format!(
                        "`{}` is not declared in the schema; declare it under `properties`",
                        text.value
                    ),
                ),
                None => self.findings.add(
                    line,
                    format!(
                        "`{}` is not a JSON Pointer to a member, such as /client_ts",
                        text.value
                    ),
                ),
            }
        }
        excluded
    }

    fn unique(&mut self, document: &Document, visible: &Shape) -> Vec<NaturalKey> {
        self.findings.enter("unique");
        let mut keys = Vec::new();
        for (name, texts) in &document.unique {
            let line = texts.first().map_or(0, |text| text.referenced.line());
            if !is_name(name) {
                self.findings.add(line, NAME);
            }
            if texts.is_empty() {
                self.findings.add(
                    0,
                    format!("`{name}` has no parts; name at least one member"),
                );
            }
            let mut parts = Vec::new();
            for text in texts {
                let pointer = Pointer::parse(&text.value);
                let shape = pointer
                    .as_ref()
                    .and_then(|pointer| visible.declared(pointer));
                match (pointer, shape.map(|shape| &shape.kind)) {
                    (Some(pointer), Some(Kind::Text { .. } | Kind::Integer)) => parts.push(pointer),
                    _ => self.findings.add(
                        text.referenced.line(),
                        format!("`{}` must point to a string or an integer that the schema declares and identity does not exclude", text.value),
                    ),
                }
            }
            keys.push(NaturalKey {
                name: name.clone(),
                parts,
            });
        }
        keys
    }

    /// The rules, and the largest size of an outcome.
    fn rules(&mut self, texts: &[RuleText], variables: Variables<'_>) -> (Vec<Rule<Cel>>, Size) {
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

    fn events(
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

    fn examples(&mut self, document: &Document) -> Vec<Example> {
        self.findings.enter("examples");
        if document.examples.len() > MAX_EXAMPLES {
            self.findings
                .add(0, format!("there are more than {MAX_EXAMPLES} examples"));
        }
        let numbered = document.examples.iter().take(MAX_EXAMPLES).enumerate();
        let mut examples = Vec::new();
        for (position, text) in numbered {
            self.findings.enter(format!("example {}", position + 1));
            examples.extend(Example::read(
                &text.value,
                text.referenced.line(),
                self.findings,
            ));
        }
        examples
    }
}

const NAME: &str = "a name has from 1 to 128 of a-z, 0-9, '-' and '_', and begins with a letter";

fn is_name(name: &str) -> bool {
    let characters = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    name.len() <= MAX_NAME
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(characters)
}

fn is_event_type(name: &str) -> bool {
    let characters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(characters)
}
