//! The conditional writes, each beside what it must not take.

use std::time::Duration;

use super::{
    KEY, MARGIN, NOW, at, failed, given_up, leased_while_carrying, owner, queued, reserved,
    succeeded,
};
use crate::decision::{ClaimId, NaturalClaim};
use crate::ids::DecisionId;
use crate::record::{Fence, Record, StateName};
use crate::scope::{DECIDE, OperationName, Tenant};
use crate::writes::{Reserve, Seen, Transition, ttl_after, ttl_at, vacant_before};

#[test]
fn a_reservation_takes_what_is_absent_or_free_and_nothing_else() {
    let reserve = |now| Reserve {
        record: reserved(),
        vacant_before: vacant_before(at(now)),
    };
    assert!(reserve(NOW).permits(None));
    for record in [reserved(), succeeded(), failed(), given_up()] {
        for (now, is_free) in [
            (NOW, false),
            (KEY + MARGIN - 1, false),
            (KEY + MARGIN, true),
            (KEY + MARGIN + 1, true),
        ] {
            assert_eq!(
                reserve(now).permits(Some(&record)),
                is_free,
                "{now} {record:?}"
            );
            assert_eq!(record.is_free_at(at(now)), is_free, "{now} {record:?}");
        }
    }
    for record in [queued(), leased_while_carrying()] {
        assert!(!reserve(KEY * 2).permits(Some(&record)), "{record:?}");
    }
}

#[test]
fn a_transition_takes_the_very_state_owner_and_attempt_that_were_seen() {
    let seen = Transition {
        expected: Seen::of(&reserved()),
        next: succeeded(),
    };
    assert!(seen.permits(Some(&reserved())));
    assert!(!seen.permits(None), "never absent: TTL may have deleted it");
    let with = |fence: Fence| Record {
        fence,
        ..reserved()
    };
    let fence = reserved().fence;
    for other in [
        with(Fence {
            attempt: 2,
            ..fence
        }),
        with(Fence {
            owner: owner(2),
            ..fence
        }),
        succeeded(),
        failed(),
        given_up(),
    ] {
        assert!(!seen.permits(Some(&other)), "{other:?}");
    }
}

#[test]
fn what_was_seen_is_state_fence_and_whether_a_request_is_carried() {
    let fence = Fence {
        owner: owner(1),
        attempt: 1,
    };
    let of = |state, carries| Seen {
        state,
        fence,
        carries,
    };
    assert_eq!(Seen::of(&reserved()), of(StateName::Processing, false));
    assert_eq!(Seen::of(&succeeded()), of(StateName::Succeeded, false));
    assert_eq!(Seen::of(&given_up()), of(StateName::FailedRetryable, false));
    assert_eq!(Seen::of(&failed()), of(StateName::FailedFinal, false));
    assert!(Seen::of(&queued()).carries);
}

#[test]
fn a_natural_key_is_taken_when_it_is_absent_or_expired_and_never_when_it_is_for_ever() {
    let operation = OperationName::parse(DECIDE).unwrap();
    let tenant = Tenant::parse("t-alpha").unwrap();
    let claim = |expiry| NaturalClaim {
        id: ClaimId::of(&tenant, &operation, "order", &["4711".to_owned()]).unwrap(),
        name: "order".to_owned(),
        decision: DecisionId::from_random([3; 16]),
        expiry,
    };
    let commit = |now| super::flow::commit(now, 0, vec![claim(None)]);
    assert!(commit(NOW).permits_claim(None));
    assert!(!commit(KEY * 2).permits_claim(Some(&claim(None))));
    for (now, is_free) in [
        (KEY + MARGIN - 1, false),
        (KEY + MARGIN, true),
        (KEY + MARGIN + 1, true),
    ] {
        let expiring = claim(Some(at(KEY)));
        assert_eq!(commit(now).permits_claim(Some(&expiring)), is_free, "{now}");
    }
}

#[test]
fn a_commit_counts_its_items_and_has_its_owners_token() {
    let operation = OperationName::parse(DECIDE).unwrap();
    let tenant = Tenant::parse("t-alpha").unwrap();
    let claim = |name: &str| NaturalClaim {
        id: ClaimId::of(&tenant, &operation, name, &["1".to_owned()]).unwrap(),
        name: name.to_owned(),
        decision: DecisionId::from_random([3; 16]),
        expiry: None,
    };
    let commit = super::flow::commit(NOW, 3, vec![claim("a"), claim("b")]);
    assert_eq!((commit.events.len(), commit.items()), (3, 7));
    assert_eq!(commit.token(), owner(1).encode());
}

#[test]
fn ttl_is_the_expiry_in_seconds_with_the_margin_where_a_key_is_reused() {
    assert_eq!(ttl_after(at(NOW)).as_secs(), NOW / 1000 + 300);
    assert_eq!(ttl_after(at(NOW + 1)).as_secs(), NOW / 1000 + 301);
    assert_eq!(ttl_at(at(NOW)).as_secs(), NOW / 1000);
    assert_eq!(ttl_at(at(NOW + 1)).as_secs(), NOW / 1000 + 1);
    assert_eq!(vacant_before(at(NOW)), at(NOW - MARGIN));
    assert_eq!(crate::record::EXPIRY_MARGIN, Duration::from_secs(300));
}
