//! Which processes run, for `GET /_local/metrics`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde::Serialize;

/// What runs in one slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProcessStatus {
    /// The function.
    pub function: &'static str,
    /// The process, or the last one if the next has not started yet.
    pub pid: u32,
    /// How many processes this slot had before.
    pub restarts: u32,
}

/// All slots' processes, by function and number.
#[derive(Debug, Clone, Default)]
pub(super) struct Statuses(Arc<Mutex<BTreeMap<(&'static str, usize), ProcessStatus>>>);

impl Statuses {
    pub(super) fn started(&self, function: &'static str, slot: usize, pid: Option<u32>) {
        let pid = pid.unwrap_or_default(); // none: it has exited already
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry((function, slot))
            .and_modify(|status| {
                status.pid = pid;
                status.restarts += 1;
            })
            .or_insert(ProcessStatus {
                function,
                pid,
                restarts: 0,
            });
    }

    pub(super) fn list(&self) -> Vec<ProcessStatus> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }
}
