//! Bringing facts into the one form that identity and rules share.

use decide_once_protocol::json::{Number, Object, Value};

use super::instant;
use super::shape::{Kind, Shape};
use crate::facts::{FactsError, MAX_FACTS_ERRORS};
use crate::pointer::Path;

/// Fills absent members that have a default, also inside members that are there. `null` is not absent.
pub(super) fn fill_defaults(object: &mut Object, shape: &Shape) {
    let Kind::Record { members, .. } = &shape.kind else {
        return;
    };
    for (name, member) in members {
        if let (false, Some(default)) = (object.contains(name), &member.default) {
            object.insert(name.as_str(), default.clone());
        }
        match (object.get_mut(name), &member.kind) {
            (Some(Value::Object(inner)), _) => fill_defaults(inner, member),
            (Some(Value::Array(values)), Kind::List { items, .. }) => fill_items(values, items),
            _ => {}
        }
    }
}

fn fill_items(values: &mut [Value], shape: &Shape) {
    for value in values {
        match (value, &shape.kind) {
            (Value::Object(inner), _) => fill_defaults(inner, shape),
            (Value::Array(values), Kind::List { items, .. }) => fill_items(values, items),
            _ => {}
        }
    }
}

/// The facts as `serde_json` has them, for the validator.
///
/// # Errors
/// Numbers that their type cannot hold are refused, so that none is rounded on the way.
pub(super) fn to_checked_json(
    facts: &Object,
    shape: &Shape,
) -> Result<serde_json::Value, Vec<FactsError>> {
    let mut walk = Walk::default();
    let json = walk.json_of_object(facts, shape);
    walk.finish(json)
}

/// Rewrites every `date-time` into the one spelling of its instant.
///
/// # Errors
/// A date-time that the validator let pass and that is not one of RFC 3339, or is outside its years in UTC.
pub(super) fn unify_instants(facts: &mut Object, shape: &Shape) -> Result<(), Vec<FactsError>> {
    let mut walk = Walk::default();
    walk.unify_object(facts, shape);
    walk.finish(())
}

#[derive(Default)]
struct Walk {
    path: Path,
    errors: Vec<FactsError>,
}

impl Walk {
    fn finish<T>(self, result: T) -> Result<T, Vec<FactsError>> {
        if self.errors.is_empty() {
            Ok(result)
        } else {
            Err(self.errors)
        }
    }

    fn error(&mut self, reason: &str) {
        if self.errors.len() < MAX_FACTS_ERRORS {
            self.errors.push(FactsError {
                pointer: self.path.as_str().to_owned(),
                reason: reason.to_owned(),
            });
        }
    }

    fn json_of_object(&mut self, object: &Object, shape: &Shape) -> serde_json::Value {
        let mut members = serde_json::Map::new();
        for (name, value) in object {
            let here = self.path.enter(name);
            let member = shape.member(name).unwrap_or(&Shape::ANY);
            members.insert(name.to_owned(), self.json_of(value, member));
            self.path.leave(here);
        }
        members.into()
    }

    fn json_of(&mut self, value: &Value, shape: &Shape) -> serde_json::Value {
        match value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(truth) => (*truth).into(),
            Value::Number(number) => self.json_of_number(number, &shape.kind),
            Value::String(text) => text.as_str().into(),
            Value::Array(values) => {
                let mut list = Vec::with_capacity(values.len());
                for (position, value) in values.iter().enumerate() {
                    let here = self.path.enter(&position.to_string());
                    list.push(self.json_of(value, item_of(shape)));
                    self.path.leave(here);
                }
                list.into()
            }
            Value::Object(object) => self.json_of_object(object, shape),
        }
    }

    fn json_of_number(&mut self, number: &Number, kind: &Kind) -> serde_json::Value {
        match Held::of(number, kind) {
            Some(Held::Integer(integer)) => integer.into(),
            Some(Held::Double(double)) => double.into(),
            None => {
                self.error("must be a number that its type holds exactly: an integer of 64 bits, or a double");
                serde_json::Value::Null
            }
        }
    }

    fn unify_object(&mut self, object: &mut Object, shape: &Shape) {
        for (name, value) in object.iter_mut() {
            if let Some(member) = shape.member(name) {
                let here = self.path.enter(name);
                self.unify(value, member);
                self.path.leave(here);
            }
        }
    }

    fn unify(&mut self, value: &mut Value, shape: &Shape) {
        match (value, &shape.kind) {
            (Value::String(text), Kind::Text { instant: true, .. }) => {
                match instant::canonical(text) {
                    Some(canonical) => *text = canonical,
                    None => self.error("must be a date-time of RFC 3339 in the years 0 to 9999"),
                }
            }
            (Value::Array(values), Kind::List { items, .. }) => {
                for (position, value) in values.iter_mut().enumerate() {
                    let here = self.path.enter(&position.to_string());
                    self.unify(value, items);
                    self.path.leave(here);
                }
            }
            (Value::Object(object), _) => self.unify_object(object, shape),
            _ => {}
        }
    }
}

/// A number as rules compute with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Held {
    Integer(i64),
    Double(f64),
}

impl Held {
    /// A number in the type that its schema gives it: `number` is a double, everything else an int64 if it is whole. `None` where the
    /// type would change it: then a rule would not see what the caller sent.
    pub(crate) fn of(number: &Number, kind: &Kind) -> Option<Self> {
        match (kind, number.as_i64()) {
            (Kind::Number, _) | (_, None) => {
                let double = number.to_f64_exact()?;
                // Whole and beyond 64 bits: no integer. A fraction is left to the validator, which says `integer`.
                let beyond = *kind == Kind::Integer && double.fract() == 0.0;
                (!beyond).then_some(Self::Double(double))
            }
            (_, Some(integer)) => Some(Self::Integer(integer)),
        }
    }
}

/// The shape of a list's items.
pub(crate) fn item_of(shape: &Shape) -> &Shape {
    if let Kind::List { items, .. } = &shape.kind {
        items
    } else {
        &Shape::ANY
    }
}
