//! What the last request cost at the store, for `GET /_local/metrics`.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::proxy::{Calls, Mark, Proxy};

/// The store calls between the arrival of the request that was answered last, and its answer.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRequest {
    /// `apigw-requestid` of its answer.
    pub request_id: String,
    /// Status of its answer.
    pub status: u16,
    /// Whether others were under way at the same time: then `calls` holds theirs, too.
    pub overlapped: bool,
    /// Calls and request bytes.
    pub calls: Calls,
}

/// Takes the measure of request after request.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    store: Arc<Proxy>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    started: u64,
    under_way: u64,
    last: Option<LastRequest>,
}

/// A request under way. Its end counts whether or not it is answered.
#[derive(Debug)]
pub(super) struct Measured {
    meter: Meter,
    mark: Mark,
    /// How many had started with it, and whether it was alone then.
    started: u64,
    alone: bool,
}

impl Meter {
    pub(crate) fn new(store: Arc<Proxy>) -> Self {
        Self {
            store,
            state: Arc::default(),
        }
    }

    pub(crate) fn last(&self) -> Option<LastRequest> {
        self.with_state(|state| state.last.clone())
    }

    pub(super) fn begin(&self) -> Measured {
        let (started, alone) = self.with_state(|state| {
            state.started += 1;
            state.under_way += 1;
            (state.started, state.under_way == 1)
        });
        Measured {
            meter: self.clone(),
            mark: self.store.mark(),
            started,
            alone,
        }
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Measured {
    pub(super) fn answered(self, request_id: String, status: u16) {
        let calls = self.meter.store.since(&self.mark);
        self.meter.with_state(|state| {
            state.last = Some(LastRequest {
                request_id,
                status,
                overlapped: !self.alone || state.started != self.started,
                calls,
            });
        });
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        self.meter.with_state(|state| state.under_way -= 1);
    }
}
