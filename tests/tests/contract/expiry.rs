//! The three zones of a key: its result is kept, it is retired, it is free.

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::record::{EXPIRY_MARGIN, State};
use decide_once_protocol::writes::Unreadable;
use decide_once_service::memory::Foreign;
use decide_once_service::ports::Clock as _;
use decide_once_service::problem::{Kind, Retry};
use decide_once_service::{Call, status};
use decide_once_tests::faulty::{Fault, StoreCall};
use decide_once_tests::gate::Gate;
use decide_once_tests::world::{B0, K1, Told as _, World, call, hours, seconds};

/// Its only rule never hits.
const NEVER: &str = "
policy: never
version: 1
input: { type: object }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: never, when: \"false\", then: { decision: approve } }
";

/// The id of the one decision, and that of its one event.
fn ids(world: &World) -> (DecisionId, Vec<String>) {
    let rows = world.store.rows();
    let events = rows.iter().map(|row| row.event.id.as_str().to_owned());
    let newest = world.record().decision;
    (newest, events.collect())
}

#[tokio::test]
async fn t01_the_result_is_replayed_before_its_expiry_and_never_from_that_instant_on() {
    for deleted in [false, true] {
        let world = World::default();
        let first = world.worker().decide(&call(K1, B0)).await.created();
        let decision = world.decision().id;
        world.time.advance(hours(24) - seconds(1));
        let last = world.worker().decide(&call(K1, B0)).await;
        assert_eq!(last.replayed(), first);
        for later in [seconds(1), seconds(1), hours(36)] {
            world.time.advance(later);
            if deleted {
                assert_eq!(
                    world.store.expire(world.time.now()),
                    0,
                    "the key is retired"
                );
            }
            let worker = world.worker();
            let expired = worker.decide(&call(K1, B0)).await.problem("result-expired");
            assert_eq!(expired.kind.retry(), Retry::Never);
            assert_eq!(expired.decision.as_ref(), Some(&decision));
            let State::Succeeded { expiry, .. } = world.record().state else {
                panic!("{:?}", world.record());
            };
            assert_eq!(expired.free_from, Some(expiry.key.plus(EXPIRY_MARGIN)));
            assert_eq!(worker.store().calls(), [StoreCall::Reserve]);
            let operation = call(K1, B0).scope.operation_id();
            let tenant = call(K1, B0).scope.tenant;
            let gone = status::status(&world.store, &tenant, &operation, world.time.now()).await;
            assert_eq!(gone.unwrap_err().kind, Kind::Gone);
        }
        assert_eq!(world.decision().id, decision);
    }
}

#[tokio::test]
async fn t02_of_many_who_find_an_expired_key_one_starts_its_new_life() {
    let world = World::default();
    world.worker().decide(&call(K1, B0)).await.created();
    let (old, old_events) = ids(&world);
    world.time.advance(hours(73));
    let commit = Gate::closed();
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let worker = world.worker().waiting(seconds(20));
            let worker = worker.on(StoreCall::Commit, 1, Fault::Held(commit.clone()));
            worker.start(&call(K1, B0))
        })
        .collect();
    commit.reached().await;
    commit.open();
    let (mut created, mut replayed) = (Vec::new(), Vec::new());
    for caller in callers {
        let told = caller.await.unwrap();
        match told.reply {
            decide_once_service::reply::Reply::Decided {
                replayed: false, ..
            } => {
                created.push(told.created());
            }
            _ => replayed.push(told.replayed()),
        }
    }
    assert_eq!(created.len(), 1);
    assert!(replayed.iter().all(|body| *body == created[0]));
    assert_eq!(replayed.len(), 19);
    let (new, events) = ids(&world);
    assert_ne!(new, old);
    assert_eq!(events.len(), 2);
    assert!(old_events.iter().all(|event| events.contains(event)));
    assert_eq!(
        world.store.operations().len(),
        1,
        "the operation's id is the key's"
    );
    let kept = world.store.decisions();
    assert!(kept.iter().any(|decision| decision.id == old));
    assert!(kept.iter().any(|decision| decision.id == new));
}

#[tokio::test]
async fn t04_a_replay_needs_no_decision_item() {
    let world = World::default();
    let first = world.worker().decide(&call(K1, B0)).await.created();
    let decision = world.decision();
    let gone = Unreadable::Corrupt {
        attribute: "outcome".to_owned(),
    };
    world.store.plant(Foreign::Decision(decision.id, gone));
    world.time.advance(hours(1));
    let replay = world.worker().decide(&call(K1, B0)).await;
    assert_eq!(replay.replayed(), first);
    assert_eq!(replay.effort.round_trips, 1);
}

#[tokio::test]
async fn t04_a_decision_outlives_its_record() {
    let world = World::default();
    let first = world.worker().decide(&call(K1, B0)).await.created();
    let decision = world.decision();
    world.time.advance(hours(100));
    let now = world.time.now();
    world.store.expire(now);
    assert!(world.store.operations().is_empty());
    let read = status::decision(&world.store, &decision.tenant, &decision.id, now).await;
    assert_eq!(read.unwrap().bytes, first.into_bytes());
}

#[tokio::test]
async fn a11_the_same_key_with_another_body_is_refused_while_it_lives_and_then_decided() {
    let world = World::default();
    let other = call(K1, &B0.replace("12500", "12501"));
    world.worker().decide(&call(K1, B0)).await.created();
    let first = world.decision().id;
    for later in [hours(0), hours(24), hours(48)] {
        world.time.advance(later);
        let refused = world.worker().decide(&other).await.problem("key-reused");
        assert_eq!(refused.pointers, ["/facts/amount"]);
    }
    world.time.advance(EXPIRY_MARGIN);
    world.worker().decide(&other).await.created();
    assert_ne!(world.record().decision, first);
}

#[tokio::test]
async fn a12_a_final_failure_is_decided_once_and_replayed() {
    let world = World::default();
    let asked: Call = call(K1, r#"{"policy":"never","subject":"s","facts":{}}"#);
    let policies = || decide_once_tests::fixtures::policies(&[("never", 1, NEVER)], "never: 1");
    let first = world.worker_under(policies()).decide(&asked).await;
    let first = first.problem("decision-failed");
    let written = world.record();
    assert_eq!(first.kind.retry(), Retry::NewKey);
    for _ in 0..2 {
        world.time.advance(hours(1));
        let worker = world.worker_under(policies());
        let again = worker.decide(&asked).await.problem("decision-failed");
        assert_eq!(again.to_json(), first.to_json());
        assert_eq!(again.replayed, Some(true));
        assert_eq!(worker.store().calls(), [StoreCall::Reserve]);
    }
    assert_eq!(world.record(), written);
    assert_eq!(written.fence.attempt, 1);
}
