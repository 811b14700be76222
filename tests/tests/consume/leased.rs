//! Effects elsewhere.

use std::time::Duration;

use decide_once_protocol::inbox::{MarkState, NotYet};
use decide_once_service::consume::{EffectError, Failure, Handled};
use decide_once_tests::gate::Gate;

use crate::support::{Fault, Provider, World, event};

const BUSY: Handled = Handled::Failed(Failure::NotYet(NotYet::Busy));

async fn withdraw(world: &World, provider: &Provider, id: &str) -> Handled {
    let worker = world.worker();
    let effect = |key| provider.withdraw(key);
    worker.leased(&event(id), world.deadline(), effect).await
}

/// A consumer that claims and dies leaves a claim, not "done": the message fails while the claim lives, and is worked on once it has lapsed.
#[tokio::test]
async fn k01_marked_before_worked() {
    let (world, provider) = (World::default(), Provider::default());
    let dies = Gate::closed();
    let worker = world.worker();
    let (event, deadline) = (event("e"), world.deadline());
    let doomed = tokio::spawn({
        let dies = dies.clone();
        async move {
            let effect = |_| async move { dies.pass(async { Ok(()) }).await };
            worker.leased(&event, deadline, effect).await
        }
    });
    dies.reached().await;
    doomed.abort();
    assert!(doomed.await.unwrap_err().is_cancelled());
    assert_eq!(withdraw(&world, &provider, "e").await, BUSY);
    assert!(provider.calls().is_empty());
    world.lapse();
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Duplicate);
    assert_eq!(provider.calls(), [1]);
}

/// It dies after the effect: its successor asks again, under the same key.
#[tokio::test]
async fn n10_takeover_and_outside_effects() {
    let (world, provider) = (World::default(), Provider::default());
    let dies = Gate::closed();
    let worker = world.worker();
    let (event, deadline) = (event("e"), world.deadline());
    let doomed = tokio::spawn({
        let (dies, provider) = (dies.clone(), provider.clone());
        async move {
            let effect = |key| async move {
                let had = provider.withdraw(key).await;
                dies.pass(async { had }).await
            };
            worker.leased(&event, deadline, effect).await
        }
    });
    dies.reached().await;
    doomed.abort();
    assert!(doomed.await.unwrap_err().is_cancelled());
    world.lapse();
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
    assert_eq!(provider.calls(), [2], "one key, two calls");
}

/// It wakes when another has done its work: what it has to say changes nothing any more, and its copy is acknowledged as what it is.
#[tokio::test]
async fn a_late_finisher_changes_nothing() {
    let (world, provider) = (World::default(), Provider::default());
    let gate = Gate::closed();
    world.network.next([None, Some(Fault::Held(gate.clone()))]);
    let worker = world.worker();
    let (event, deadline) = (event("e"), world.deadline());
    let late = tokio::spawn({
        let provider = provider.clone();
        async move {
            let effect = |key| async move { provider.withdraw(key).await };
            worker.leased(&event, deadline, effect).await
        }
    });
    gate.reached().await;
    world.lapse();
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
    let kept = world.network.store.marks();
    gate.open();
    assert_eq!(late.await.unwrap(), Handled::Done, "done is done");
    assert_eq!(world.network.store.marks(), kept);
    assert_eq!(provider.calls(), [2]);
}

/// Whatever is lost on the way: the effect is asked for once, and the event is acknowledged.
#[tokio::test]
async fn lost_requests_and_replies_are_read_back() {
    for faults in [
        [Some(Fault::ReplyLost), None],
        [Some(Fault::SentTwice), None],
        [None, Some(Fault::ReplyLost)],
        [None, Some(Fault::SentTwice)],
        [None, Some(Fault::RequestLost)],
        [None, Some(Fault::Conflict)],
    ] {
        let (world, provider) = (World::default(), Provider::default());
        let what = format!("{faults:?}");
        world.network.next(faults);
        assert_eq!(
            withdraw(&world, &provider, "e").await,
            Handled::Done,
            "{what}"
        );
        assert_eq!(provider.calls(), [1], "{what}");
    }
    // A claim of which nobody knows: it may still arrive, so that nothing is done under it.
    let (world, provider) = (World::default(), Provider::default());
    world.network.next([Some(Fault::RequestLost)]);
    let unclear = Handled::Failed(Failure::NotYet(NotYet::Unclear));
    assert_eq!(withdraw(&world, &provider, "e").await, unclear);
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
    assert_eq!(provider.calls(), [1]);
}

/// A provider that refuses gives the claim back: the next attempt need not wait for it to lapse.
#[tokio::test]
async fn an_effect_that_failed_may_be_tried_again_at_once() {
    let world = World::default();
    for why in [
        EffectError::Unavailable("503".to_owned()),
        EffectError::Poison("422".to_owned()),
    ] {
        let worker = world.worker();
        let effect = |_| async { Err(why.clone()) };
        let failed = worker.leased(&event("e"), world.deadline(), effect).await;
        assert!(!failed.is_acknowledged());
        assert_eq!(
            failed.lets_others_pass(),
            matches!(why, EffectError::Poison(_))
        );
        assert_eq!(failed, Handled::Failed(Failure::Effect(why)));
        assert!(world.network.store.marks().is_empty());
    }
    let provider = Provider::default();
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
}

/// Another event, and another consumer of the same event, have effects and keys of their own.
#[tokio::test]
async fn each_event_and_consumer_has_its_own_key() {
    let (world, provider) = (World::default(), Provider::default());
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
    assert_eq!(withdraw(&world, &provider, "f").await, Handled::Done);
    let mut other = world.worker();
    other.name = decide_once_protocol::inbox::ConsumerName::parse("mail").unwrap();
    let effect = |key| provider.withdraw(key);
    let handled = other.leased(&event("e"), world.deadline(), effect).await;
    assert_eq!(handled, Handled::Done);
    assert_eq!(provider.calls(), [1, 1, 1]);
}

/// What is older than marks are kept has a mark that says so, or is refused.
#[tokio::test]
async fn k03_what_may_have_been_forgotten_is_refused() {
    const DAY: u64 = 86_400;
    let (world, provider) = (World::default(), Provider::default());
    world.time.advance(Duration::from_secs(20 * DAY));
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Done);
    // 30 days after the event: its mark is of the 20th day, and still there.
    world.time.advance(Duration::from_secs(10 * DAY));
    assert_eq!(withdraw(&world, &provider, "e").await, Handled::Duplicate);
    let refused = withdraw(&world, &provider, "f").await;
    assert_eq!(refused, Handled::Failed(Failure::TooOld));
    world.time.advance(Duration::from_secs(30 * DAY));
    world
        .network
        .store
        .expire(decide_once_service::ports::Clock::now(&world.time));
    let refused = withdraw(&world, &provider, "e").await;
    assert_eq!(refused, Handled::Failed(Failure::TooOld));
    assert_eq!(provider.calls(), [1]);
}

/// An event that does not say when it came into being would be new again once its mark has ended.
#[tokio::test]
async fn k03_what_has_no_time_or_one_to_come_is_refused() {
    let (world, provider) = (World::default(), Provider::default());
    let now = decide_once_service::ports::Clock::now(&world.time);
    for time in [None, Some(now.plus(Duration::from_secs(3_600)))] {
        let mut strange = event("e");
        strange.time = time;
        let effect = |key| provider.withdraw(key);
        let worker = world.worker();
        let handled = worker.leased(&strange, world.deadline(), effect).await;
        assert_eq!(handled, Handled::Failed(Failure::Untimed), "{time:?}");
    }
    assert_eq!(provider.calls(), [0; 0]);
    // A clock that is a little ahead is no time to come.
    let mut ahead = event("e");
    ahead.time = Some(now.plus(Duration::from_secs(120)));
    let effect = |key| provider.withdraw(key);
    let handled = world
        .worker()
        .leased(&ahead, world.deadline(), effect)
        .await;
    assert_eq!(handled, Handled::Done);
}

/// With no time left nothing is begun, and with too little an effect that hangs is given up.
#[tokio::test]
async fn an_effect_ends_with_its_invocation() {
    let world = World::default();
    let worker = world.worker();
    let now = decide_once_service::ports::Clock::now(&world.time);
    let never = |_| async { panic!("nothing is begun") };
    let handled = worker.leased(&event("e"), now, never).await;
    assert_eq!(handled, Handled::Failed(Failure::OutOfTime));
    let soon = now.plus(Duration::from_millis(300));
    let hangs = |_| std::future::pending();
    let handled = worker.leased(&event("e"), soon, hangs).await;
    assert!(matches!(
        handled,
        Handled::Failed(Failure::Effect(EffectError::Unavailable(_)))
    ));
    let marks = world.network.store.marks();
    assert!(
        marks
            .iter()
            .all(|mark| matches!(mark.state, MarkState::Claimed { .. })),
        "never done: {marks:?}"
    );
}
