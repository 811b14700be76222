//! A policy's input schema: JSON Schema 2020-12 without what could make it mean two things or cost without bound.

mod audit;
mod instant;
mod normalise;
mod shape;
mod validator;

use decide_once_protocol::json::Object;

use crate::facts::FactsError;
use crate::problem::Findings;
use crate::yaml::Node;

pub(crate) use instant::epoch_millis;
pub(crate) use normalise::{Held, item_of};
pub(crate) use shape::{Kind, MAX_FACTS_BYTES, Shape};

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct InputSchema {
    validator: jsonschema::Validator,
    shape: Shape,
}

impl InputSchema {
    /// Compiles a schema; `None` if it is refused, with the reasons in `findings`.
    pub(crate) fn compile(schema: &Node, findings: &mut Findings<'_>) -> Option<Self> {
        if !audit::audit(schema, findings) {
            return None;
        }
        let shape = Shape::of_facts(schema, findings)?;
        match validator::compile(schema) {
            Ok(validator) => {
                let compiled = Self { validator, shape };
                compiled.check_defaults(schema.line, findings);
                Some(compiled)
            }
            Err((line, reason)) => {
                findings.add(line, reason);
                None
            }
        }
    }

    /// A default that its own schema refuses would refuse every request that relies on it.
    fn check_defaults(&self, line: u64, findings: &mut Findings<'_>) {
        let mut defaults = Object::new();
        normalise::fill_defaults(&mut defaults, &self.shape);
        for error in self.normalise(&defaults).err().unwrap_or_default() {
            if error.reason != validator::REQUIRED {
                findings.add(
                    line,
                    format!("the default at {} {}", error.pointer, error.reason),
                );
            }
        }
    }

    /// What the schema says about the types of the facts.
    pub(crate) const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Fills in defaults, validates, and brings instants into one spelling.
    pub(crate) fn normalise(&self, facts: &Object) -> Result<Object, Vec<FactsError>> {
        let mut facts = facts.clone();
        normalise::fill_defaults(&mut facts, &self.shape);
        let json = normalise::to_checked_json(&facts, &self.shape)?;
        validator::validate(&self.validator, &json)?;
        normalise::unify_instants(&mut facts, &self.shape)?;
        Ok(facts)
    }
}
