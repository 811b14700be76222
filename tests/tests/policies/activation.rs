//! A rolling deploy: instances with different policies meet each other's records, in both directions.

use decide_once_tests::{fixtures::policies, world::World};

use crate::{
    instance::Deployments as _,
    texts::{LOAN_1, first_release, loan, loan_under, release},
};

const FACTS: &str = r#"{"amount":500}"#;

#[tokio::test]
async fn an_old_instance_that_meets_a_newer_pin_writes_nothing_and_says_to_try_again() {
    let world = World::default();
    let (old, new) = (world.instance(first_release()), world.instance(release(2)));
    new.post_and_die("K1", &loan(FACTS)).await;
    world.leases_lapse();

    let before = world.contents();
    old.post("K1", &loan(FACTS)).await.try_again();
    // Nor can it tell whether another spelling is the same request.
    old.post("K1", &loan(r#"{"amount":500,"currency":"EUR"}"#))
        .await
        .try_again();
    assert_eq!(world.contents(), before);

    let told = new.post("K1", &loan(FACTS)).await;
    assert_eq!(told.created()["policy"]["version"], 2);
    assert_eq!(told.attempt(), Some(2));
}

#[tokio::test]
async fn an_old_instance_replays_what_a_newer_version_finished_without_having_it() {
    let world = World::default();
    let (old, new) = (world.instance(first_release()), world.instance(release(2)));
    let first = new.post("K1", &loan(FACTS)).await;
    assert_eq!(first.created()["policy"]["version"], 2);
    let named = new.post("K2", &loan_under(2, FACTS)).await;
    named.created();

    let before = world.contents();
    let replay = old.post("K1", &loan(FACTS)).await;
    replay.replayed();
    assert_eq!(replay.bytes(), first.bytes());
    let replay = old.post("K2", &loan_under(2, FACTS)).await;
    replay.replayed();
    assert_eq!(replay.bytes(), named.bytes());
    // What the exact fingerprint does not settle, only the pinned version can.
    old.post("K1", &loan(r#"{"amount":501}"#)).await.try_again();
    // A free key under a version that is not here: nothing is stored, the key stays free.
    old.post("K3", &loan_under(2, FACTS))
        .await
        .problem(422, "policy-unknown");
    assert_eq!(world.contents(), before);
}

#[tokio::test]
async fn a_new_instance_that_meets_an_older_pin_evaluates_under_it() {
    let world = World::default();
    let (old, new) = (world.instance(first_release()), world.instance(release(2)));
    old.post_and_die("K1", &loan(FACTS)).await;
    world.leases_lapse();

    let decision = new.post("K1", &loan(FACTS)).await.created();
    assert_eq!(decision["policy"]["version"], 1);
    assert_eq!(decision["outcome"]["under"], 1);
    assert_eq!(decision["rule"], "dollars");
    assert_eq!(
        world.store.rows()[0].event.data,
        r#"{"under":1}"#,
        "the event too is of the pinned version"
    );
    let fresh = new.post("K2", &loan(FACTS)).await.created();
    assert_eq!(fresh["policy"]["version"], 2);
    assert_eq!(fresh["rule"], "all");
    assert_ne!(fresh["policy"]["digest"], decision["policy"]["digest"]);
}

/// Package, then activate: whichever instance a retry meets, in a roll-out or a roll-back, it is answered under the first one's version.
#[tokio::test]
async fn packaging_a_release_before_activation_leaves_no_retry_unanswered() {
    let releases = [
        (first_release as fn() -> _, 1),
        (|| release(1), 1),
        (|| release(2), 2),
    ];
    for (one, other) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
        let ((first, pinned), (second, _)) = (releases[one], releases[other]);
        let world = World::default();
        let (first, second) = (world.instance(first()), world.instance(second()));
        first.post_and_die("K1", &loan(FACTS)).await;
        world.leases_lapse();
        let finished = second.post("K1", &loan(FACTS)).await;
        assert_eq!(finished.created()["policy"]["version"], pinned);
        let replay = first.post("K1", &loan(FACTS)).await;
        replay.replayed();
        assert_eq!(replay.bytes(), finished.bytes());
        assert_eq!(world.store.decisions().len(), 1);
    }
}

/// Somebody changed a published version in place, past the lock. Its bytes are not what the record pinned.
#[tokio::test]
async fn a_version_with_other_bytes_is_not_the_pinned_one() {
    let world = World::default();
    let honest = world.instance(first_release());
    let tampered = LOAN_1.replace("limit: \"${facts.amount}\"", "limit: 1000000");
    assert_ne!(tampered, LOAN_1);
    let tampered = world.instance(policies(&[("loan", 1, &tampered)], "loan: 1"));
    honest.post_and_die("K1", &loan(FACTS)).await;
    let finished = honest.post("K2", &loan(FACTS)).await;
    world.leases_lapse();

    let before = world.contents();
    tampered.post("K1", &loan(FACTS)).await.try_again();
    let replay = tampered.post("K2", &loan(FACTS)).await;
    replay.replayed();
    assert_eq!(replay.bytes(), finished.bytes());
    assert_eq!(world.contents(), before);
}

/// Rival case a14: of two configurations on one store the second was ignored.
#[tokio::test]
async fn a14_two_configurations_on_one_store_each_have_their_own_operations() {
    let world = World::default();
    let patient = LOAN_1
        .replace("policy: loan", "policy: mortgage")
        .replace("result: 24h, key: 72h", "result: 48h, key: 30d");
    let set = policies(
        &[("loan", 1, LOAN_1), ("mortgage", 1, &patient)],
        "loan: 1\nmortgage: 1",
    );
    let both = world.instance(set);
    let other = world.instance(release(2));
    let mortgage = loan(FACTS).replace("loan", "mortgage");
    let day = std::time::Duration::from_secs(86_400);

    let first = both.post("K1", &loan(FACTS)).await;
    let second = both.post("K2", &mortgage).await;
    let third = other.post("K3", &loan(FACTS)).await;
    assert_eq!(first.created()["resultExpiresAt"], "2026-12-02T00:00:00Z");
    assert_eq!(second.created()["resultExpiresAt"], "2026-12-03T00:00:00Z");
    assert_eq!(second.created()["keyRetiredUntil"], "2026-12-31T00:00:00Z");
    assert_eq!(third.created()["resultExpiresAt"], "2026-12-01T01:00:00Z");
    assert_eq!(third.created()["keyRetiredUntil"], "2026-12-01T02:00:00Z");

    world.time.advance(day);
    both.post("K1", &loan(FACTS))
        .await
        .problem(409, "result-expired");
    both.post("K2", &mortgage).await.replayed();
    // The key of the shortest configuration is free again, whichever instance is asked.
    assert_eq!(
        both.post("K3", &loan(FACTS)).await.created()["policy"]["version"],
        1
    );
}
