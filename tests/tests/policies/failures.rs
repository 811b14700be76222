//! What a policy cannot decide is a recorded final failure, and never an approval.

use decide_once_tests::{fixtures::policies, world::World};

use crate::{
    instance::Deployments as _,
    texts::{first_release, loan, release},
};

/// Version 1 has no rule for pounds, version 2 would decide.
#[tokio::test]
async fn f03_a_recorded_failure_is_replayed_and_a_new_key_is_decided_by_the_new_version() {
    let world = World::default();
    let pounds = loan(r#"{"amount":5,"currency":"GBP"}"#);
    let failed = world.instance(first_release()).post("K1", &pounds).await;
    let problem = failed.problem(422, "decision-failed");
    assert_eq!(problem.kind.retry().as_str(), "new-key");
    assert_eq!(problem.replayed, Some(false));
    assert!(problem.detail.contains("no rule"), "{}", problem.detail);

    let function = world.instance(release(2));
    let before = world.contents();
    for body in [&pounds, &loan(r#"{"currency":"GBP","amount":5.0}"#)] {
        let replay = function.post("K1", body).await;
        assert_eq!(replay.problem(422, "decision-failed").replayed, Some(true));
        assert_eq!(replay.bytes(), failed.bytes());
    }
    assert_eq!(world.contents(), before);
    assert!(
        before.1.is_empty() && before.3.is_empty(),
        "nothing decided"
    );
    let fresh = function.post("K2", &pounds).await.created();
    assert_eq!(fresh["policy"]["version"], 2);
}

#[tokio::test]
async fn an_error_in_a_condition_is_a_recorded_failure_that_names_the_rule() {
    let text = "policy: p
version: 1
input: { type: object, properties: { parts: { type: integer } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: share-too-small, when: 100 / facts.parts < 5, then: { decision: decline } }
  - { id: otherwise, when: 'true', then: { decision: approve } }
";
    let world = World::default();
    let function = world.instance(policies(&[("p", 1, text)], "p: 1"));
    let body = r#"{"policy":"p","subject":"s","facts":{"parts":0}}"#;
    let failed = function.post("K1", body).await;
    let problem = failed.problem(422, "decision-failed");
    assert!(
        problem.detail.contains("rule share-too-small"),
        "{problem:?}"
    );
    let replay = function.post("K1", body).await;
    assert_eq!(replay.problem(422, "decision-failed").replayed, Some(true));
    assert_eq!(replay.bytes(), failed.bytes());
    assert!(world.store.decisions().is_empty());
    // The same policy decides where the condition can be computed.
    let told = function.post("K2", &body.replace('0', "4")).await;
    assert_eq!(told.created()["rule"], "otherwise");
}
