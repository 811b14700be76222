//! An engine of a test's own, and clients of it.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use decide_once::engine::{self, Engine, EngineOptions};
use decide_once_dynamodb::{DynamoStore, TableNames, client};

/// A running engine with the product's tables.
pub(crate) struct Running {
    engine: Engine,
    client: Client,
}

impl Running {
    pub(crate) fn start() -> Self {
        let engine = engine::start(EngineOptions::default()).unwrap();
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
        .endpoint_url(endpoint);
    Client::from_conf(client::limited(config).build())
}
