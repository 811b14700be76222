//! `POST /_local/bus`: an event of EventBridge whose rule names the intake function, without a queue in between.
//!
//! Lambda invokes it asynchronously: tried again twice, and then the on-failure destination has the event
//! (<https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html>). The answer waits for the end of that, so that whoever
//! sends knows; and the waits of a minute and two are fractions of a second.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::{Json, Router, body::Bytes, extract::State, routing::post};
use http::StatusCode;
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use super::problem::{Problem, read};
use crate::{names, queue::Queue, runtime_api::Invoker};

/// Between the attempts.
const WAITS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(400)];

/// How long an attempt waits for a process, and for its answer.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone)]
struct Bus {
    invoker: Invoker,
    on_failure: Arc<Queue>,
}

/// The bus; what it gives up is in `on_failure`.
pub(super) fn router(invoker: Invoker, on_failure: Arc<Queue>) -> Router {
    Router::new().route("/bus", post(put)).with_state(Bus {
        invoker,
        on_failure,
    })
}

/// The envelope's members as they are, the detail byte for byte; what is absent is made up.
async fn put(State(bus): State<Bus>, body: Bytes) -> Result<(StatusCode, Json<Value>), Problem> {
    let given: Map<String, Value> = read(&body)?;
    let bad = |why: &str| Problem::new(StatusCode::BAD_REQUEST, why);
    if !given.contains_key("detail") {
        return Err(bad("an event has a detail"));
    }
    let mut event = String::from_utf8(body.to_vec()).map_err(|_| bad("an event is UTF-8"))?;
    let made_up = json!({
        "version": "0", "id": Uuid::new_v4().to_string(), "detail-type": "decision request", "source": "local",
        "account": names::ACCOUNT, "region": names::REGION, "resources": [],
    });
    for (name, value) in made_up.as_object().into_iter().flatten() {
        if !given.contains_key(name) {
            event = format!(
                r#"{{"{name}":{value},{}"#,
                event.trim_start().trim_start_matches('{')
            );
        }
    }
    let mut attempts = 0;
    loop {
        attempts += 1;
        let payload = Bytes::from(event.clone());
        match bus.invoker.invoke(names::INTAKE, payload, PATIENCE).await {
            Ok(_) => return Ok((StatusCode::OK, Json(json!({ "attempts": attempts })))),
            Err(error) => tracing::warn!("an event of the bus failed: {error}"),
        }
        let Some(wait) = WAITS.get(attempts - 1) else {
            break;
        };
        sleep(*wait).await;
    }
    let kept = bus.on_failure.send(event, BTreeMap::new());
    kept.map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let told = json!({ "attempts": attempts, "onFailure": bus.on_failure.name() });
    Ok((StatusCode::BAD_GATEWAY, Json(told)))
}
