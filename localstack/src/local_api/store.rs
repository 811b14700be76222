//! `GET /_local/store`: where to look into the tables, with any tool that speaks DynamoDB's API.

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};

use crate::{engine::TableNames, names};

/// Where the engine itself listens: calls of its own are neither counted nor made to fail.
pub(super) fn router(endpoint: &str, tables: &TableNames) -> Router {
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
    Router::new().route("/store", get(async move || Json::<Value>(store)))
}
