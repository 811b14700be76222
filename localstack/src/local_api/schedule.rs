//! `POST /_local/schedules/sweep`: a turn of the schedule, now.

use std::sync::Arc;

use axum::{Json, Router, extract::State, routing::post};
use http::StatusCode;
use serde_json::Value;

use super::problem::Problem;
use crate::stack::Schedule;

pub(super) fn router(schedule: Arc<Schedule>) -> Router {
    Router::new()
        .route("/schedules/sweep", post(sweep))
        .with_state(schedule)
}

/// What the function answers: what it found and did.
async fn sweep(State(schedule): State<Arc<Schedule>>) -> Result<Json<Value>, Problem> {
    let answer = schedule.fire().await.map_err(|error| {
        let detail = format!("{error}; what it did until then is done");
        Problem::new(StatusCode::BAD_GATEWAY, detail)
    })?;
    serde_json::from_slice(&answer)
        .map(Json)
        .map_err(|error| Problem::new(StatusCode::BAD_GATEWAY, error.to_string()))
}
