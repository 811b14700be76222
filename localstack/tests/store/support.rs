//! SDK clients and rows, as all tests here need them.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use decide_once::engine::{self, Engine, EngineOptions, TableNames};

pub(crate) const OUTBOX: &str = "outbox";

/// A memory engine with the product's tables.
pub(crate) fn engine() -> Engine {
    let engine = engine::start(EngineOptions::default()).unwrap();
    engine.create_tables(&TableNames::default()).unwrap();
    engine
}

/// The SDK as the functions use it: standard mode, three attempts.
pub(crate) fn client(endpoint: &str) -> Client {
    with_retries(endpoint, RetryConfig::standard())
}

/// The SDK without its own retries, to see each answer.
pub(crate) fn single_attempt(endpoint: &str) -> Client {
    with_retries(endpoint, RetryConfig::disabled())
}

fn with_retries(endpoint: &str, retries: RetryConfig) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "test"))
        .endpoint_url(endpoint)
        .retry_config(retries)
        .build();
    Client::from_conf(config)
}

pub(crate) fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Writes an outbox row that its sink has not acknowledged.
pub(crate) async fn put_row(client: &Client, event: &str) {
    client
        .put_item()
        .table_name(OUTBOX)
        .item("event", s(event))
        .item("shard", s("0"))
        .item("undelivered", s("1-1"))
        .send()
        .await
        .unwrap();
}

/// Whether the row is there.
pub(crate) async fn has_row(client: &Client, event: &str) -> bool {
    let read = client.get_item().table_name(OUTBOX).key("event", s(event));
    let read = read.consistent_read(true).send().await.unwrap();
    read.item.is_some()
}
