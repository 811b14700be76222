//! `/_local/faults`: make the store show a fault to a function, or a worker die or stall at a point of its path.

use std::{collections::BTreeMap, io, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    routing::{delete, post},
};
use decide_once_service::crash::{Action, POINTS};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::problem::{Problem, read};
use crate::{
    crash_points::{self, CrashPoints},
    names,
    proxy::{Proxy, StoreFault},
};

#[derive(Clone)]
struct Faults {
    stores: Arc<BTreeMap<&'static str, Arc<Proxy>>>,
    points: Arc<CrashPoints>,
}

/// `{"point":"after_commit","action":"hold","seconds":5}`; only a hold has seconds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrashPoint {
    point: String,
    action: Name,
    seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    Kill,
    Panic,
    Hold,
}

pub(super) fn router(
    stores: BTreeMap<&'static str, Arc<Proxy>>,
    points: Arc<CrashPoints>,
) -> Router {
    Router::new()
        .route("/faults", post(arm).get(list).delete(disarm))
        .route("/faults/held", delete(let_go))
        .with_state(Faults {
            stores: Arc::new(stores),
            points,
        })
}

async fn arm(State(faults): State<Faults>, body: Bytes) -> Result<Json<Value>, Problem> {
    let fault: Map<String, Value> = read(&body)?;
    if fault.contains_key("point") {
        faults.arm_point(fault)
    } else {
        faults.arm_store(fault)
    }
}

async fn list(State(faults): State<Faults>) -> Result<Json<Value>, Problem> {
    let points = faults.points.list().map_err(|error| broken(&error))?;
    let pending: BTreeMap<_, _> = faults
        .stores
        .iter()
        .map(|(function, store)| (*function, store.pending_faults()))
        .collect();
    Ok(Json(
        json!({ "armed": points.armed, "held": points.held, "pending": pending }),
    ))
}

async fn disarm(State(faults): State<Faults>) -> Result<Json<Value>, Problem> {
    for store in faults.stores.values() {
        store.clear();
    }
    faults.points.clear().map_err(|error| broken(&error))?;
    Ok(Json(json!({ "pending": 0 })))
}

async fn let_go(State(faults): State<Faults>) -> Result<Json<Value>, Problem> {
    faults.points.let_go().map_err(|error| broken(&error))?;
    Ok(Json(json!({ "held": [] })))
}

impl Faults {
    fn arm_point(&self, fault: Map<String, Value>) -> Result<Json<Value>, Problem> {
        let fault: CrashPoint =
            serde_json::from_value(fault.into()).map_err(|error| bad_request(error.to_string()))?;
        let point = crash_points::known(&fault.point)
            .ok_or_else(|| bad_request(format!("point must be one of {}", POINTS.join(", "))))?;
        let action = match (fault.action, fault.seconds) {
            (Name::Kill, None) => Action::Kill,
            (Name::Panic, None) => Action::Panic,
            (Name::Hold, seconds) => seconds
                .and_then(crash_points::hold)
                .ok_or_else(|| bad_request("a hold needs seconds, 1 to 900"))?,
            (Name::Kill | Name::Panic, Some(_)) => {
                return Err(bad_request("only a hold has seconds"));
            }
        };
        self.points
            .arm(point, action)
            .map_err(|error| broken(&error))?;
        Ok(Json(json!({ "armed": point })))
    }

    /// `{"call":…,"fault":…}` as [`StoreFault`] reads it; `"function"` says whose calls, and is `decide` if absent.
    fn arm_store(&self, mut fault: Map<String, Value>) -> Result<Json<Value>, Problem> {
        let function = match fault.remove("function") {
            Some(Value::String(function)) => function,
            None => names::DECIDE.to_owned(),
            Some(_) => return Err(bad_request("function must be a string")),
        };
        let store = self
            .stores
            .get(function.as_str())
            .ok_or_else(|| bad_request(format!("there is no function {function}")))?;
        let fault: StoreFault =
            serde_json::from_value(fault.into()).map_err(|error| bad_request(error.to_string()))?;
        store
            .arm(fault)
            .map_err(|error| bad_request(error.to_string()))?;
        Ok(Json(json!({ "pending": store.pending_faults() })))
    }
}

fn bad_request(message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, message)
}

fn broken(error: &io::Error) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
