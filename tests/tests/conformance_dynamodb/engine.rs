//! An engine of a test's own, and clients of it.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use decide_once::engine::{self, Engine, EngineOptions};
use decide_once_dynamodb::{DynamoStore, TableNames, client};
use decide_once_protocol::time::Timestamp;

/// A running engine with the product's tables.
pub(crate) struct Running {
    engine: Engine,
    client: Client,
}

impl Running {
    /// On the real clock.
    pub(crate) fn start() -> Self {
        Self::at(None)
    }

    /// With a clock that shows this, in ms.
    pub(crate) fn at(start_time_ms: Option<i64>) -> Self {
        let options = EngineOptions {
            start_time_ms,
            ..EngineOptions::default()
        };
        let engine = engine::start(options).unwrap();
        engine
            .create_tables(&engine::TableNames::default())
            .unwrap();
        let client = client_at(&engine.endpoint());
        Self { engine, client }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn store(&self) -> DynamoStore {
        store(self.client.clone())
    }

    /// Moves the clock forward, and deletes what its TTL says.
    pub(crate) fn advance_to(&self, now: Timestamp) {
        let ahead = now.as_millis() - self.engine.now_ms();
        let ahead = Duration::from_millis(u64::try_from(ahead).unwrap());
        self.engine.advance(ahead).unwrap();
    }

    pub(crate) fn endpoint(&self) -> String {
        self.engine.endpoint()
    }
}

/// The product's tables behind a client.
pub(crate) fn store(client: Client) -> DynamoStore {
    DynamoStore::new(client, TableNames::default())
}

/// A client with the limits of production.
pub(crate) fn client_at(endpoint: &str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("id", "secret", None, None, "tests"))
        .endpoint_url(endpoint)
        // All clients of a process share what retries may cost, unless told otherwise.
        .retry_partition(RetryPartition::custom("a world's own").build());
    Client::from_conf(client::limited(config).build())
}
