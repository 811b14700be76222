//! Effects in the inbox's own store.

use std::sync::Arc;

use decide_once_protocol::inbox::NotYet;
use decide_once_service::{
    consume::{EffectError, Failure, Handled},
    memory::Change,
};
use tokio::task::JoinSet;

use crate::support::{Fault, World, event};

#[tokio::test]
async fn k04_the_same_event_twice_has_one_effect() {
    let world = World::default();
    assert_eq!(world.add(&event("e")).await, Handled::Done);
    assert_eq!(world.add(&event("e")).await, Handled::Duplicate);
    assert_eq!(world.add(&event("f")).await, Handled::Done);
    assert_eq!(world.number("amount"), Some(10));
}

/// Relative effects need no look: however many copies of however many events come at once, each event counts once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relative_effects_of_many_at_once_add_up() {
    let world = Arc::new(World::default());
    let mut adding = JoinSet::new();
    for number in 0..60 {
        let world = Arc::clone(&world);
        adding.spawn(async move { world.add(&event(&format!("e{}", number % 20))).await });
    }
    let handled = adding.join_all().await;
    let done = handled.iter().filter(|handled| **handled == Handled::Done);
    assert_eq!(done.count(), 20);
    assert!(handled.iter().all(Handled::is_acknowledged));
    assert_eq!(world.number("amount"), Some(100));
}

/// Absolute ones do: what was read is the transaction's condition, and who is too late looks again. None is lost.
#[tokio::test]
async fn absolute_effects_of_two_at_once_are_both_seen() {
    let world = World::default();
    let worker = world.worker();
    let looks = std::sync::atomic::AtomicU32::new(0);
    let doubled_and_one = || async {
        let seen = world.number("amount");
        // Another event's effect comes between the first look and the write.
        if looks.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
            assert_eq!(world.add(&event("other")).await, Handled::Done);
        }
        Ok(Change::Set {
            name: "amount".to_owned(),
            seen,
            to: seen.unwrap_or_default() * 2 + 1,
        })
    };
    let handled = worker
        .together(&event("e"), world.deadline(), doubled_and_one)
        .await;
    assert_eq!(handled, Handled::Done);
    assert_eq!(world.number("amount"), Some(11), "5, doubled, and one");
    assert_eq!(looks.into_inner(), 2);
}

/// What changes at each look is given up in the end, without an effect and without a mark.
#[tokio::test]
async fn an_effect_that_is_always_too_late_comes_again() {
    let world = World::default();
    let worker = world.worker();
    let stale = || async {
        Ok(Change::Set {
            name: "amount".to_owned(),
            seen: Some(-1),
            to: 7,
        })
    };
    let handled = worker.together(&event("e"), world.deadline(), stale).await;
    assert_eq!(handled, Handled::Failed(Failure::Contended));
    assert_eq!(world.number("amount"), None);
    assert_eq!(world.add(&event("e")).await, Handled::Done);
}

#[tokio::test]
async fn lost_requests_and_replies_have_one_effect() {
    for faults in [
        vec![Some(Fault::ReplyLost)],
        vec![Some(Fault::RequestLost)],
        vec![Some(Fault::RequestLost), Some(Fault::ReplyLost)],
        vec![Some(Fault::SentTwice)],
        vec![Some(Fault::Conflict), Some(Fault::Conflict)],
    ] {
        let world = World::default();
        let what = format!("{faults:?}");
        world.network.next(faults);
        let handled = world.add(&event("e")).await;
        assert!(handled.is_acknowledged(), "{what}: {handled:?}");
        assert_eq!(world.number("amount"), Some(5), "{what}");
        assert_eq!(world.add(&event("e")).await, Handled::Duplicate);
        assert_eq!(world.number("amount"), Some(5), "{what}");
    }
}

/// A store that conflicts for ever is not waited for for ever.
#[tokio::test]
async fn conflicts_end_with_a_failure() {
    let world = World::default();
    world.network.next(vec![Some(Fault::Conflict); 100]);
    let handled = world.add(&event("e")).await;
    assert_eq!(
        handled,
        Handled::Failed(Failure::NotYet(NotYet::Unavailable))
    );
    assert_eq!(world.number("amount"), None);
}

/// An event that cannot have an effect says why, and leaves nothing.
#[tokio::test]
async fn a_poison_event_fails_and_lets_others_pass() {
    let world = World::default();
    let worker = world.worker();
    let poison = EffectError::Poison("no amount".to_owned());
    let effect = || async { Err(poison.clone()) };
    let handled = worker.together(&event("e"), world.deadline(), effect).await;
    assert_eq!(handled, Handled::Failed(Failure::Effect(poison)));
    assert!(handled.lets_others_pass() && !handled.is_acknowledged());
    assert!(world.network.store.marks().is_empty());
}
