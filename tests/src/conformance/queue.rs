//! The index of operations that somebody has to go on with.

use std::time::Duration;

use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::record::{Due, LANES, Record};
use decide_once_protocol::scope::{OperationId, Scope};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Seen, Transition};
use decide_once_service::ports::{Queue, Store};

use super::{Harness, place, the_end};
use crate::samples::{self, NOW, at};

/// All of them, over all lanes.
async fn due(store: &impl Queue, by: Timestamp) -> Vec<(OperationId, Due)> {
    let mut all = Vec::new();
    for lane in 0..LANES {
        all.extend(store.due(lane, None, by, 100).await.unwrap());
    }
    all
}

/// Queued at once, owned when its lease lapses, given up after a pause; without a request never.
pub async fn what_carries_a_request_is_due_by_its_state<H: Harness>() {
    for (name, record) in samples::records() {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &record).await;
        let expected = match name {
            "processing-queued" => Some(at(NOW)),
            "processing-carrying" => Some(at(NOW + 31_000)),
            "failed-retryable-carrying" => Some(record.updated.plus(Duration::from_secs(4))),
            _ => None,
        };
        let listed = due(&store, the_end()).await;
        assert_eq!(
            listed.iter().map(|(_, due)| due.at).collect::<Vec<_>>(),
            Vec::from_iter(expected),
            "{name}"
        );
        if let Some(at) = expected {
            let early = at.minus(Duration::from_millis(1));
            assert_eq!(due(&store, early).await, [], "{name}");
            assert_eq!(due(&store, at).await, listed, "{name}");
            assert_eq!(listed[0].0, record.operation);
        }
    }
}

/// The index is sparse: what is final is not in it.
pub async fn a_final_record_leaves_the_queue<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let queued = samples::queued();
    place(&store, &queued).await;
    let finished = Record {
        fence: samples::fence(1),
        ..samples::record(samples::succeeded(true))
    };
    let write = Transition {
        expected: Seen::of(&queued),
        next: finished,
    };
    assert_eq!(store.transition(&write).await, Answer::Applied);
    assert_eq!(due(&store, the_end()).await, []);
}

/// No page repeats what is on the one before, also among those that are due at one instant.
pub async fn due_operations_are_listed_by_lane_and_age_page_by_page<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let mut placed = Vec::new();
    for number in 0..24_i64 {
        let key = IdempotencyKey::parse(&format!("queued-{number}")).unwrap();
        let record = Record {
            operation: Scope {
                key,
                ..samples::scope()
            }
            .operation_id(),
            updated: at(NOW + number / 3),
            ..samples::queued()
        };
        place(&store, &record).await;
        placed.push((record.operation.clone(), record.due().unwrap()));
    }
    let mut listed = Vec::new();
    for lane in 0..LANES {
        let mut after = None;
        let mut in_lane: Vec<(OperationId, Due)> = Vec::new();
        loop {
            let page = store.due(lane, after.as_ref(), the_end(), 2).await.unwrap();
            assert!(page.len() <= 2);
            let Some(last) = page.last() else { break };
            after = Some(last.clone());
            in_lane.extend(page);
        }
        assert!(in_lane.iter().all(|(_, due)| due.lane == lane));
        assert!(in_lane.is_sorted_by_key(|(_, due)| due.at));
        listed.extend(in_lane);
    }
    let by_id = |one: &(OperationId, Due), other: &(OperationId, Due)| one.0.cmp(&other.0);
    placed.sort_by(by_id);
    listed.sort_by(by_id);
    assert_eq!(listed, placed);
}
