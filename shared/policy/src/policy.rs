//! One policy version, compiled: facts in, a decision out.

use decide_once_protocol::json::{Object, Value};
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};

use crate::engine::{Cel, Engine, Inputs};
use crate::evaluation::{Evaluation, EventSpec, FailureCode, Trace, TracedCondition};
use crate::example::Example;
use crate::facts::{Claim, FactsError, FactsInvalid, NormalisedFacts};
use crate::pointer::Pointer;
use crate::retention::Retention;
use crate::schema::{InputSchema, Shape};
use crate::template::Template;

/// One immutable version of a policy.
#[derive(Debug)]
pub struct Policy {
    /// The policy's name.
    pub id: PolicyId,
    /// Its version.
    pub version: PolicyVersion,
    /// SHA-256 of the file's bytes: the provenance of every decision made under it.
    pub digest: [u8; 32],
    /// How long what is decided under it is kept.
    pub retention: Retention,
    pub(crate) schema: InputSchema,
    /// The types of what the rules see: the schema without what identity excludes.
    pub(crate) visible: Shape,
    pub(crate) excluded: Vec<Pointer>,
    pub(crate) unique: Vec<NaturalKey>,
    pub(crate) rules: Vec<Rule<Cel>>,
    pub(crate) events: Vec<Event<Cel>>,
    pub(crate) examples: Vec<Example>,
}

/// A natural key by name.
#[derive(Debug)]
pub(crate) struct NaturalKey {
    pub(crate) name: String,
    pub(crate) parts: Vec<Pointer>,
}

/// A compiled rule.
#[derive(Debug)]
pub(crate) struct Rule<E: Engine> {
    pub(crate) id: String,
    /// As written.
    pub(crate) condition: String,
    pub(crate) when: E::Expression,
    pub(crate) then: Template<E::Expression>,
}

/// A compiled event.
#[derive(Debug)]
pub(crate) struct Event<E: Engine> {
    pub(crate) r#type: String,
    /// As written.
    pub(crate) condition: String,
    pub(crate) when: E::Expression,
    pub(crate) data: Template<E::Expression>,
}

impl Policy {
    /// Validates facts with the policy's schema and normalises them: defaults fill absent members, a `date-time` becomes its instant in
    /// UTC, members that identity excludes drop out.
    ///
    /// # Errors
    /// When the facts do not meet the schema, or a part of a natural key is missing, null or empty. Every error has its JSON Pointer
    /// and no value.
    pub fn normalise(&self, facts: &Object) -> Result<NormalisedFacts, FactsInvalid> {
        let mut facts = self
            .schema
            .normalise(facts)
            .map_err(|errors| FactsInvalid { errors })?;
        for pointer in &self.excluded {
            pointer.remove(&mut facts);
        }
        let claims = self.claims(&facts)?;
        Ok(NormalisedFacts { facts, claims })
    }

    /// Whether `pointer` into the facts names a member that `identity.exclude` takes out of the operation's identity.
    #[must_use]
    pub fn excludes(&self, pointer: &str) -> bool {
        self.excluded
            .iter()
            .any(|excluded| excluded.as_str() == pointer)
    }

    /// Two orders without a number are not the same order: a natural key has all its parts.
    fn claims(&self, facts: &Object) -> Result<Vec<Claim>, FactsInvalid> {
        let mut errors = Vec::new();
        let mut claims = Vec::new();
        for key in &self.unique {
            let mut parts = Vec::new();
            for pointer in &key.parts {
                match pointer.find(facts) {
                    None | Some(Value::Null) => errors.push(lacking(pointer)),
                    Some(Value::String(text)) if text.is_empty() => errors.push(lacking(pointer)),
                    Some(value) => parts.push(value.canonical()),
                }
            }
            claims.push(Claim {
                name: key.name.clone(),
                parts,
            });
        }
        if errors.is_empty() {
            Ok(claims)
        } else {
            Err(FactsInvalid { errors })
        }
    }

    /// Decides: the first rule whose condition is true gives the outcome. Pure, and never panics.
    ///
    /// `now` is the evaluation instant in milliseconds since the Unix epoch.
    #[must_use]
    pub fn evaluate(&self, facts: &NormalisedFacts, subject: &Subject, now: i64) -> Evaluation {
        self.run(facts, subject, now, &mut None)
            .unwrap_or_else(failed)
    }

    /// As [`Self::evaluate`], and says which rules were tried and what each condition was.
    #[must_use]
    pub fn evaluate_traced(
        &self,
        facts: &NormalisedFacts,
        subject: &Subject,
        now: i64,
    ) -> (Evaluation, Trace) {
        let mut trace = Some(Trace::default());
        let evaluation = self
            .run(facts, subject, now, &mut trace)
            .unwrap_or_else(failed);
        (evaluation, trace.unwrap_or_default())
    }

    fn run(
        &self,
        facts: &NormalisedFacts,
        subject: &Subject,
        now: i64,
        trace: &mut Option<Trace>,
    ) -> Result<Evaluation, Failed> {
        let inputs = Inputs {
            facts: facts.facts(),
            shape: &self.visible,
            subject: subject.as_str(),
            now,
        };
        let scope = Cel::bind(&inputs);
        let rule = self.first_hit(&scope, trace)?;
        let outcome = rule
            .then
            .render::<Cel>(&scope, 0)
            .and_then(|outcome| match outcome {
                Value::Object(outcome) => Ok(outcome),
                // Compiling refuses any other `then`.
                other => Err(format!("it is {}, not an object", other.kind())),
            });
        let outcome = outcome.map_err(|reason| {
            let detail = format!(
                "the outcome of rule {} could not be computed: {reason}",
                rule.id
            );
            (
                FailureCode::OutcomeError {
                    rule: rule.id.clone(),
                },
                detail,
            )
        })?;
        let events = self.emitted(scope, &rule.id, &outcome, trace)?;
        Ok(Evaluation::Decided {
            rule: rule.id.clone(),
            outcome,
            events,
            claims: facts.claims.clone(),
        })
    }

    fn first_hit(
        &self,
        scope: &<Cel as Engine>::Scope<'_>,
        trace: &mut Option<Trace>,
    ) -> Result<&Rule<Cel>, Failed> {
        for rule in &self.rules {
            let result = test::<Cel>(&rule.when, scope);
            if let Some(trace) = trace {
                trace
                    .rules
                    .push(TracedCondition::new(&rule.id, &rule.condition, &result));
            }
            match result {
                Ok(true) => return Ok(rule),
                Ok(false) => {}
                Err(reason) => {
                    let detail = format!(
                        "the condition of rule {} could not be computed: {reason}",
                        rule.id
                    );
                    return Err((
                        FailureCode::ConditionError {
                            rule: rule.id.clone(),
                        },
                        detail,
                    ));
                }
            }
        }
        let detail = format!(
            "no rule of policy {} version {} matches these facts",
            self.id, self.version
        );
        Err((FailureCode::NoRuleMatched, detail))
    }

    fn emitted<'v>(
        &self,
        mut scope: <Cel as Engine>::Scope<'v>,
        rule: &'v str,
        outcome: &'v Object,
        trace: &mut Option<Trace>,
    ) -> Result<Vec<EventSpec>, Failed> {
        Cel::bind_decision(&mut scope, rule, outcome);
        let mut events = Vec::new();
        for event in &self.events {
            let failed = |what: &str, reason: String| {
                let detail = format!(
                    "the {what} of event {} could not be computed: {reason}",
                    event.r#type
                );
                (
                    FailureCode::EventError {
                        event: event.r#type.clone(),
                    },
                    detail,
                )
            };
            let result = test::<Cel>(&event.when, &scope);
            if let Some(trace) = trace {
                trace.events.push(TracedCondition::new(
                    &event.r#type,
                    &event.condition,
                    &result,
                ));
            }
            if result.map_err(|reason| failed("condition", reason))? {
                let data = event
                    .data
                    .render::<Cel>(&scope, 0)
                    .map_err(|reason| failed("data", reason))?;
                events.push(EventSpec {
                    r#type: event.r#type.clone(),
                    data,
                });
            }
        }
        Ok(events)
    }
}

/// A failure on its way out.
type Failed = (FailureCode, String);

fn failed((code, detail): Failed) -> Evaluation {
    Evaluation::Failed { code, detail }
}

fn lacking(pointer: &Pointer) -> FactsError {
    FactsError {
        pointer: pointer.as_str().to_owned(),
        reason: "is a part of a natural key and must be neither missing, null nor empty".to_owned(),
    }
}

/// The truth of a condition.
fn test<E: Engine>(condition: &E::Expression, scope: &E::Scope<'_>) -> Result<bool, String> {
    match E::evaluate(condition, scope, 0)? {
        Value::Bool(truth) => Ok(truth),
        other => Err(format!("it is {}, not true or false", other.kind())),
    }
}
