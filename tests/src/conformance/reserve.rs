//! Reserving a key.

use std::time::Duration;

use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::record::{EXPIRY_MARGIN, Fence, Hold, Keep, Record, State};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Existing, Reserve, Unreadable, vacant_before};
use decide_once_service::memory::Foreign;
use decide_once_service::ports::Store;
use tokio::task::JoinSet;

use super::{Harness, assert_stands, found, place, the_end};
use crate::samples::{self, NOW, at};

/// Many enough that two of them meet.
const CROWD: u8 = 32;

/// A reservation by worker `number`, at `now`.
fn reservation(number: u8, now: Timestamp) -> Reserve {
    let owner = OwnerToken::from_random([number; 16]);
    Reserve {
        record: Record {
            fence: Fence { owner, attempt: 1 },
            decision: DecisionId::from_random([number; 16]),
            state: State::Processing {
                hold: Hold::Leased(now.plus(samples::lease())),
                keep: Keep::Until(now.plus(Duration::from_secs(72 * 3600))),
            },
            ..samples::reserve().record
        },
        vacant_before: vacant_before(now),
    }
}

/// Nothing is there.
pub async fn a_key_that_nobody_has_is_reserved<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let write = samples::reserve();
    assert_eq!(store.reserve(&write).await, Answer::Applied);
    assert_stands(&store, &write.record, found(&write.record)).await;
}

/// Whatever the state.
pub async fn a_live_record_in_any_state_refuses_a_reservation_and_is_returned<H: Harness>() {
    for (name, standing) in samples::records() {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &standing).await;
        let refused = store.reserve(&reservation(99, at(NOW))).await;
        assert_eq!(refused, Answer::Refused(found(&standing)), "{name}");
        assert_stands(&store, &standing, found(&standing)).await;
    }
}

/// The margin is on the reserver's side: free *at* expiry plus margin, and to the millisecond not before.
pub async fn a_record_is_free_at_its_expiry_plus_the_margin_and_not_before<H: Harness>() {
    for (name, standing) in samples::records() {
        let Some(expiry) = standing.state.key_expiry() else {
            continue;
        };
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &standing).await;
        let free = expiry.plus(EXPIRY_MARGIN);
        let early = at(free.as_millis() - 1);
        let refused = store.reserve(&reservation(98, early)).await;
        assert_eq!(refused, Answer::Refused(found(&standing)), "{name}");
        let successor = reservation(99, free);
        assert_eq!(store.reserve(&successor).await, Answer::Applied, "{name}");
        assert_stands(&store, &standing, found(&successor.record)).await;
    }
}

/// However late it is: its caller was told that it will be decided.
pub async fn a_record_that_carries_a_request_is_never_free<H: Harness>() {
    for (name, standing) in samples::records() {
        if standing.carried().is_none() {
            continue;
        }
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &standing).await;
        let refused = store.reserve(&reservation(99, the_end())).await;
        assert_eq!(refused, Answer::Refused(found(&standing)), "{name}");
    }
}

/// On a fresh key.
pub async fn of_32_reservations_at_once_one_is_applied_and_the_others_see_it<H: Harness>() {
    let harness = H::start().await;
    race(harness.store(), at(NOW)).await;
}

/// On a key whose life ended: freeing it and reserving it is one write.
pub async fn of_32_reservations_of_a_freed_key_one_is_applied<H: Harness>() {
    let harness = H::start().await;
    let standing = samples::record(samples::succeeded(true));
    place(&harness.store(), &standing).await;
    race(harness.store(), samples::expiry().key.plus(EXPIRY_MARGIN)).await;
}

async fn race(store: impl Store + Clone + 'static, now: Timestamp) {
    let mut crowd = JoinSet::new();
    for number in 0..CROWD {
        let store = store.clone();
        crowd.spawn(async move {
            let write = reservation(number, now);
            (store.reserve(&write).await, write.record)
        });
    }
    let (winners, losers): (Vec<_>, Vec<_>) = crowd
        .join_all()
        .await
        .into_iter()
        .partition(|(answer, _)| *answer == Answer::Applied);
    let [(_, winner)] = winners.as_slice() else {
        panic!("{} reservations were applied", winners.len());
    };
    for (answer, _) in losers {
        assert_eq!(answer, Answer::Refused(found(winner)));
    }
    assert_stands(&store, winner, found(winner)).await;
}

/// What an SDK's resend of a write that had landed sees (case D01).
pub async fn a_reservation_sent_twice_finds_itself<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let write = samples::reserve();
    assert_eq!(store.reserve(&write).await, Answer::Applied);
    assert_eq!(
        store.reserve(&write).await,
        Answer::Refused(found(&write.record))
    );
}

/// It is never written to.
pub async fn something_unreadable_refuses_a_reservation_and_stays<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let id = samples::scope().operation_id();
    let newer = Unreadable::Newer { version: 2 };
    harness
        .plant(Foreign::Operation(id.clone(), newer.clone()))
        .await;
    let write = reservation(1, samples::expiry().free_from());
    let unreadable = Existing::Unreadable(newer);
    assert_eq!(
        store.reserve(&write).await,
        Answer::Refused(unreadable.clone())
    );
    assert_eq!(store.read_operation(&id).await, Ok(unreadable));
}
