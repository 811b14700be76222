//! Items as DynamoDB's JSON, for golden files.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use decide_once_dynamodb::items::Item;
use serde_json::{Map, Value, json};

pub(crate) fn to_json(item: &Item) -> Value {
    let mut members: Vec<_> = item.iter().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    let members = members.into_iter().map(|(name, value)| {
        let value = match value {
            AttributeValue::S(text) => json!({ "S": text }),
            AttributeValue::N(digits) => json!({ "N": digits }),
            AttributeValue::B(bytes) => json!({ "B": STANDARD.encode(bytes) }),
            other => panic!("{name}: nothing here is stored as {other:?}"),
        };
        (name.clone(), value)
    });
    Value::Object(members.collect::<Map<_, _>>())
}

pub(crate) fn from_json(item: &Value) -> Item {
    let members = item.as_object().unwrap().iter().map(|(name, value)| {
        let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
        let text = value.as_str().unwrap();
        let value = match kind.as_str() {
            "S" => AttributeValue::S(text.to_owned()),
            "N" => AttributeValue::N(text.to_owned()),
            "B" => AttributeValue::B(Blob::new(STANDARD.decode(text).unwrap())),
            other => panic!("{name}: nothing here is stored as {other}"),
        };
        (name.clone(), value)
    });
    members.collect()
}
