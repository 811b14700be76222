//! `GET /_local/store`: where to look into the tables, with any tool that speaks DynamoDB's API.

use std::sync::Arc;

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};

use crate::{clock::LocalClock, engine::TableNames, names};

/// Where the engine itself listens: calls of its own are neither counted nor made to fail.
/// `aheadMs` is how far the stack's time has been moved.
pub(super) fn router(endpoint: &str, tables: &TableNames, clock: Arc<LocalClock>) -> Router {
    let store = json!({
        "endpoint": endpoint,
        "region": names::REGION,
        "tables": {
            "operations": tables.operations,
            "decisions": tables.decisions,
            "outbox": tables.outbox,
            "inbox": tables.inbox,
            "balances": tables.balances,
        },
    });
    let told = async move || {
        let mut store = store;
        store["aheadMs"] = clock.ahead_ms().into();
        Json::<Value>(store)
    };
    Router::new().route("/store", get(told))
}
