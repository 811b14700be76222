//! Rows, markers and marks.

use std::time::Duration;

use super::{NOW, at};
use crate::golden;
use crate::outbox::{DELIVERED_RETENTION, Delivery, Mark, Marker, OutboxRow, shard_of};

fn marker(number: u32) -> Marker {
    Marker {
        since: at(NOW),
        number,
    }
}

fn row(delivery: Delivery) -> OutboxRow {
    OutboxRow {
        event: golden::event(),
        delivery,
    }
}

fn delivered() -> Delivery {
    Delivery::Delivered { at: at(NOW) }
}

fn quarantined() -> Delivery {
    Delivery::Quarantined {
        since: at(NOW),
        reason: "422".to_owned(),
    }
}

#[test]
fn a_mark_takes_the_row_that_carries_the_marker_that_was_sent_under() {
    let marks = [
        Mark::Delivered {
            seen: marker(1),
            at: at(NOW),
        },
        Mark::Quarantined {
            seen: marker(1),
            since: at(NOW),
            reason: "422".to_owned(),
        },
    ];
    for mark in &marks {
        assert!(mark.permits(Some(&row(Delivery::Undelivered(marker(1))))));
        assert!(!mark.permits(Some(&row(Delivery::Undelivered(marker(2))))));
        assert!(!mark.permits(Some(&row(delivered()))) && !mark.permits(Some(&row(quarantined()))));
        assert!(!mark.permits(None), "a mark creates no row");
    }
    assert_eq!(
        marks.map(|mark| mark.delivery()),
        [delivered(), quarantined()]
    );
}

#[test]
fn a_redrive_takes_any_row_and_creates_none() {
    let redrive = Mark::Redriven { fresh: marker(2) };
    for delivery in [Delivery::Undelivered(marker(1)), delivered(), quarantined()] {
        assert!(redrive.permits(Some(&row(delivery))));
    }
    assert!(!redrive.permits(None));
    assert_eq!(redrive.delivery(), Delivery::Undelivered(marker(2)));
}

#[test]
fn only_what_is_delivered_has_a_ttl_of_seven_days() {
    assert_eq!(DELIVERED_RETENTION, Duration::from_secs(604_800));
    assert_eq!(delivered().ttl().unwrap().as_secs(), NOW / 1000 + 604_800);
    assert_eq!(Delivery::Undelivered(marker(1)).ttl(), None);
    assert_eq!(quarantined().ttl(), None);
}

#[test]
fn a_row_is_undelivered_since_its_event_came_into_being() {
    let event = golden::event();
    let (time, shard) = (event.time, event.shard());
    assert_eq!(shard, shard_of(&event.id));
    let row = event.into_row(4);
    let since = Marker {
        since: time,
        number: 4,
    };
    assert_eq!(row.delivery, Delivery::Undelivered(since));
}

#[test]
fn a_shard_is_not_the_same_for_all() {
    let shards = [0, 1, 2, 3].map(|index| {
        let mut event = golden::event();
        event.id = event.id.decision().event(index);
        assert_eq!(event.shard(), shard_of(&event.id));
        event.shard()
    });
    assert!(shards.iter().any(|shard| *shard > 1), "{shards:?}");
}
