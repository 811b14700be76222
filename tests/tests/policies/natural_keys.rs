//! Natural keys: one decision for each order, whatever the idempotency keys.

use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_tests::{fixtures::policies, world::World};

use crate::instance::Deployments as _;

const DAY: Duration = Duration::from_secs(86_400);

fn text(version: u32) -> String {
    format!(
        "policy: shipping
version: {version}
input:
  type: object
  properties:
    orderId: {{ type: [string, 'null'], maxLength: 40 }}
    warehouse: {{ type: string, maxLength: 40, default: main }}
    weight: {{ type: integer }}
unique: {{ order: [/orderId, /warehouse] }}
retention: {{ result: 24h, key: 72h, decision: 30d }}
rules: [{{ id: all, when: 'true', then: {{ decision: ship, under: {version} }} }}]
events: [{{ type: com.example.shipped }}]
"
    )
}

fn release(active: u32) -> PolicySet {
    policies(
        &[("shipping", 1, &text(1)), ("shipping", 2, &text(2))],
        &format!("shipping: {active}"),
    )
}

fn order(facts: &str) -> String {
    format!(r#"{{"policy":"shipping","subject":"acct-42","facts":{facts}}}"#)
}

#[tokio::test]
async fn a_second_operation_for_an_order_is_told_the_first_decision_and_told_so_again() {
    let world = World::default();
    let function = world.instance(release(1));
    let first = function
        .post("K1", &order(r#"{"orderId":"A-1"}"#))
        .await
        .created();
    let claims = world.store.claims();
    assert_eq!(claims.len(), 1);
    assert_eq!(claims[0].decision.as_str(), first["decisionId"]);
    let (decisions, events) = (world.store.decisions(), world.store.rows());

    // Another weight is another request, and the same order.
    let second = order(r#"{"orderId":"A-1","weight":7}"#);
    let refused = function.post("K2", &second).await;
    let problem = refused.problem(409, "already-decided");
    assert_eq!(
        problem.decision.as_ref().unwrap().as_str(),
        first["decisionId"]
    );
    assert_eq!(problem.kind.retry().as_str(), "never");
    assert_eq!(problem.replayed, Some(false));

    // It is that operation's recorded answer, also after another version has become active.
    let replay = world.instance(release(2)).post("K2", &second).await;
    assert_eq!(replay.problem(409, "already-decided").replayed, Some(true));
    assert_eq!(replay.bytes(), refused.bytes());
    let other = function.post("K2", &order(r#"{"orderId":"A-2"}"#)).await;
    assert_eq!(other.reused(), ["/facts/orderId", "/facts/weight"]);

    assert_eq!(world.store.claims(), claims);
    assert_eq!(world.store.decisions(), decisions, "one decision");
    assert_eq!(world.store.rows(), events, "its events only");
    world.check();
}

#[tokio::test]
async fn an_order_is_decided_once_whichever_version_decides() {
    let world = World::default();
    let (old, new) = (world.instance(release(1)), world.instance(release(2)));
    let first = old
        .post("K1", &order(r#"{"orderId":"A-1"}"#))
        .await
        .created();
    let refused = new.post("K2", &order(r#"{"orderId":"A-1"}"#)).await;
    let holder = refused.problem(409, "already-decided").decision.clone();
    assert_eq!(holder.unwrap().as_str(), first["decisionId"]);
}

#[tokio::test]
async fn orders_of_other_tenants_and_other_parts_are_other_orders() {
    let world = World::default();
    let function = world.instance(release(1));
    let body = order(r#"{"orderId":"A-1"}"#);
    function.post_as("t-alpha", "K1", &body).await.created();
    function.post_as("t-beta", "K1", &body).await.created();
    let warehouse = order(r#"{"orderId":"A-1","warehouse":"north"}"#);
    function.post("K2", &warehouse).await.created();
    // A part that the schema fills in is that part.
    let spelled_out = order(r#"{"orderId":"A-1","warehouse":"main"}"#);
    function
        .post("K3", &spelled_out)
        .await
        .problem(409, "already-decided");
}

/// The claim lives as long as its decision does; by every clock, so 5 minutes longer.
#[tokio::test]
async fn an_expired_claim_is_free() {
    let world = World::default();
    let function = world.instance(release(1));
    let body = order(r#"{"orderId":"A-1"}"#);
    let first = function.post("K1", &body).await.created();

    world.time.advance(30 * DAY);
    function
        .post("K2", &body)
        .await
        .problem(409, "already-decided");
    world.time.advance(Duration::from_secs(300));
    let next = function.post("K3", &body).await.created();
    assert_ne!(next["decisionId"], first["decisionId"]);
    let claims = world.store.claims();
    assert_eq!(claims.len(), 1, "the claim changed hands");
    assert_eq!(claims[0].decision.as_str(), next["decisionId"]);
    // The operation that was refused while it was taken stays refused.
    let refused = function.post("K2", &body).await;
    assert_eq!(refused.problem(409, "already-decided").replayed, Some(true));
}

/// A worker that died before its commit took nothing: the claim and the decision are one transaction.
#[tokio::test]
async fn an_operation_that_never_committed_holds_no_claim() {
    let world = World::default();
    let function = world.instance(release(1));
    let body = order(r#"{"orderId":"A-1"}"#);
    function.post_and_die("K1", &body).await;
    assert!(world.store.claims().is_empty());
    let second = function.post("K2", &body).await.created();
    world.leases_lapse();
    let late = function.post("K1", &body).await;
    let holder = late.problem(409, "already-decided").decision.clone();
    assert_eq!(holder.unwrap().as_str(), second["decisionId"]);
}

/// Rival case a08: a part of a composite key was missing, null or empty, and callers shared one record.
#[tokio::test]
async fn a08_a_natural_key_with_a_missing_null_or_empty_part_is_refused() {
    let world = World::default();
    let function = world.instance(release(1));
    for facts in [r"{}", r#"{"orderId":null}"#, r#"{"orderId":""}"#] {
        let refused = function.post("K1", &order(facts)).await;
        let problem = refused.problem(422, "facts-invalid");
        assert_eq!(problem.pointers, ["/facts/orderId"], "{facts}");
    }
    let refused = function
        .post("K1", &order(r#"{"orderId":"A-1","warehouse":""}"#))
        .await;
    let problem = refused.problem(422, "facts-invalid");
    assert_eq!(problem.pointers, ["/facts/warehouse"]);
    let (operations, decisions, claims, _) = world.contents();
    assert_eq!((operations.len(), decisions.len(), claims.len()), (0, 0, 0));
    // The key stayed free for a corrected request.
    function
        .post("K1", &order(r#"{"orderId":"A-1"}"#))
        .await
        .created();
}
