//! `/_local/faults`: make the store show a fault to a function.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, Router, body::Bytes, extract::State, routing::post};
use http::StatusCode;
use serde_json::{Value, json};

use super::problem::{Problem, read};
use crate::{
    names,
    proxy::{Proxy, StoreFault},
};

type Stores = Arc<BTreeMap<&'static str, Arc<Proxy>>>;

pub(super) fn router(stores: BTreeMap<&'static str, Arc<Proxy>>) -> Router {
    Router::new()
        .route("/faults", post(arm).delete(disarm))
        .with_state(Arc::new(stores))
}

/// `{"call":…,"fault":…}` as [`StoreFault`] reads it; `"function"` says whose calls, and is `decide` if absent.
async fn arm(State(stores): State<Stores>, body: Bytes) -> Result<Json<Value>, Problem> {
    let mut fault: serde_json::Map<String, Value> = read(&body)?;
    let function = match fault.remove("function") {
        Some(Value::String(function)) => function,
        None => names::DECIDE.to_owned(),
        Some(_) => return Err(bad_request("function must be a string")),
    };
    let store = stores
        .get(function.as_str())
        .ok_or_else(|| bad_request(format!("there is no function {function}")))?;
    let fault: StoreFault =
        serde_json::from_value(fault.into()).map_err(|error| bad_request(error.to_string()))?;
    store
        .arm(fault)
        .map_err(|error| bad_request(error.to_string()))?;
    Ok(Json(json!({ "pending": store.pending_faults() })))
}

async fn disarm(State(stores): State<Stores>) -> Json<Value> {
    for store in stores.values() {
        store.clear();
    }
    Json(json!({ "pending": 0 }))
}

fn bad_request(message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, message)
}
