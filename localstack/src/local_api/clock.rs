//! `/_local/clock`: let time pass, and tell it.

use std::{sync::Arc, time::Duration};

use axum::{Json, Router, body::Bytes, extract::State, routing::get};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::problem::{Problem, read};
use crate::{clock::LocalClock, engine::Engine};

/// The longest move, a century: beyond any retention, and no sum of them overflows within a life.
const LONGEST_SECONDS: u64 = 100 * 366 * 24 * 3_600;

#[derive(Clone)]
struct Clocks {
    engine: Arc<Engine>,
    stack: Arc<LocalClock>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Move {
    advance_seconds: u64,
}

pub(super) fn router(engine: Arc<Engine>, stack: Arc<LocalClock>) -> Router {
    Router::new()
        .route("/clock", get(told).post(advance))
        .with_state(Clocks { engine, stack })
}

async fn told(State(clocks): State<Clocks>) -> Json<Value> {
    let offset_ms = clocks.stack.ahead_ms();
    Json(json!({ "nowMs": clocks.stack.time().now_ms(), "offsetMs": offset_ms }))
}

/// What has expired by then is deleted when this answers, as DynamoDB would delete it sooner or later; with a data directory the engine
/// goes by the real time and deletes it when that has come.
async fn advance(State(clocks): State<Clocks>, body: Bytes) -> Result<Json<Value>, Problem> {
    let Move { advance_seconds } = read(&body)?;
    if advance_seconds > LONGEST_SECONDS {
        return Err(Problem::new(
            StatusCode::BAD_REQUEST,
            format!("advanceSeconds can be at most {LONGEST_SECONDS}"),
        ));
    }
    let by = Duration::from_secs(advance_seconds);
    let moved = tokio::task::spawn_blocking(move || {
        let offset_ms = clocks
            .stack
            .advance(by)
            .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        if let Err(error) = clocks.engine.sweep_ttl() {
            tracing::warn!(%error, "items past their TTL stay until the next sweep");
        }
        Ok(json!({ "nowMs": clocks.stack.time().now_ms(), "offsetMs": offset_ms }))
    });
    match moved.await {
        Ok(result) => result.map(Json),
        Err(error) => Err(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            error.to_string(),
        )),
    }
}
