//! A policy's own examples: facts, and what the policy must make of them.

use decide_once_protocol::json::{Object, Value};
use decide_once_protocol::request::Subject;

use crate::document::ExampleText;
use crate::evaluation::Evaluation;
use crate::policy::Policy;
use crate::problem::Findings;
use crate::schema::epoch_millis;

/// The evaluation instant of examples that name none: 2026-12-01T00:00:00Z.
const DEFAULT_NOW: i64 = 1_796_083_200_000;

/// An example that is understood.
#[derive(Debug)]
pub(crate) struct Example {
    line: u64,
    facts: Object,
    subject: Subject,
    now: i64,
    expected: Expected,
}

#[derive(Debug)]
enum Expected {
    Decided {
        outcome: Object,
        rule: Option<String>,
        events: Option<Vec<String>>,
    },
    Failed(String),
    Invalid(Vec<String>),
}

impl Example {
    pub(crate) fn read(text: &ExampleText, line: u64, findings: &mut Findings<'_>) -> Option<Self> {
        let object = |value: Value| {
            if let Value::Object(object) = value {
                Some(object)
            } else {
                None
            }
        };
        let Some(facts) = object(text.facts.to_value()) else {
            findings.add(text.facts.line, "`facts` is a mapping");
            return None;
        };
        let Ok(subject) = Subject::parse(text.subject.as_deref().unwrap_or("example")) else {
            findings.add(line, "`subject` has from 1 to 256 characters");
            return None;
        };
        let now = match &text.now {
            None => Some(DEFAULT_NOW),
            Some(now) => epoch_millis(now),
        };
        let Some(now) = now else {
            findings.add(line, "`now` is a date-time of RFC 3339");
            return None;
        };
        let expected = match (&text.expect, &text.fails, &text.invalid) {
            (Some(expect), None, None) => {
                object(expect.to_value()).map(|outcome| Expected::Decided {
                    outcome,
                    rule: text.rule.clone(),
                    events: text.events.clone(),
                })
            }
            (None, Some(fails), None) => Some(Expected::Failed(fails.clone())),
            (None, None, Some(invalid)) => Some(Expected::Invalid(invalid.clone())),
            _ => None,
        };
        let Some(expected) = expected else {
            findings.add(
                line,
                "an example has one of `expect` (a mapping), `fails` and `invalid`",
            );
            return None;
        };
        Some(Self {
            line,
            facts,
            subject,
            now,
            expected,
        })
    }
}

impl Policy {
    /// Runs the policy's examples; what differs becomes findings.
    pub(crate) fn run_examples(&self, findings: &mut Findings<'_>) {
        for (position, example) in self.examples.iter().enumerate() {
            findings.enter(format!("example {}", position + 1));
            if let Err(difference) = self.run_example(example) {
                findings.add(example.line, difference);
            }
        }
    }

    fn run_example(&self, example: &Example) -> Result<(), String> {
        let evaluation = match self.normalise(&example.facts) {
            Ok(facts) => self.evaluate(&facts, &example.subject, example.now),
            Err(invalid) => {
                let pointers: Vec<&str> = invalid
                    .errors
                    .iter()
                    .map(|error| error.pointer.as_str())
                    .collect();
                return match &example.expected {
                    Expected::Invalid(expected) if *expected == pointers => Ok(()),
                    Expected::Invalid(_) | Expected::Decided { .. } | Expected::Failed(_) => {
                        Err(invalid.to_string())
                    }
                };
            }
        };
        match (&example.expected, &evaluation) {
            (
                Expected::Decided {
                    outcome,
                    rule,
                    events,
                },
                Evaluation::Decided {
                    rule: hit,
                    outcome: got,
                    events: emitted,
                    ..
                },
            ) => {
                if let Some(expected) = rule.as_ref().filter(|expected| *expected != hit) {
                    return Err(format!("rule {hit} hit, and {expected} was expected"));
                }
                for (name, expected) in outcome {
                    match got.get(name) {
                        Some(value) if value == expected => {}
                        Some(value) => {
                            return Err(format!(
                                "`{name}` is {}, and {} was expected (rule {hit})",
                                value.to_json(),
                                expected.to_json()
                            ));
                        }
                        None => return Err(format!("the outcome of rule {hit} has no `{name}`")),
                    }
                }
                let emitted: Vec<&str> =
                    emitted.iter().map(|event| event.r#type.as_str()).collect();
                match events {
                    Some(expected) if *expected != emitted => {
                        Err(format!("the events are [{}]", emitted.join(", ")))
                    }
                    Some(_) | None => Ok(()),
                }
            }
            (Expected::Failed(expected), Evaluation::Failed { code, .. })
                if code.as_str() == expected =>
            {
                Ok(())
            }
            (_, Evaluation::Decided { rule, .. }) => {
                Err(format!("rule {rule} hit, and no decision was expected"))
            }
            (_, Evaluation::Failed { code, detail }) => Err(format!("{}: {detail}", code.as_str())),
        }
    }
}
