//! `GET /_local/events`, `GET /_local/on-failure`: what the stack keeps, in order.

use std::sync::Arc;

use axum::{Router, extract::State, routing::get};
use http::header::CONTENT_TYPE;

use crate::journal::Journal;

/// The journal at this path, as a JSON array with each text as it came.
pub(super) fn router(path: &str, journal: Arc<Journal>) -> Router {
    Router::new().route(path, get(all)).with_state(journal)
}

async fn all(State(journal): State<Arc<Journal>>) -> impl axum::response::IntoResponse {
    ([(CONTENT_TYPE, "application/json")], journal.to_json())
}
