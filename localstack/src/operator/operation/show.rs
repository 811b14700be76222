//! `operation show`: everything that stands of one operation, but for what its caller said.

use decide_once_protocol::hash;
use decide_once_protocol::json::{self, Value};
use decide_once_protocol::record::{Expiry, Hold, Record, State};
use decide_once_protocol::scope::{DECIDE, OperationId, OperationName, Scope};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Existing;
use decide_once_service::ports::{Read, Store as _};

use super::{read, standing};
use crate::operator::{
    Ended, OperatorError, args::ShowOperationArgs, connection::Connection, fields::Fields,
    screen::Screen, span, unreadable::unreadable,
};

pub(in crate::operator) async fn run(
    connection: &Connection,
    asked: &ShowOperationArgs,
    screen: &Screen,
) -> Result<Ended, OperatorError> {
    let Some(id) = wanted(asked) else {
        // Clap asks for one or the other.
        return Ok(Ended::Short);
    };
    match read(connection, &id).await? {
        Existing::Found(record) => {
            let now = connection.now();
            let mut fields = Fields::default();
            state(&record, now, &mut fields);
            expiries(&record, now, &mut fields);
            if asked.facts {
                facts(connection, &record, &mut fields).await?;
            }
            fields.show(screen)?;
            Ok(Ended::Well)
        }
        Existing::Absent => {
            eprintln!(
                "decide-once: there is no operation {id}: nobody has asked under this key, or its retention has ended"
            );
            Ok(Ended::Short)
        }
        Existing::Unreadable(why) => {
            eprintln!("decide-once: the operation {id} {}", unreadable(&why));
            Ok(Ended::Short)
        }
    }
}

/// By its id, or by what the id is the hash of.
fn wanted(asked: &ShowOperationArgs) -> Option<OperationId> {
    if let Some(id) = &asked.operation {
        return Some(id.clone());
    }
    let scope = Scope {
        tenant: asked.tenant.clone()?,
        operation: OperationName::parse(DECIDE).ok()?,
        key: asked.key.clone()?,
    };
    Some(scope.operation_id())
}

fn state(record: &Record, now: Timestamp, fields: &mut Fields) {
    let ago = |at: Timestamp| format!("{} ago", span::show(at.until(now)));
    fields.add("operation", "operationId", record.operation.as_str());
    fields.add("state", "state", record.state.name().as_str());
    fields.add("standing", "standing", standing(record, now));
    let attempts = record.fence.attempt;
    let note = match record.forgiven {
        0 => attempts.to_string(),
        forgiven => format!("{attempts}, of which {forgiven} do not count: the store failed"),
    };
    fields.add_as(
        "attempts",
        note,
        "attempts",
        Value::from(i64::from(attempts)),
    );
    fields.instant("created", "createdAt", record.created, &ago(record.created));
    fields.instant("updated", "updatedAt", record.updated, &ago(record.updated));
    match &record.state {
        State::Processing {
            hold: Hold::Leased(until),
            ..
        } => {
            let note = if now < *until { "live" } else { "lapsed" };
            fields.instant("lease", "leaseExpiresAt", *until, note);
        }
        State::FailedRetryable { cause, .. } => fields.add("given up", "cause", cause.as_str()),
        State::FailedFinal { failure, .. } => {
            fields.add("failure", "failure", failure.code.as_str());
            fields.add("detail", "detail", &failure.detail);
        }
        State::Processing {
            hold: Hold::Queued, ..
        }
        | State::Succeeded { .. } => {}
    }
    if let Some(due) = record.due() {
        let note = if due.at <= now {
            format!("due for {}", span::show(due.at.until(now)))
        } else {
            format!("in {}", span::show(now.until(due.at)))
        };
        fields.add_as(
            "queue lane",
            due.lane.to_string(),
            "lane",
            Value::from(i64::from(due.lane)),
        );
        fields.instant("due", "dueAt", due.at, &note);
    }
    let decided = matches!(record.state, State::Succeeded { .. });
    let note = if decided {
        record.decision.to_string()
    } else {
        format!("{}  (its name, if it is ever made)", record.decision)
    };
    let id = Value::from(record.decision.as_str());
    fields.add_as("decision", note, "decisionId", id);
    fields.add("policy", "policy", record.pin.id.as_str());
    let version = record.pin.version.get();
    fields.add_as(
        "policy version",
        version.to_string(),
        "policyVersion",
        Value::from(i64::from(version)),
    );
    let digest = format!("sha256:{}", hash::hex(&record.pin.digest));
    fields.add("policy digest", "policyDigest", &digest);
}

fn expiries(record: &Record, now: Timestamp, fields: &mut Fields) {
    let note = |at: Timestamp| {
        if at <= now {
            "passed".to_owned()
        } else {
            format!("in {}", span::show(now.until(at)))
        }
    };
    let expiry = match &record.state {
        State::Succeeded { expiry, .. } | State::FailedFinal { expiry, .. } => {
            let result = expiry.result;
            fields.instant("result until", "resultExpiresAt", result, &note(result));
            Some(*expiry)
        }
        State::Processing { .. } | State::FailedRetryable { .. } => {
            let key = record.state.key_expiry();
            key.map(|key| Expiry { result: key, key })
        }
    };
    match expiry {
        Some(expiry) => {
            let (key, free) = (expiry.key, expiry.free_from());
            fields.instant("key until", "keyRetiredUntil", key, &note(key));
            fields.instant("key free from", "keyFreeFrom", free, &note(free));
        }
        None => fields.add_as(
            "key until",
            "it is final, however long that takes".to_owned(),
            "keyRetiredUntil",
            Value::Null,
        ),
    }
}

/// What its caller said and was told, as far as it is kept: the request while it is carried, the decision once there is one.
async fn facts(
    connection: &Connection,
    record: &Record,
    fields: &mut Fields,
) -> Result<(), OperatorError> {
    fields.add("tenant", "tenant", record.tenant.as_str());
    if let Some(carried) = record.carried() {
        let (key, body) = carried.parts();
        fields.add("key", "key", key.as_str());
        let value = json::parse(body.as_bytes()).unwrap_or(Value::Null);
        fields.add_as("request", body.to_owned(), "request", value);
    }
    if matches!(record.state, State::Succeeded { .. }) {
        let read = connection.store.read_decision(&record.decision).await;
        let read = read.map_err(|error| connection.decisions().failed(error))?;
        if let Read::Found(decision) = read {
            let body = decision.render().bytes;
            let value = json::parse(&body).unwrap_or(Value::Null);
            let text = String::from_utf8_lossy(&body).into_owned();
            fields.add_as("answer", text, "answer", value);
        }
    }
    Ok(())
}
