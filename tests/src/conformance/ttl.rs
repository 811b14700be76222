//! What DynamoDB's TTL deletes, and what it never does.

use std::time::Duration;

use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::outbox::{DELIVERED_RETENTION, Marker, OutboxRow};
use decide_once_protocol::record::EXPIRY_MARGIN;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Commit, Existing};
use decide_once_service::ports::{Marked, Outbox, Read, Store};

use super::{Harness, assert_stands, found, place, the_end};
use crate::samples::{self, NOW, at};

/// TTL is in seconds, and a store's clock runs on during a test.
const TICK: Duration = Duration::from_secs(10);

/// Never before the key is free by every clock, and never at all while it carries a request.
pub async fn a_record_is_deleted_after_its_expiry_plus_the_margin_and_not_before<H: Harness>() {
    for (name, record) in samples::records() {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &record).await;
        let Some(expiry) = record.state.key_expiry() else {
            harness.delete_expired(the_end()).await;
            assert_stands(&store, &record, found(&record)).await;
            continue;
        };
        let free = expiry.plus(EXPIRY_MARGIN);
        harness.delete_expired(free.minus(TICK)).await;
        assert_stands(&store, &record, found(&record)).await;
        harness.delete_expired(free.plus(TICK)).await;
        let stands = store.read_operation(&record.operation).await;
        assert_eq!(stands, Ok(Existing::Absent), "{name}");
    }
}

/// A decision outlives its record; one that is kept for ever outlives everything.
pub async fn a_decision_is_deleted_when_its_own_retention_ends<H: Harness>() {
    for retained_until in [Some(at(NOW + 34_560_000_000)), None] {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &samples::record(samples::processing())).await;
        let decision = DecisionItem {
            retained_until,
            ..samples::decision()
        };
        let commit = Commit {
            decision: decision.clone(),
            ..samples::commit(Vec::new())
        };
        assert_eq!(store.commit(&commit).await, Answer::Applied);
        let kept = Ok(Read::Found(Box::new(decision.clone())));
        let end = at(NOW + 34_560_000_000);
        harness.delete_expired(end.minus(TICK)).await;
        assert_eq!(store.read_decision(&decision.id).await, kept);
        harness.delete_expired(end.plus(TICK)).await;
        let after = if retained_until.is_some() {
            Ok(Read::Absent)
        } else {
            kept
        };
        assert_eq!(store.read_decision(&decision.id).await, after);
    }
}

/// However old: no committed event is lost.
pub async fn an_undelivered_or_quarantined_row_is_never_deleted<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (mine, poison) = (samples::row(0), samples::row(1));
    commit(&store, vec![mine.clone(), poison.clone()]).await;
    let first = Marker {
        since: mine.event.time,
        number: 0,
    };
    let second = Marker {
        since: poison.event.time,
        number: 1,
    };
    let quarantined = store
        .quarantine(&poison.event.id, second, "422", at(NOW))
        .await;
    assert_eq!(quarantined, Ok(Marked::Done));
    let delivered = store.mark_delivered(&mine.event.id, first, at(NOW)).await;
    assert_eq!(delivered, Ok(Marked::Done));
    assert_eq!(store.redrive(&mine.event.id, first).await, Ok(Marked::Done));
    harness.delete_expired(far()).await;
    for row in [mine, poison] {
        let read = store.read_row(&row.event.id).await;
        assert!(matches!(read, Ok(Read::Found(_))), "{read:?}");
    }
}

/// It stays for people to look at, for a while.
pub async fn a_delivered_row_is_deleted_after_its_retention<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let row = samples::row(0);
    commit(&store, vec![row.clone()]).await;
    let seen = Marker {
        since: row.event.time,
        number: 0,
    };
    let id = &row.event.id;
    assert_eq!(
        store.mark_delivered(id, seen, at(NOW)).await,
        Ok(Marked::Done)
    );
    let end = at(NOW).plus(DELIVERED_RETENTION);
    harness.delete_expired(end.minus(TICK)).await;
    assert!(matches!(store.read_row(id).await, Ok(Read::Found(_))));
    harness.delete_expired(end.plus(TICK)).await;
    assert_eq!(store.read_row(id).await, Ok(Read::Absent));
}

async fn commit(store: &impl Store, events: Vec<OutboxRow>) {
    place(store, &samples::record(samples::processing())).await;
    let commit = Commit {
        events,
        vacant_before: the_end(),
        ..samples::commit(Vec::new())
    };
    assert_eq!(store.commit(&commit).await, Answer::Applied);
}

/// Later than every TTL of the samples.
fn far() -> Timestamp {
    at(NOW + 10 * 365 * 86_400_000)
}
