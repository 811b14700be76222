//! No event is lost, each has one id and one content, and one effect.

use std::collections::{BTreeMap, BTreeSet};

use decide_once_protocol::json::{self, Value};
use decide_once_protocol::outbox::Delivery;

use super::evidence::Evidence;
use super::{Violation, violated};
use crate::journal::What;
use crate::policies::DECIDED;

/// The outbox has the decisions' events, and no others.
pub(super) fn commit_with_their_decision(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let mut expected = BTreeSet::new();
    for decided in evidence.decisions.values() {
        let events = (0..).zip(&decided.item.verdict.event_types);
        expected.extend(events.map(|(index, _)| decided.item.id.event(index)));
    }
    let rows: BTreeSet<_> = evidence
        .run
        .end
        .rows
        .iter()
        .map(|row| row.event.id.clone())
        .collect();
    match expected.symmetric_difference(&rows).next() {
        None => Ok(()),
        Some(event) => violated(
            "decision and events commit together",
            format!("{event} is only one half"),
        ),
    }
}

/// Each event has reached the consumers at least once, always the same, and the row says so only then.
pub(super) fn arrive_as_they_are(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let rows = &evidence.run.end.rows;
    let committed: BTreeMap<_, _> = rows
        .iter()
        .map(|row| (&row.event.id, row.event.to_cloud_event()))
        .collect();
    let mut arrived = BTreeSet::new();
    for entry in &evidence.run.entries {
        let What::Arrives(event, text) = &entry.what else {
            continue;
        };
        if committed
            .get(event)
            .is_none_or(|content| **content != **text)
        {
            return violated(
                "an event has one id and one content",
                format!("{event} arrived, which was not committed so"),
            );
        }
        arrived.insert(event);
    }
    let lost = rows.iter().find(|row| !arrived.contains(&row.event.id));
    match lost {
        None => Ok(()),
        Some(row) => {
            let marked = matches!(row.delivery, Delivery::Delivered { .. });
            let detail = format!(
                "{} has not arrived; marked delivered: {marked}",
                row.event.id
            );
            violated("no event is lost", detail)
        }
    }
}

/// Sums, counts and effects elsewhere are those of the decisions, each event counted once.
pub(super) fn have_one_effect(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let end = &evidence.run.end;
    let mut expected: BTreeMap<String, i64> = BTreeMap::new();
    for row in &end.rows {
        let (event, data) = (
            &row.event,
            json::parse(row.event.data.as_bytes()).unwrap_or(Value::Null),
        );
        let (name, by) = if event.kind == DECIDED {
            let amount = super::evidence::amount_at(&data, "/amount").unwrap_or_default();
            (format!("sum of {}", event.subject), i64::from(amount))
        } else {
            (format!("count of {}", event.subject), 1)
        };
        *expected.entry(name).or_default() += by;
    }
    if expected != end.numbers {
        let detail = format!(
            "the decisions make {expected:?}, the consumer has {:?}",
            end.numbers
        );
        return violated("an event has one effect", detail);
    }
    if end.effects != end.rows.len() {
        let detail = format!(
            "{} events had {} effects elsewhere",
            end.rows.len(),
            end.effects
        );
        return violated("an event has one effect", detail);
    }
    Ok(())
}
