//! Marks of outbox rows, and the listing of what is undelivered.

use decide_once_protocol::ids::{DecisionId, EventId};
use decide_once_protocol::outbox::{Delivery, Event, Marker, OutboxRow, SHARDS, shard_of};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Commit};
use decide_once_service::ports::{Marked, Outbox, Read, Store};

use super::{Harness, place, the_end};
use crate::samples::{self, NOW, at};

/// Puts these rows, by a commit.
async fn commit(store: &impl Store, events: Vec<OutboxRow>) {
    place(store, &samples::record(samples::processing())).await;
    let commit = Commit {
        events,
        ..samples::commit(Vec::new())
    };
    assert_eq!(store.commit(&commit).await, Answer::Applied);
}

/// A store with the one undelivered row, and its marker.
async fn one_row(store: &impl Store) -> (OutboxRow, Marker) {
    let row = samples::row(0);
    commit(store, vec![row.clone()]).await;
    let Delivery::Undelivered(marker) = row.delivery else {
        panic!("a row begins undelivered");
    };
    (row, marker)
}

async fn assert_stands_at(store: &impl Outbox, row: &OutboxRow, delivery: Delivery) {
    let expected = OutboxRow {
        delivery,
        ..row.clone()
    };
    let read = store.read_row(&row.event.id).await;
    assert_eq!(read, Ok(Read::Found(Box::new(expected))));
}

async fn undelivered(store: &impl Outbox) -> Vec<EventId> {
    let mut all = Vec::new();
    for shard in 0..SHARDS {
        let before = marker(the_end(), 0);
        let found = store.undelivered(shard, None, before, 100).await.unwrap();
        all.extend(found.into_iter().map(|(event, _)| event));
    }
    all
}

const fn marker(since: Timestamp, number: u32) -> Marker {
    Marker { since, number }
}

fn quarantined() -> Delivery {
    Delivery::Quarantined {
        since: at(NOW + 5_000),
        reason: "422 from the sink".to_owned(),
    }
}

/// The sink acknowledged it.
pub async fn a_delivered_row_is_no_longer_undelivered<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (row, seen) = one_row(&store).await;
    let id = &row.event.id;
    assert_eq!(
        undelivered(&store).await.as_slice(),
        std::slice::from_ref(id)
    );
    let at = at(NOW + 5_000);
    assert_eq!(store.mark_delivered(id, seen, at).await, Ok(Marked::Done));
    assert_stands_at(&store, &row, Delivery::Delivered { at }).await;
    assert_eq!(undelivered(&store).await, []);
}

/// Its sink will never take it.
pub async fn a_quarantined_row_keeps_its_reason_and_leaves_the_index<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (row, seen) = one_row(&store).await;
    let marked = store
        .quarantine(&row.event.id, seen, "422 from the sink", at(NOW + 5_000))
        .await;
    assert_eq!(marked, Ok(Marked::Done));
    assert_stands_at(&store, &row, quarantined()).await;
    assert_eq!(undelivered(&store).await, []);
}

/// Undelivered, delivered or quarantined.
pub async fn a_row_is_redriven_from_wherever_it_stands<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (row, first) = one_row(&store).await;
    let id = &row.event.id;
    let (second, third) = (marker(at(NOW + 6_000), 1), marker(at(NOW + 7_000), 2));
    let fourth = marker(at(NOW + 8_000), 3);
    assert_eq!(store.redrive(id, second).await, Ok(Marked::Done));
    assert_stands_at(&store, &row, Delivery::Undelivered(second)).await;
    let old = store.mark_delivered(id, first, at(NOW)).await;
    assert_eq!(
        old,
        Ok(Marked::NotThere),
        "the marker that it had before is old"
    );

    assert_eq!(
        store.mark_delivered(id, second, at(NOW)).await,
        Ok(Marked::Done)
    );
    assert_eq!(store.redrive(id, third).await, Ok(Marked::Done));
    assert_stands_at(&store, &row, Delivery::Undelivered(third)).await;

    let reason = "422 from the sink";
    assert_eq!(
        store.quarantine(id, third, reason, at(NOW)).await,
        Ok(Marked::Done)
    );
    assert_eq!(store.redrive(id, fourth).await, Ok(Marked::Done));
    assert_stands_at(&store, &row, Delivery::Undelivered(fourth)).await;
    assert_eq!(
        undelivered(&store).await.as_slice(),
        std::slice::from_ref(id)
    );
}

/// Somebody delivered, quarantined or redrove it meanwhile.
pub async fn a_mark_with_an_old_marker_changes_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (row, seen) = one_row(&store).await;
    let id = &row.event.id;
    let other = marker(seen.since, seen.number + 1);
    let late = at(NOW + 9_000);
    assert_eq!(
        store.mark_delivered(id, other, late).await,
        Ok(Marked::NotThere)
    );
    assert_eq!(
        store.quarantine(id, other, "late", late).await,
        Ok(Marked::NotThere)
    );
    assert_stands_at(&store, &row, row.delivery.clone()).await;

    let delivered = Delivery::Delivered {
        at: at(NOW + 5_000),
    };
    assert_eq!(
        store.mark_delivered(id, seen, at(NOW + 5_000)).await,
        Ok(Marked::Done)
    );
    assert_eq!(
        store.mark_delivered(id, seen, late).await,
        Ok(Marked::NotThere)
    );
    assert_eq!(
        store.quarantine(id, seen, "late", late).await,
        Ok(Marked::NotThere)
    );
    assert_stands_at(&store, &row, delivered).await;
}

/// TTL deleted it: no mark brings it back, and no redrive either.
pub async fn a_mark_of_a_row_that_is_gone_creates_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let id = samples::row(0).event.id;
    let seen = marker(at(NOW), 0);
    assert_eq!(
        store.mark_delivered(&id, seen, at(NOW)).await,
        Ok(Marked::NotThere)
    );
    assert_eq!(
        store.quarantine(&id, seen, "late", at(NOW)).await,
        Ok(Marked::NotThere)
    );
    assert_eq!(store.redrive(&id, seen).await, Ok(Marked::NotThere));
    assert_eq!(store.read_row(&id).await, Ok(Read::Absent));
    assert_eq!(undelivered(&store).await, []);
}

/// Events of one shard, each a second older than the one before.
fn of_shard(shard: u8, count: usize) -> Vec<OutboxRow> {
    let ids = (0..u32::MAX).map(|index| DecisionId::from_random([7; 16]).event(index));
    let of_this = ids.filter(|id| shard_of(id) == shard).take(count);
    (0..)
        .zip(of_this)
        .map(|(age, id)| {
            let time = at(NOW - age * 1_000);
            Event {
                id,
                time,
                ..samples::row(0).event
            }
            .into_row(0)
        })
        .collect()
}

/// No row of one shard is in another's list.
pub async fn undelivered_rows_are_listed_by_shard_oldest_first<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (mut here, elsewhere) = (of_shard(2, 5), of_shard(3, 2));
    commit(&store, [here.clone(), elsewhere].concat()).await;
    let before = marker(the_end(), 0);
    let listed = store.undelivered(2, None, before, 100).await.unwrap();
    here.reverse();
    let expected: Vec<_> = here
        .into_iter()
        .map(|row| (row.event.id.clone(), marker(row.event.time, 0)))
        .collect();
    assert_eq!(listed, expected);
    assert_eq!(
        store.undelivered(3, None, before, 100).await.unwrap().len(),
        2
    );
    assert_eq!(
        store.undelivered(4, None, before, 100).await,
        Ok(Vec::new())
    );
}

/// Neither bound belongs to it, so that the last one seen begins the next page.
pub async fn a_listing_is_bounded_on_both_sides_and_in_length<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let mut rows = of_shard(2, 5);
    commit(&store, rows.clone()).await;
    rows.reverse();
    let markers: Vec<_> = rows.iter().map(|row| marker(row.event.time, 0)).collect();
    for (after, before, limit, expected) in [
        (None, markers[4], 100, &markers[..4]),
        (None, markers[0], 100, &[][..]),
        (Some(markers[0]), markers[4], 100, &markers[1..4]),
        (Some(markers[3]), markers[4], 100, &[][..]),
        (Some(markers[4]), markers[0], 100, &[][..]),
        (None, marker(the_end(), 0), 2, &markers[..2]),
        (Some(markers[1]), marker(the_end(), 0), 2, &markers[2..4]),
        (None, marker(the_end(), 0), 0, &[][..]),
    ] {
        let listed = store.undelivered(2, after, before, limit).await.unwrap();
        let listed: Vec<_> = listed.into_iter().map(|(_, marker)| marker).collect();
        assert_eq!(
            listed, expected,
            "after {after:?}, before {before:?}, at most {limit}"
        );
    }
}

async fn set_aside(store: &impl Outbox, row: &OutboxRow, since: Timestamp) {
    let Delivery::Undelivered(seen) = row.delivery else {
        panic!("a row begins undelivered");
    };
    let marked = store.quarantine(&row.event.id, seen, "it answered 422", since);
    assert_eq!(marked.await, Ok(Marked::Done));
}

/// Two of them at the same instant: no page loses one or tells it twice.
pub async fn quarantined_rows_are_listed_by_shard_and_age_page_by_page<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (here, elsewhere) = (of_shard(2, 6), of_shard(3, 2));
    commit(&store, [here.clone(), elsewhere.clone()].concat()).await;
    assert_eq!(store.quarantined(2, None, 100).await, Ok(Vec::new()));
    // The last one stays undelivered.
    let mut expected = Vec::new();
    for (row, after) in here.iter().zip([4_000, 2_000, 2_000, 3_000, 1_000]) {
        let since = at(NOW + after);
        set_aside(&store, row, since).await;
        expected.push((row.event.id.clone(), since));
    }
    set_aside(&store, &elsewhere[0], at(NOW)).await;

    let all = store.quarantined(2, None, 100).await.unwrap();
    let instants: Vec<_> = all.iter().map(|(_, since)| *since).collect();
    assert!(instants.is_sorted(), "{instants:?}");
    let mut sorted = all.clone();
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);

    for limit in [1, 2, 3, 5] {
        let mut paged = Vec::new();
        loop {
            let page = store.quarantined(2, paged.last(), limit).await.unwrap();
            assert!(page.len() <= usize::try_from(limit).unwrap());
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, all, "pages of {limit}");
    }
    assert_eq!(store.quarantined(2, None, 0).await, Ok(Vec::new()));
    assert_eq!(
        store.quarantined(3, None, 100).await,
        Ok(vec![(elsewhere[0].event.id.clone(), at(NOW))])
    );
}

/// It is in the one index or in the other.
pub async fn a_redriven_row_is_no_longer_quarantined<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (row, _) = one_row(&store).await;
    let (id, shard) = (&row.event.id, row.event.shard());
    set_aside(&store, &row, at(NOW + 5_000)).await;
    let listed = store.quarantined(shard, None, 100).await.unwrap();
    assert_eq!(listed, [(id.clone(), at(NOW + 5_000))]);
    let fresh = marker(at(NOW + 9_000), 7);
    assert_eq!(store.redrive(id, fresh).await, Ok(Marked::Done));
    assert_eq!(store.quarantined(shard, None, 100).await, Ok(Vec::new()));
    assert_eq!(
        undelivered(&store).await.as_slice(),
        std::slice::from_ref(id)
    );
}
