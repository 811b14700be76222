//! Another system, with effects of its own: it knows a repetition by its key, as `docs/consumers.md` asks of it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What was asked of it.
#[derive(Debug, Default)]
pub(crate) struct Desk(Mutex<BTreeSet<String>>);

impl Desk {
    /// Has an effect; false if it was had under this key before.
    pub(crate) fn has(&self, key: &str) -> bool {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.to_owned())
    }

    /// How many effects were had.
    pub(crate) fn effects(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
