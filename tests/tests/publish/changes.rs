//! What asks for nothing, and what cannot be read.

use std::time::Duration;

use decide_once_protocol::{
    outbox::{DELIVERED_RETENTION, Delivery, OutboxRow},
    writes::Unreadable,
};
use decide_once_service::{
    ports::Clock as _,
    publish::{Change, Image, Report},
};
use decide_once_tests::samples::{self, NOW, at};

use crate::support::{Told, World, change, marker, stopped_at};

fn standing_at(delivery: Delivery) -> OutboxRow {
    OutboxRow {
        delivery,
        ..samples::row(0)
    }
}

/// No event for any of them, and the counts tell them apart.
#[tokio::test]
async fn o07_ttl_removes_in_the_stream() {
    let world = World::default();
    let undelivered = samples::row(0);
    let delivered = standing_at(Delivery::Delivered { at: at(NOW) });
    let quarantined = standing_at(Delivery::Quarantined {
        since: at(NOW),
        reason: "it answered 422".to_owned(),
    });
    let gone = |expired| Change {
        sequence: "2".to_owned(),
        before: None,
        after: Image::Gone { expired },
    };
    let report = world
        .publish(&[
            gone(true),
            gone(false),
            change(3, Some(&undelivered), &delivered),
            change(4, Some(&undelivered), &quarantined),
            change(5, Some(&undelivered), &undelivered),
            change(6, Some(&delivered), &delivered),
            change(7, Some(&quarantined), &delivered),
        ])
        .await;
    assert_eq!(
        report,
        Report {
            expired: 1,
            removed: 1,
            marked: 2,
            unchanged: 3,
            ..Report::default()
        }
    );
    assert_eq!(world.sink.tried(), [0; 0]);
}

/// The change that its mark makes comes back to the publisher, which does nothing with it: it does not feed itself.
#[tokio::test]
async fn the_change_of_a_mark_asks_for_nothing() {
    let world = World::default();
    let batch = world.committed(1).await;
    assert_eq!(world.publish(&batch).await.delivered, 1);
    let marked = change(2, Some(&samples::row(0)), &world.store.rows()[0]);
    let report = world.publish(&[marked]).await;
    assert_eq!((report.marked, stopped_at(&report)), (1, None));
    assert_eq!(world.sink.tried(), [0]);
}

#[tokio::test]
async fn what_cannot_be_read_is_left_and_holds_nothing_up() {
    let world = World::default();
    let mut batch = world.committed(2).await;
    let before = world.standing();
    for why in [
        Unreadable::Newer { version: 2 },
        Unreadable::Corrupt {
            attribute: "content".to_owned(),
        },
    ] {
        batch[0].after = Image::Unreadable {
            event: Some(samples::row(0).event.id),
            why,
        };
        let report = world.publish(&batch).await;
        assert_eq!((report.unreadable, stopped_at(&report)), (1, None));
    }
    assert_eq!(world.standing()[0], before[0], "as it was, without TTL");
    assert_eq!(world.standing()[1], world.delivered());
}

#[tokio::test]
async fn t05_ttl_attribute_on_an_unpublished_outbox_row() {
    let world = World::default();
    let batch = world.committed(2).await;
    world.sink.tell(0, vec![Told::Unavailable; 5]);
    for _day in 1..=5 {
        assert_eq!(stopped_at(&world.publish(&batch).await), Some("1"));
        world.time.advance(Duration::from_secs(86_400));
        world.store.expire(world.time.now());
        assert!(world.standing().iter().all(|row| row.ttl().is_none()));
    }
    assert_eq!(world.publish(&batch).await.delivered, 2);
    assert_eq!(world.sink.taken().len(), 2);
    assert!(world.standing().iter().all(|row| row.ttl().is_some()));

    // And then it ends: the rows go, though the stream's old changes are still there.
    world
        .time
        .advance(DELIVERED_RETENTION + Duration::from_secs(1));
    world.store.expire(world.time.now());
    assert!(world.store.rows().is_empty());
    let report = world.publish(&batch).await;
    assert_eq!(report.overtaken, 2, "a late mark creates no row");
    assert!(world.store.rows().iter().all(|row| marker(row).is_none()));
}
