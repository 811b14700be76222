//! `/_local/queues`: what waits, what failed, and a way in.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    routing::{get, post},
};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::problem::Problem;
use crate::queue::{Delivered, Queue, QueueState};

/// The header of a decision request, as the message attribute of the same name.
const KEY: &str = "Idempotency-Key";

type Queues = Arc<BTreeMap<&'static str, Arc<Queue>>>;

/// All queues by name.
pub(super) fn router(queues: Queues) -> Router {
    Router::new()
        .route("/queues", get(all))
        .route("/queues/{name}", get(messages).post(send))
        .route("/queues/{name}/redrive", post(redrive))
        .with_state(queues)
}

async fn all(State(queues): State<Queues>) -> Json<BTreeMap<&'static str, QueueState>> {
    Json(states(&queues))
}

/// How each stands.
pub(super) fn states(
    queues: &BTreeMap<&'static str, Arc<Queue>>,
) -> BTreeMap<&'static str, QueueState> {
    let queues = queues.iter();
    queues.map(|(name, queue)| (*name, queue.state())).collect()
}

async fn messages(
    State(queues): State<Queues>,
    Path(name): Path<String>,
) -> Result<Json<Vec<Value>>, Problem> {
    let messages = find(&queues, &name)?.messages();
    Ok(Json(messages.into_iter().map(shown).collect()))
}

fn shown(delivered: Delivered) -> Value {
    let Delivered {
        message, receives, ..
    } = delivered;
    json!({
        "messageId": message.id,
        "receives": receives,
        "sentMs": message.sent_ms,
        "attributes": message.attributes,
        "body": message.body,
    })
}

/// The body as it is; the key, if there is one, as a message attribute.
async fn send(
    State(queues): State<Queues>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let queue = find(&queues, &name)?;
    let bad = |what: &str| Problem::new(StatusCode::BAD_REQUEST, what);
    let body = String::from_utf8(body.to_vec()).map_err(|_| bad("a message is UTF-8"))?;
    if body.is_empty() {
        return Err(bad("a message is not empty"));
    }
    let mut attributes = BTreeMap::new();
    // Several lines are one list, as for HTTP; what a list is worth is said by whoever reads the message.
    let keys: Result<Vec<_>, _> = headers
        .get_all(KEY)
        .iter()
        .map(|key| key.to_str())
        .collect();
    let keys = keys.map_err(|_| bad("the key is not ASCII"))?;
    if !keys.is_empty() {
        attributes.insert(KEY.to_owned(), keys.join(", "));
    }
    let id = queue
        .send(body, attributes)
        .map_err(|error| broken(&error))?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "messageId": id }))))
}

async fn redrive(
    State(queues): State<Queues>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Problem> {
    let queue = find(&queues, &name)?;
    if queue.state().dead_letter_queue.is_none() {
        let owner = name.trim_end_matches("-dead");
        let message = format!("{name} has no dead-letter queue of its own; redrive {owner}");
        return Err(Problem::new(StatusCode::CONFLICT, message));
    }
    let moved = queue.redrive();
    let moved = moved.map_err(|error| broken(&error))?;
    Ok(Json(json!({ "redriven": moved })))
}

fn find<'a>(queues: &'a Queues, name: &str) -> Result<&'a Arc<Queue>, Problem> {
    queues.get(name).ok_or_else(|| {
        let known: Vec<_> = queues.keys().copied().collect();
        let message = format!("there is no queue {name}; there are {}", known.join(", "));
        Problem::new(StatusCode::NOT_FOUND, message)
    })
}

fn broken(error: &std::io::Error) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
