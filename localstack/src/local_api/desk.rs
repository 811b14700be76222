//! The review desk of the local stack: an effect elsewhere. It knows a repetition by its key, as a payment provider would.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    routing::{get, post},
};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::Value;

use super::problem::{Problem, read};

/// A review that was asked for, and how often.
#[derive(Debug, Clone, Serialize)]
struct Review {
    key: String,
    calls: u32,
    review: Value,
}

type Desk = Arc<Mutex<BTreeMap<String, Review>>>;

/// Where the consumer sends to, and what came of it.
pub(super) fn router() -> Router {
    Router::new()
        .route("/reviews", get(all))
        .route("/reviews/receive", post(receive))
        .with_state(Desk::default())
}

async fn all(State(desk): State<Desk>) -> Json<Vec<Review>> {
    Json(lock(&desk).values().cloned().collect())
}

async fn receive(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let key = headers
        .get("idempotency-key")
        .and_then(|key| key.to_str().ok());
    let key = key
        .ok_or_else(|| Problem::new(StatusCode::BAD_REQUEST, "a review has an Idempotency-Key"))?;
    let review: Value = read(&body)?;
    let mut reviews = lock(&desk);
    let known = reviews.entry(key.to_owned()).or_insert_with(|| Review {
        key: key.to_owned(),
        calls: 0,
        review,
    });
    known.calls += 1;
    Ok(if known.calls == 1 {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    })
}

/// A panic elsewhere leaves it usable: a review is added last.
fn lock(desk: &Desk) -> MutexGuard<'_, BTreeMap<String, Review>> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}
