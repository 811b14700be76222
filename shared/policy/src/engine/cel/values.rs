//! Between JSON and CEL.

use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString,
};
use cel::common::value::Val;
use cel::objects::Key;
use decide_once_protocol::json::{Number, Object, Value};

use crate::engine::MAX_RESULT_DEPTH;
use crate::schema::{Held, Shape, item_of};

/// An object as a CEL map; strings are borrowed.
pub(super) fn object_to_cel<'v>(object: &'v Object, shape: &Shape) -> Box<dyn Val + 'v> {
    let members: HashMap<CelMapKey<'v>, Box<dyn Val + 'v>> = object
        .iter()
        .map(|(name, value)| {
            let member = shape.member(name).unwrap_or(&Shape::ANY);
            (CelMapKey::from(name), to_cel(value, member))
        })
        .collect();
    Box::new(CelMap::from(members))
}

fn to_cel<'v>(value: &'v Value, shape: &Shape) -> Box<dyn Val + 'v> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(truth) => Box::new(CelBool::from(*truth)),
        Value::Number(number) => match Held::of(number, &shape.kind) {
            Some(Held::Integer(integer)) => Box::new(CelInt::from(integer)),
            Some(Held::Double(double)) => Box::new(CelDouble::from(double)),
            // Facts with such a number are refused before; a rule that needs it fails.
            None => Box::new(CelNull),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(values) => {
            let items: Vec<Box<dyn Val + 'v>> = values
                .iter()
                .map(|value| to_cel(value, item_of(shape)))
                .collect();
            Box::new(CelList::from(items))
        }
        Value::Object(object) => object_to_cel(object, shape),
    }
}

/// A CEL value as JSON, at `depth` in the result.
///
/// # Errors
/// What has no JSON form.
pub(super) fn from_cel(value: &cel::Value, depth: usize) -> Result<Value, &'static str> {
    if depth > MAX_RESULT_DEPTH {
        return Err("the result is nested too deep");
    }
    match value {
        cel::Value::Null => Ok(Value::Null),
        cel::Value::Bool(truth) => Ok(Value::Bool(*truth)),
        cel::Value::Int(integer) => Ok(Value::Number(Number::from_i64(*integer))),
        cel::Value::UInt(integer) => Ok(Value::Number(Number::from_u64(*integer))),
        cel::Value::Float(double) => Number::from_f64(*double)
            .map(Value::Number)
            .ok_or("a number is infinite, or not a number"),
        cel::Value::String(text) => Ok(Value::String(text.as_ref().clone())),
        cel::Value::List(items) => {
            let items: Result<Vec<Value>, _> =
                items.iter().map(|item| from_cel(item, depth + 1)).collect();
            items.map(Value::Array)
        }
        cel::Value::Map(map) => {
            let mut members = Vec::with_capacity(map.map.len());
            for (key, value) in map.map.iter() {
                let Key::String(name) = key else {
                    return Err("a map in the result has a key that is not a string");
                };
                members.push((name.as_ref().clone(), from_cel(value, depth + 1)?));
            }
            // The map's own order is random.
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Ok(Value::Object(members.into_iter().collect()))
        }
        cel::Value::Bytes(_)
        | cel::Value::Function(..)
        | cel::Value::Opaque(_)
        | cel::Value::Struct(_) => Err("the result has a value that JSON does not have"),
    }
}
