//! Counters of mismatches in memory.

use decide_once_protocol::scope::Tenant;

use super::MemoryStore;
use crate::limits::Window;
use crate::ports::{Mismatches, StoreError};

impl Mismatches for MemoryStore {
    async fn add_mismatches(
        &self,
        tenant: &Tenant,
        window: Window,
        count: u32,
    ) -> Result<u32, StoreError> {
        let mut contents = self.lock();
        let (total, _) = contents
            .mismatches
            .entry(window.counter(tenant))
            .or_insert((0, window.end()));
        *total = total.saturating_add(count);
        Ok(*total)
    }
}
