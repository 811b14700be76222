//! One operation, one decision; and the records say so.

use std::collections::BTreeMap;

use decide_once_protocol::record::{EXPIRY_MARGIN, State};

use super::evidence::{Decided, Evidence};
use super::{Violation, violated};
use crate::plan::Kind;
use crate::policies::RESULT;
use crate::weather::FURTHEST;

/// Of two decisions of one operation the later one was made when the key of the earlier one was free, by clocks that differ.
pub(super) fn one_in_a_keys_life(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let mut of_operation: BTreeMap<_, Vec<&Decided<'_>>> = BTreeMap::new();
    for decided in evidence.decisions.values() {
        of_operation
            .entry(&decided.item.operation)
            .or_default()
            .push(decided);
    }
    for decided in of_operation.values_mut() {
        decided.sort_by_key(|decided| decided.item.evaluated_at);
        for pair in decided.windows(2) {
            let (first, second) = (pair[0].item, pair[1].item);
            let free = first.expiry.key.plus(EXPIRY_MARGIN).minus(2 * FURTHEST);
            if second.evaluated_at < free {
                let detail = format!(
                    "{} and {} are both of key {}",
                    first.id,
                    second.id,
                    first.key.as_str()
                );
                return violated("one decision in a key's life", detail);
            }
        }
    }
    Ok(())
}

/// Whoever does as the answers say has its request decided once, under whatever keys it was advised to ask. What is decided later than
/// a result is kept, by a sweeper that was away for so long, is not looked at.
pub(super) fn one_for_a_request(evidence: &Evidence<'_>) -> Result<(), Violation> {
    for asked in evidence.asked() {
        let (from, to) = (asked.first.minus(RESULT), asked.last.plus(RESULT));
        let mut decided = evidence.decisions.values().filter(|decided| {
            let item = decided.item;
            decided.amount == Some(asked.amount)
                && asked.keys.contains(item.key.as_str())
                && (from..to).contains(&item.evaluated_at)
        });
        let first = decided.next();
        let second =
            decided.find(|second| first.is_some_and(|first| first.item.key != second.item.key));
        if let (Some(first), Some(second)) = (first, second) {
            let (first, second) = (first.item, second.item);
            let detail = format!(
                "{} under {} and {} under {}",
                first.id,
                first.key.as_str(),
                second.id,
                second.key.as_str()
            );
            return violated("retrying as advised is no second decision", detail);
        }
    }
    Ok(())
}

/// A natural key that is kept for ever has one decision for ever.
pub(super) fn one_for_an_order(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let mut holders = BTreeMap::new();
    for decided in evidence.decisions.values() {
        let request = decided.amount.and_then(|amount| evidence.request(amount));
        if let Some(Kind::Order(order)) = request.map(|request| request.kind)
            && let Some(other) = holders.insert(order, &decided.item.id)
        {
            let detail = format!("order {order} has {other} and {}", decided.item.id);
            return violated("one decision for a natural key", detail);
        }
    }
    Ok(())
}

/// A record that succeeded names a decision, with its digest.
pub(super) fn records_agree(evidence: &Evidence<'_>) -> Result<(), Violation> {
    for record in &evidence.run.end.operations {
        let State::Succeeded { answer, .. } = &record.state else {
            continue;
        };
        let decided = evidence.decisions.get(&record.decision);
        let agrees = decided.is_some_and(|decided| {
            decided.item.operation == record.operation
                && decided.item.render().digest == answer.digest
        });
        if !agrees {
            let detail = format!(
                "{} does not agree with {}",
                record.operation, record.decision
            );
            return violated("record and decision commit together", detail);
        }
    }
    Ok(())
}
