//! `/_local/store`: where to look into the tables, with any tool that speaks DynamoDB's API, and whether functions find it.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, Router, body::Bytes, routing::get};
use serde::Deserialize;
use serde_json::{Value, json};

use super::problem::{Problem, read};
use crate::{clock::LocalClock, engine::TableNames, names, proxy::Proxy};

/// Where the store is, for the functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Presence {
    /// Where it always is.
    Up,
    /// Connections are refused, and those that there were have broken off.
    Away,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    state: Presence,
}

/// Where the engine itself listens: calls of its own are neither counted nor made to fail.
/// `aheadMs` is how far the stack's time has been moved.
pub(super) fn router(
    endpoint: &str,
    tables: &TableNames,
    clock: Arc<LocalClock>,
    stores: BTreeMap<&'static str, Arc<Proxy>>,
) -> Router {
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
    // Every function's way at once.
    let moved = async move |body: Bytes| {
        let Move { state } = read(&body)?;
        for store in stores.values() {
            store.set_away(state == Presence::Away);
        }
        Ok::<_, Problem>(Json(json!({ "away": state == Presence::Away })))
    };
    Router::new().route("/store", get(told).post(moved))
}
