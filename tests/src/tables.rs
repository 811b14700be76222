//! The tables of a stack, seen past its functions, in DynamoDB's own JSON: what a test compares byte for byte, and what it has another
//! release leave there.

use http::Method;
use serde_json::{Value, json};

use crate::{Request, request::HttpClient};

/// The engine accepts any signature, but not none.
const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=local/20261201/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";

/// The engine behind a stack. Its calls are neither counted nor made to fail.
#[derive(Debug, Clone)]
pub struct Tables {
    client: HttpClient,
    endpoint: String,
    names: Value,
}

impl Tables {
    /// What `GET /_local/store` names.
    pub(crate) fn new(client: HttpClient, store: &Value) -> Self {
        Self {
            client,
            endpoint: store["endpoint"].as_str().unwrap().to_owned(),
            names: store["tables"].clone(),
        }
    }

    /// Every item of a table, by its key.
    ///
    /// # Panics
    /// The engine does not answer.
    pub async fn scan(&self, table: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let mut from = Value::Null;
        loop {
            let mut asked = json!({ "ConsistentRead": true });
            if !from.is_null() {
                asked["ExclusiveStartKey"] = from;
            }
            let mut page = self.call("Scan", table, asked).await;
            items.extend(page["Items"].as_array().unwrap().iter().cloned());
            from = page["LastEvaluatedKey"].take();
            if from.is_null() {
                items.sort_by_key(|item| key_of(table, item).to_owned());
                return items;
            }
        }
    }

    /// The item under a key.
    ///
    /// # Panics
    /// There is none, or the engine does not answer.
    pub async fn item(&self, table: &str, key: &str) -> Value {
        let asked = json!({ "Key": at(table, key), "ConsistentRead": true });
        let found = self.call("GetItem", table, asked).await["Item"].take();
        assert!(found.is_object(), "{table}: {key}");
        found
    }

    /// Puts an item, whatever stands there.
    ///
    /// # Panics
    /// The engine does not take it.
    pub async fn put(&self, table: &str, item: &Value) {
        let _ = self.call("PutItem", table, json!({ "Item": item })).await;
    }

    /// Sets an attribute of an item, and leaves its others.
    ///
    /// # Panics
    /// The engine does not take it.
    pub async fn set(&self, table: &str, key: &str, name: &str, value: Value) {
        let asked = json!({
            "Key": at(table, key), "UpdateExpression": "SET #name = :value",
            "ExpressionAttributeNames": { "#name": name }, "ExpressionAttributeValues": { ":value": value },
        });
        let _ = self.call("UpdateItem", table, asked).await;
    }

    async fn call(&self, operation: &str, table: &str, mut asked: Value) -> Value {
        asked["TableName"] = self.names[table].clone();
        let request = Request::new(self.client.clone(), Method::POST, self.endpoint.clone())
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-date", "20261201T000000Z")
            .header("authorization", SIGNED)
            .body(asked.to_string());
        request.send().await.expect(200).json()
    }
}

/// The table key of an item.
///
/// # Panics
/// It has none.
#[must_use]
pub fn key_of<'a>(table: &str, item: &'a Value) -> &'a str {
    item[key_name(table)]["S"].as_str().unwrap()
}

fn at(table: &str, key: &str) -> Value {
    json!({ key_name(table): { "S": key } })
}

fn key_name(table: &str) -> &'static str {
    match table {
        "operations" => "op",
        "outbox" => "event",
        _ => "id",
    }
}
