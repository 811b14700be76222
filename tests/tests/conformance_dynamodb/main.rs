//! The conformance suite on DynamoDB's API: the adapter, the unchanged SDK, and an engine of each test's own.

#![expect(clippy::unwrap_used, reason = "tests")]

mod cases;
mod engine;
mod numbers;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::TransactWriteItem;
use decide_once_dynamodb::{DynamoInbox, DynamoStore};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Unreadable;
use decide_once_service::memory::Foreign;
use decide_once_tests::conformance::Harness;
use decide_once_tests::{conformance, samples};
use engine::Running;

struct DynamoDb {
    running: Running,
}

impl Harness for DynamoDb {
    type Store = DynamoStore;
    type Inbox = DynamoInbox;

    async fn start() -> Self {
        let running = Running::at(Some(samples::NOW));
        Self { running }
    }

    fn store(&self) -> DynamoStore {
        self.running.store()
    }

    fn inbox(&self) -> DynamoInbox {
        DynamoInbox::new(self.running.client().clone(), "inbox".to_owned())
    }

    fn add(&self, name: &str, by: i64) -> Vec<TransactWriteItem> {
        numbers::add(name, by)
    }

    fn set(&self, name: &str, seen: Option<i64>, to: i64) -> Vec<TransactWriteItem> {
        numbers::set(name, seen, to)
    }

    async fn number(&self, name: &str) -> Option<i64> {
        numbers::read(self.running.client(), name).await
    }

    async fn plant(&self, foreign: Foreign) {
        let (table, key, id, why) = match &foreign {
            Foreign::Operation(id, why) => ("operations", "op", id.as_str(), why),
            Foreign::Decision(id, why) => ("decisions", "id", id.as_str(), why),
            Foreign::Row(id, why) => ("outbox", "event", id.as_str(), why),
            Foreign::Mark(id, why) => ("inbox", "id", id.as_str(), why),
        };
        // A corrupt item has its key and version only: the first attribute that is read after them is missing.
        let version = match why {
            Unreadable::Newer { version } => *version,
            Unreadable::Corrupt { .. } => 1,
        };
        let put = self.running.client().put_item().table_name(table);
        put.item(key, AttributeValue::S(id.to_owned()))
            .item("v", AttributeValue::N(version.to_string()))
            .send()
            .await
            .unwrap();
    }

    async fn delete_expired(&self, now: Timestamp) {
        self.running.advance_to(now);
    }
}

conformance!(DynamoDb);
