//! `GET /_local/balances`: what the shipped consumer has made of the events, by source and subject.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, Router, extract::State, routing::get};
use http::StatusCode;
use serde_json::{Value, json};

use super::problem::Problem;
use crate::engine::Engine;

#[derive(Clone)]
struct Table {
    engine: Arc<Engine>,
    name: String,
}

/// The items of this table.
pub(super) fn router(engine: Arc<Engine>, name: String) -> Router {
    Router::new()
        .route("/balances", get(all))
        .with_state(Table { engine, name })
}

async fn all(State(table): State<Table>) -> Result<Json<Vec<Value>>, Problem> {
    let items = tokio::task::spawn_blocking(move || table.engine.items(&table.name)).await;
    let broken = |why: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, why);
    let items = items
        .map_err(|error| broken(error.to_string()))?
        .map_err(|error| broken(error.to_string()))?;
    let mut balances: Vec<_> = items.iter().map(balance).collect();
    balances.sort_by_key(|balance| {
        (
            balance["source"].to_string(),
            balance["subject"].to_string(),
        )
    });
    Ok(Json(balances))
}

fn balance(item: &Value) -> Value {
    let text = |name: &str| item[name]["S"].clone();
    // By name: the engine has them in any order, and who compares two answers means what they say.
    let mut sums = BTreeMap::new();
    for (name, value) in item.as_object().into_iter().flatten() {
        if let Some(sum) = name.strip_prefix("sum:") {
            sums.insert(sum.to_owned(), number(value));
        }
    }
    let standing = item.get("standing").map(|standing| {
        json!({ "decision": standing["S"], "sinceMs": number(&item["standingSince"]), "by": text("standingBy") })
    });
    json!({ "source": text("source"), "subject": text("subject"), "sums": sums, "standing": standing })
}

/// As a number where JSON's readers keep it whole, else as its digits.
fn number(value: &Value) -> Value {
    let digits = value["N"].as_str().unwrap_or_default();
    match digits.parse::<i64>() {
        Ok(whole) => whole.into(),
        Err(_) => digits.into(),
    }
}
