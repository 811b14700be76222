//! How large a result may be: known before anything is committed.

use decide_once_policy::PolicySet;
use decide_once_protocol::answer::{INLINE_LIMIT, RESULT_LIMIT};
use decide_once_protocol::envelope::{Envelope, EventLimit};
use decide_once_protocol::record::State;
use decide_once_protocol::trace::TraceParent;
use decide_once_service::problem::Retry;
use decide_once_service::settings::Settings;
use decide_once_tests::faulty::{Fault, StoreCall};
use decide_once_tests::fixtures::policies;
use decide_once_tests::world::{B0, K1, K2, Told as _, World, call};

/// Its outcome is six times as large as its facts.
const SIXFOLD: &str = r#"
policy: sixfold
version: 1
input: { type: object, required: [memo], properties: { memo: { type: string, maxLength: 62000 } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - id: sixfold
    when: "true"
    then: { a: "${facts.memo}", b: "${facts.memo}", c: "${facts.memo}", d: "${facts.memo}", e: "${facts.memo}", f: "${facts.memo}" }
"#;

fn sixfold() -> PolicySet {
    policies(&[("sixfold", 1, SIXFOLD)], "sixfold: 1")
}

fn body(memo: usize) -> String {
    let memo = "m".repeat(memo);
    format!(r#"{{"policy":"sixfold","subject":"s","facts":{{"memo":"{memo}"}}}}"#)
}

#[tokio::test]
async fn z01_a_result_is_kept_inline_then_by_reference_then_refused_before_the_commit() {
    // The outcome's own text around the six memos has 43 bytes: {"a":"…","b":"…",…,"f":"…"}.
    let largest = |limit: usize| (limit - 43) / 6;
    for (memo, inline, round_trips) in [
        (1, true, 1),
        (largest(INLINE_LIMIT), true, 1),
        (largest(INLINE_LIMIT) + 1, false, 2),
        (largest(RESULT_LIMIT), false, 2),
    ] {
        let world = World::default();
        let asked = call(K1, &body(memo));
        let first = world.worker_under(sixfold()).decide(&asked).await;
        assert_eq!(first.effort.round_trips, 2, "{memo}");
        let State::Succeeded { answer, .. } = world.record().state else {
            panic!("{:?}", world.record());
        };
        assert_eq!(answer.inline.is_some(), inline, "{memo}");
        let replay = world.worker_under(sixfold()).decide(&asked).await;
        assert_eq!(replay.replayed(), first.created(), "{memo}");
        assert_eq!(replay.effort.round_trips, round_trips, "{memo}");
        world.check();
    }
    let world = World::default();
    let asked = call(K1, &body(largest(RESULT_LIMIT) + 1));
    let worker = world.worker_under(sixfold());
    worker.decide(&asked).await.problem("result-too-large");
    assert!(!worker.store().calls().contains(&StoreCall::Commit));
}

#[tokio::test]
async fn a03_a_result_that_cannot_be_stored_is_a_recorded_failure_and_not_run_again() {
    let world = World::default();
    let asked = call(K1, &body(60_000));
    let first = world.worker_under(sixfold()).decide(&asked).await;
    let first = first.problem("result-too-large");
    assert_eq!(first.kind.retry(), Retry::NewKey);
    let worker = world.worker_under(sixfold());
    let again = worker.decide(&asked).await.problem("result-too-large");
    assert_eq!(again.to_json(), first.to_json());
    assert_eq!(again.replayed, Some(true));
    assert_eq!(worker.store().calls(), [StoreCall::Reserve]);
    assert!(world.store.decisions().is_empty() && world.store.rows().is_empty());
    let smaller = world
        .worker_under(sixfold())
        .decide(&call(K2, &body(9)))
        .await;
    smaller.created();
}

#[tokio::test]
async fn t04_a_large_answer_whose_decision_item_is_gone_is_not_decided_again() {
    let world = World::default();
    let asked = call(K1, &body(10_000));
    world.worker_under(sixfold()).decide(&asked).await.created();
    let decision = world.decision().id;
    let worker = world
        .worker_under(sixfold())
        .on(StoreCall::ReadDecision, 1, Fault::Stale);
    let answer = worker.decide(&asked).await.problem("unavailable");
    assert_eq!(answer.kind.retry(), Retry::SameKey);
    let calls = [StoreCall::Reserve, StoreCall::ReadDecision];
    assert_eq!(worker.store().calls(), calls);
    assert_eq!(world.decision().id, decision);
}

/// What the sink would never take is not committed: the same function counts it that renders it for the sink.
#[tokio::test]
async fn an_event_that_the_sink_could_not_take_is_known_before_the_commit() {
    let world = World::default();
    world.worker().decide(&call(K1, B0)).await.created();
    let event = world.store.rows().remove(0).event;
    let source = "decide-once".len();
    for envelope in [
        Envelope::None,
        Envelope::EventBridge { source },
        Envelope::Message,
    ] {
        // There is always room for a trace.
        let size = envelope.size(&event, &event.to_cloud_event()) + TraceParent::MEMBER_LENGTH;
        for (bytes, fits) in [(size, true), (size - 1, false)] {
            let world = World::default();
            let worker = world.worker_with_settings(Settings {
                event_limit: EventLimit { bytes, envelope },
                ..Settings::default()
            });
            let answer = worker.decide(&call(K1, B0)).await;
            if fits {
                answer.created();
                continue;
            }
            let problem = answer.problem("result-too-large");
            assert_eq!(problem.kind.retry(), Retry::NewKey);
            assert!(problem.detail.contains(&event.kind), "{}", problem.detail);
            assert!(!worker.store().calls().contains(&StoreCall::Commit));
            assert!(world.store.decisions().is_empty() && world.store.rows().is_empty());
        }
    }
}
