//! Every answer is the recorded one, for the request that it answers.

use std::collections::BTreeSet;

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::json::{self, Value};

use super::evidence::{Evidence, amount_at};
use super::{Violation, violated};
use crate::journal::Told;
use crate::weather::FURTHEST;

const fn is_success(told: &Told) -> bool {
    matches!(told.status, 200 | 201)
}

/// A success has the bytes of a decision that is in the tables, of this key and this request, while its result is kept.
pub(super) fn are_the_recorded_ones(evidence: &Evidence<'_>) -> Result<(), Violation> {
    for (at, posted, told) in &evidence.replies {
        if !is_success(told) {
            continue;
        }
        let body = json::parse(&told.body).unwrap_or(Value::Null);
        let Some(decided) = decision_of(&body).and_then(|id| evidence.decisions.get(&id)) else {
            return violated(
                "an answer is the recorded one",
                format!("nothing is recorded of what POST {posted} was told"),
            );
        };
        let id = &decided.item.id;
        if decided.bytes != *told.body {
            return violated(
                "a replay has the recorded bytes",
                format!("POST {posted} was told other bytes of {id}"),
            );
        }
        if decided.item.key.as_str() != posted.key
            || amount_at(&body, "/outcome/amount") != Some(posted.amount)
        {
            return violated(
                "an answer answers its own request",
                format!("POST {posted} was told {id}"),
            );
        }
        if decided.item.expiry.result.plus(FURTHEST) < *at {
            return violated(
                "a result is told while it is kept",
                format!("POST {posted} was told {id} too late"),
            );
        }
    }
    Ok(())
}

/// 201 is said by the worker that decided, once.
pub(super) fn one_says_created(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let mut created = BTreeSet::new();
    for (_, posted, told) in &evidence.replies {
        let body = json::parse(&told.body).unwrap_or(Value::Null);
        if told.status == 201 && !created.insert(decision_of(&body)) {
            return violated(
                "one call is told that it decided",
                format!("POST {posted} is the second one"),
            );
        }
    }
    Ok(())
}

/// `key-reused` is not said to the request that the key belongs to.
pub(super) fn matching_requests_are_not_refused(evidence: &Evidence<'_>) -> Result<(), Violation> {
    for (at, posted, told) in &evidence.replies {
        if told.code.as_deref() != Some("key-reused") {
            continue;
        }
        let own = evidence.decisions.values().find(|decided| {
            let item = decided.item;
            item.key.as_str() == posted.key
                && decided.amount == Some(posted.amount)
                && item.evaluated_at.plus(FURTHEST) < *at
                && *at < item.expiry.key.minus(FURTHEST)
        });
        if let Some(own) = own {
            return violated(
                "a key is its own request's",
                format!("POST {posted} was refused, and {} is its own", own.item.id),
            );
        }
    }
    Ok(())
}

fn decision_of(body: &Value) -> Option<DecisionId> {
    let id = body.pointer("/decisionId").and_then(Value::as_str)?;
    DecisionId::parse(id)
}
