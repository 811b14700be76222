//! The conformance suite on the store in memory.

use decide_once_protocol::time::Timestamp;
use decide_once_service::memory::{Foreign, MemoryStore};
use decide_once_tests::conformance;
use decide_once_tests::conformance::Harness;

struct Memory {
    store: MemoryStore,
}

impl Harness for Memory {
    type Store = MemoryStore;

    async fn start() -> Self {
        Self {
            store: MemoryStore::new(),
        }
    }

    fn store(&self) -> MemoryStore {
        self.store.clone()
    }

    async fn plant(&self, foreign: Foreign) {
        self.store.plant(foreign);
    }

    async fn delete_expired(&self, now: Timestamp) {
        self.store.expire(now);
    }
}

conformance!(Memory);
