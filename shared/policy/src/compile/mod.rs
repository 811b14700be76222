//! From a policy file to a policy: everything that can be refused is refused here, so that evaluation is total and bounded.

mod rules;

use decide_once_protocol::request::{PolicyId, PolicyVersion};
use serde_saphyr::Spanned;
use sha2::{Digest as _, Sha256};

use crate::document::Document;
use crate::engine::Variables;
use crate::example::Example;
use crate::pointer::Pointer;
use crate::policy::{NaturalKey, Policy};
use crate::problem::{Findings, Problem};
use crate::retention::Retention;
use crate::schema::{InputSchema, Kind, Shape};
use crate::yaml;

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
