//! Whether a retry is the same request: by its exact fingerprint, else under the version that the record pinned.

use decide_once_protocol::{
    fingerprint::{Fingerprint, Scheme},
    record::{Identity, Record},
    time::Timestamp,
    writes::{Answer, Reserve},
};
use decide_once_service::{memory::MemoryStore, ports::Store as _};
use decide_once_tests::world::{World, shipped};

use crate::{
    instance::Deployments as _,
    texts::{first_release, loan, loan_under, release},
};

/// `B0` of the cases, with further members in its facts.
fn b0(more: &str) -> String {
    format!(
        r#"{{"policy":"credit-limit","subject":"acct-42","facts":{{"amount":12500,"currency":"USD"{more}}}}}"#
    )
}

#[tokio::test]
async fn another_version_with_the_same_key_is_another_request() {
    let world = World::default();
    let function = world.instance(release(1));
    let first = function.post("K1", &loan(r#"{"amount":5}"#)).await;
    first.created();

    let asked = function.post("K1", &loan_under(2, r#"{"amount":5}"#)).await;
    assert_eq!(asked.reused(), ["/version"]);
    // Naming the version that was pinned is no other request; nor is naming a version first and none later.
    let named = function.post("K1", &loan_under(1, r#"{"amount":5}"#)).await;
    named.replayed();
    assert_eq!(named.bytes(), first.bytes());

    let function = world.instance(release(2));
    function
        .post("K2", &loan_under(1, r#"{"amount":5}"#))
        .await
        .created();
    let unnamed = function.post("K2", &loan(r#"{"amount":5}"#)).await;
    assert_eq!(unnamed.replayed()["policy"]["version"], 1);
    assert_eq!(world.store.decisions().len(), 2);
}

#[tokio::test]
async fn a_newer_versions_defaults_do_not_count() {
    let world = World::default();
    let (unsaid, dollars) = (
        loan(r#"{"amount":5}"#),
        loan(r#"{"amount":5,"currency":"USD"}"#),
    );
    let old = world.instance(first_release());
    old.post("K1", &unsaid).await.created();
    old.post("K2", &dollars).await.created();
    let function = world.instance(release(2));
    function.post("K1", &dollars).await.replayed();
    function.post("K2", &unsaid).await.replayed();
    let euros = function
        .post("K1", &loan(r#"{"amount":5,"currency":"EUR"}"#))
        .await;
    assert_eq!(euros.reused(), ["/facts/currency"]);
}

#[tokio::test]
async fn a_newer_versions_exclusions_do_not_count() {
    let world = World::default();
    let facts = |stamp: &str, memo: &str| {
        loan(&format!(
            r#"{{"amount":5,"client_ts":"{stamp}","memo":"{memo}"}}"#
        ))
    };
    world
        .instance(first_release())
        .post("K1", &facts("1", "a"))
        .await
        .created();
    let function = world.instance(release(2));
    function.post("K1", &facts("2", "a")).await.replayed();
    let other = function.post("K1", &facts("2", "b")).await;
    assert_eq!(
        other.reused(),
        ["/facts/memo"],
        "not the excluded /facts/client_ts"
    );
    // And the other way round, for what the newer version pinned.
    function.post("K2", &facts("1", "a")).await.created();
    function.post("K2", &facts("1", "b")).await.replayed();
    assert_eq!(
        function.post("K2", &facts("2", "a")).await.reused(),
        ["/facts/client_ts"]
    );
}

#[tokio::test]
async fn a_newer_versions_stricter_schema_does_not_stop_a_retry() {
    let world = World::default();
    let old = world.instance(first_release());
    let large = loan(r#"{"amount":20000}"#);
    let respelled = loan(r#"{"currency":"USD","amount":2e4}"#);
    let finished = old.post("K1", &large).await;
    old.post_and_die("K2", &large).await;
    world.leases_lapse();

    let new = world.instance(release(2));
    for body in [&large, &respelled] {
        let replay = new.post("K1", body).await;
        replay.replayed();
        assert_eq!(replay.bytes(), finished.bytes());
    }
    let other = new.post("K1", &loan(r#"{"amount":20001}"#)).await;
    assert_eq!(other.reused(), ["/facts/amount"], "409 before 422");
    let taken_over = new.post("K2", &respelled).await;
    assert_eq!(taken_over.created()["outcome"]["under"], 1);
    assert_eq!(taken_over.attempt(), Some(2));

    // Without a live record it is the active version's word, and the key stays free for a corrected request.
    let before = world.contents();
    let refused = new.post("K3", &large).await;
    assert_eq!(
        refused.problem(422, "facts-invalid").pointers,
        ["/facts/amount"]
    );
    assert_eq!(world.contents(), before);
    new.post("K3", &loan(r#"{"amount":10000}"#)).await.created();
}

#[tokio::test]
async fn facts_that_the_pin_refuses_are_another_request() {
    let world = World::default();
    world
        .instance(release(2))
        .post("K1", &loan(r#"{"amount":5}"#))
        .await
        .created();
    let rolled_back = world.instance(release(1));
    let large = rolled_back.post("K1", &loan(r#"{"amount":20000}"#)).await;
    assert_eq!(large.reused(), ["/facts/amount"]);
}

/// An instant is an instant where the pinned schema says `date-time`, and text where it does not.
#[tokio::test]
async fn an_instant_in_another_zone_is_the_same_under_the_version_that_says_so() {
    let world = World::default();
    let due = |due: &str| loan(&format!(r#"{{"amount":5,"due":"{due}"}}"#));
    let (utc, paris) = ("2026-12-01T00:00:00Z", "2026-12-01T01:00:00+01:00");
    let (one, two) = (world.instance(release(1)), world.instance(release(2)));
    one.post("K1", &due(utc)).await.created();
    two.post("K1", &due(paris)).await.replayed();
    two.post("K2", &due(utc)).await.created();
    assert_eq!(one.post("K2", &due(paris)).await.reused(), ["/facts/due"]);
}

#[tokio::test]
async fn c13_null_is_not_absent() {
    let world = World::default();
    let function = world.instance(shipped());
    let null = r#","memo":null"#;
    function.post("K1", &b0("")).await.created();
    assert_eq!(
        function.post("K1", &b0(null)).await.reused(),
        ["/facts/memo"]
    );
    function.post("K2", &b0(null)).await.created();
    assert_eq!(function.post("K2", &b0("")).await.reused(), ["/facts/memo"]);
    function.post("K2", &b0(null)).await.replayed();
}

#[tokio::test]
async fn h13_a_changed_timestamp_is_another_request_unless_the_policy_excludes_it() {
    let world = World::default();
    let function = world.instance(shipped());
    let stamped = |second: u32| b0(&format!(r#","client_ts":"2026-12-01T00:00:0{second}Z""#));
    function.post("K1", &stamped(0)).await.created();
    let retry = function.post("K1", &stamped(2)).await;
    assert_eq!(retry.reused(), ["/facts/client_ts"]);
    assert!(
        !String::from_utf8(retry.bytes())
            .unwrap()
            .contains("2026-12-01"),
        "never values"
    );

    let refund = |stamp: &str| {
        format!(
            r#"{{"policy":"refund-approval","subject":"acct-42","facts":{{"orderId":"A-1","line":1,"amount":500,"paid":500,
            "currency":"USD","purchasedAt":"2026-11-30T00:00:00Z","reason":"damaged"{stamp}}}}}"#
        )
    };
    let first = function
        .post("K2", &refund(r#","client_ts":"2026-12-01T00:00:00Z""#))
        .await;
    first.created();
    for stamp in [r#","client_ts":"2026-12-01T00:00:02Z""#, ""] {
        let retry = function.post("K2", &refund(stamp)).await;
        retry.replayed();
        assert_eq!(retry.bytes(), first.bytes());
    }
}

/// What the first deployment stored for `B0`: its fingerprints, computed by another implementation of scheme 1 (the rules of
/// `shared/protocol/golden/vectors.py`) for the operation `decide` under `credit-limit` 3. They never change.
const B0_EXACT: &str = "aecafd734a58223e34c794053a33f887b21257f203c7a3231f74b2ce6e3b784b";
const B0_NORMALISED: &str = "96a46baaa25d47e9353214ced8968c87fddfb8df55ef1a13600ec7f138d9662a";

#[tokio::test]
async fn c18_a_record_is_compared_by_the_scheme_that_wrote_it() {
    let mut world = World::default();
    let first = world.instance(shipped()).post("K1", &b0("")).await;
    first.created();
    let written = world.record();
    world.store = MemoryStore::new();
    let identity = Identity {
        scheme: Scheme::V1,
        exact: fingerprint(B0_EXACT),
        normalised: fingerprint(B0_NORMALISED),
        members: written.identity.members.clone(),
    };
    let planted = Reserve {
        record: Record {
            identity,
            ..written
        },
        vacant_before: Timestamp::EPOCH,
    };
    assert_eq!(world.store.reserve(&planted).await, Answer::Applied);

    let function = world.instance(shipped());
    let respelled =
        r#"{"facts":{"amount":1.25e4},"subject":"acct-42","policy":"credit-limit","version":3}"#;
    for body in [&b0(""), respelled] {
        let replay = function.post("K1", body).await;
        replay.replayed();
        assert_eq!(replay.bytes(), first.bytes());
    }
    let changed = b0("").replace("12500", "12501");
    assert_eq!(
        function.post("K1", &changed).await.reused(),
        ["/facts/amount"]
    );
}

fn fingerprint(hex: &str) -> Fingerprint {
    let byte = |index: usize| u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).unwrap();
    Fingerprint::from_bytes(std::array::from_fn(byte))
}
