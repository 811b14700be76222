//! The sink of the local stack: takes CloudEvents over HTTP, keeps them, and can be made to fail.

use std::{
    collections::BTreeMap,
    str,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    routing::{get, post},
};
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::problem::{Problem, read};
use crate::{journal::Journal, queue::Queue};

/// How long a slow sink takes: longer than a delivery that is in no trouble, shorter than any client's patience.
const SLOWNESS: Duration = Duration::from_secs(2);

/// The media type of one CloudEvent in structured mode.
const STRUCTURED: &str = "application/cloudevents+json";

/// How the sink behaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Behaviour {
    /// Takes every event.
    #[default]
    Up,
    /// Answers 503 and takes nothing.
    Down,
    /// Takes every event, after a while.
    Slow,
    /// Answers 422 and takes nothing.
    Poison,
}

#[derive(Debug, Clone)]
struct Sink {
    behaviour: Arc<Mutex<Behaviour>>,
    received: Arc<Journal>,
    /// Where a consumer gets them from.
    events: Arc<Queue>,
}

impl Sink {
    fn behaviour(&self) -> Behaviour {
        *self
            .behaviour
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn behave(&self, behaviour: Behaviour) {
        *self
            .behaviour
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = behaviour;
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    state: Behaviour,
}

/// A CloudEvent, as far as a receiver must check it (CloudEvents 1.0, required attributes).
#[derive(Debug, Deserialize)]
struct Required {
    specversion: String,
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "type")]
    _type: String,
}

/// The switch and the receiver; what it acknowledges is in `received` and on the consumer's queue by then.
pub(super) fn router(received: Arc<Journal>, events: Arc<Queue>) -> Router {
    Router::new()
        .route("/sink", get(told).post(switch))
        .route("/sink/receive", post(receive))
        .with_state(Sink {
            behaviour: Arc::default(),
            received,
            events,
        })
}

async fn told(State(sink): State<Sink>) -> Json<Value> {
    Json(json!({ "state": sink.behaviour() }))
}

async fn switch(State(sink): State<Sink>, body: Bytes) -> Result<Json<Value>, Problem> {
    let Switch { state } = read(&body)?;
    sink.behave(state);
    Ok(Json(json!({ "state": state })))
}

async fn receive(
    State(sink): State<Sink>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    match sink.behaviour() {
        Behaviour::Up => {}
        Behaviour::Down => {
            return Err(Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the sink is down",
            ));
        }
        Behaviour::Slow => tokio::time::sleep(SLOWNESS).await,
        Behaviour::Poison => {
            return Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "the sink refuses every event",
            ));
        }
    }
    if !is_structured(&headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("the sink takes {STRUCTURED}"),
        ));
    }
    let required: Required = read(&body)?;
    if required.specversion != "1.0" {
        return Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "specversion must be 1.0",
        ));
    }
    let unkept = |error: &dyn std::fmt::Display| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    };
    let event = str::from_utf8(&body).map_err(|error| unkept(&error))?;
    sink.received
        .append(event)
        .map_err(|error| unkept(&error))?;
    let attributes = BTreeMap::from([(CONTENT_TYPE.to_string(), STRUCTURED.to_owned())]);
    sink.events
        .send(event.to_owned(), attributes)
        .map_err(|error| unkept(&error))?;
    Ok(StatusCode::NO_CONTENT)
}

fn is_structured(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case(STRUCTURED))
}
