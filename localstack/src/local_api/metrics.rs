//! `GET /_local/metrics`: what the store was asked to do, and what runs.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, Router, extract::State, routing::get};
use serde::Serialize;
use serde_json::Value;

use super::queues;
use crate::{
    front::{LastRequest, Meter},
    processes::ProcessStatus,
    proxy::{Counted, Proxy},
    pump::PumpState,
    queue::{MappingState, Queue, QueueState},
    runtime_api::{Functions, Load},
    stack::Schedule,
};

#[derive(Clone)]
struct Sources {
    stores: BTreeMap<&'static str, Arc<Proxy>>,
    meter: Meter,
    functions: Arc<Functions>,
    views: Views,
}

/// What runs, each as it is when asked.
#[derive(Clone)]
pub(crate) struct Views {
    pub(crate) processes: Arc<dyn Fn() -> Vec<ProcessStatus> + Send + Sync>,
    /// The mappings from streams, by function.
    pub(crate) streams: BTreeMap<&'static str, StreamView>,
    /// The queues by name, and the mappings from them by function.
    pub(crate) queues: Arc<BTreeMap<&'static str, Arc<Queue>>>,
    pub(crate) fed: BTreeMap<&'static str, FedView>,
    /// The schedule of the sweeps.
    pub(crate) sweeps: Arc<Schedule>,
}

/// How far a mapping is.
pub(crate) type StreamView = Arc<dyn Fn() -> PumpState + Send + Sync>;

/// What a mapping from a queue has done.
pub(crate) type FedView = Arc<dyn Fn() -> MappingState + Send + Sync>;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    /// Store calls since the start by API operation, of all functions together.
    dynamodb: BTreeMap<String, Counted>,
    /// The same by function.
    dynamodb_by_function: BTreeMap<&'static str, BTreeMap<String, Counted>>,
    /// `null` before the first request has been answered.
    last_request: Option<LastRequest>,
    functions: BTreeMap<&'static str, Load>,
    processes: Vec<ProcessStatus>,
    /// Mappings from streams, by function.
    streams: BTreeMap<&'static str, PumpState>,
    /// How each queue stands.
    queues: BTreeMap<&'static str, QueueState>,
    /// Mappings from queues, by function.
    fed: BTreeMap<&'static str, MappingState>,
    /// What the last sweep found and did; `null` before the first one.
    last_sweep: Option<Value>,
}

pub(super) fn router(
    stores: BTreeMap<&'static str, Arc<Proxy>>,
    meter: Meter,
    functions: Arc<Functions>,
    views: Views,
) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(Sources {
            stores,
            meter,
            functions,
            views,
        })
}

async fn metrics(State(sources): State<Sources>) -> Json<Metrics> {
    let by_function: BTreeMap<_, _> = sources
        .stores
        .iter()
        .map(|(function, store)| (*function, store.since_start().by_operation))
        .collect();
    let mut all = BTreeMap::<String, Counted>::new();
    for (operation, counted) in by_function.values().flatten() {
        let sum = all.entry(operation.clone()).or_default();
        sum.calls += counted.calls;
        sum.request_bytes += counted.request_bytes;
    }
    Json(Metrics {
        dynamodb: all,
        dynamodb_by_function: by_function,
        last_request: sources.meter.last(),
        functions: sources.functions.load(),
        processes: (sources.views.processes)(),
        last_sweep: sources.views.sweeps.last(),
        queues: queues::states(&sources.views.queues),
        fed: sources
            .views
            .fed
            .iter()
            .map(|(function, view)| (*function, view()))
            .collect(),
        streams: sources
            .views
            .streams
            .iter()
            .map(|(function, view)| (*function, view()))
            .collect(),
    })
}
