//! The conformance suite on the store in memory.

use decide_once_protocol::time::Timestamp;
use decide_once_service::memory::{Change, Foreign, MemoryStore};
use decide_once_tests::conformance;
use decide_once_tests::conformance::Harness;

struct Memory {
    store: MemoryStore,
}

impl Harness for Memory {
    type Store = MemoryStore;
    type Inbox = MemoryStore;

    async fn start() -> Self {
        Self {
            store: MemoryStore::new(),
        }
    }

    fn store(&self) -> MemoryStore {
        self.store.clone()
    }

    fn inbox(&self) -> MemoryStore {
        self.store.clone()
    }

    fn add(&self, name: &str, by: i64) -> Change {
        let name = name.to_owned();
        Change::Add { name, by }
    }

    fn set(&self, name: &str, seen: Option<i64>, to: i64) -> Change {
        let name = name.to_owned();
        Change::Set { name, seen, to }
    }

    async fn number(&self, name: &str) -> Option<i64> {
        self.store.number(name)
    }

    async fn plant(&self, foreign: Foreign) {
        self.store.plant(foreign);
    }

    async fn delete_expired(&self, now: Timestamp) {
        self.store.expire(now);
    }
}

conformance!(Memory);
