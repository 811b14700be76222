//! What each transition changes, and what it leaves.

use std::time::Duration;

use super::{
    EXPIRY, KEY, LEASE, MARGIN, NOW, RESULT, RETENTION, at, carried, failed, given_up, is_carrying,
    key, lease_of, leased_while_carrying, owner, queued, request, reserved, succeeded, terms,
};
use crate::record::{
    CARRIED_LIMIT, Carried, Expiry, Fence, FinalCode, Keep, LANES, MAX_ATTEMPTS, Record, Retention,
    RetryCause, State, StateName,
};
use crate::request::DecisionRequest;
use crate::trace::TraceParent;

#[test]
fn a_reservation_is_attempt_1_and_a_queued_one_attempt_0() {
    let record = reserved();
    assert_eq!(
        record.fence,
        Fence {
            owner: owner(1),
            attempt: 1
        }
    );
    assert_eq!(
        (record.created, record.updated, record.forgiven),
        (at(NOW), at(NOW), 0)
    );
    assert_eq!(
        (lease_of(&record), record.state.key_expiry()),
        (Some(at(LEASE)), Some(at(KEY)))
    );
    assert!(!record.is_queued() && !is_carrying(&record));

    let record = queued();
    assert_eq!(
        record.fence,
        Fence {
            owner: owner(1),
            attempt: 0
        }
    );
    assert_eq!((lease_of(&record), record.state.key_expiry()), (None, None));
    assert!(record.is_queued() && is_carrying(&record));
}

#[test]
fn a_takeover_is_the_next_attempt_of_another_owner_and_keeps_the_rest() {
    let later = NOW + 60_000;
    let next = reserved().taken_over(owner(2), terms(later));
    assert_eq!(
        next.fence,
        Fence {
            owner: owner(2),
            attempt: 2
        }
    );
    assert_eq!((next.created, next.updated), (at(NOW), at(later)));
    assert_eq!(
        (lease_of(&next), next.state.key_expiry()),
        (Some(at(later + 31_000)), Some(at(later + 7_200_000)))
    );
    assert_eq!(
        (&next.decision, &next.pin),
        (&reserved().decision, &reserved().pin)
    );
    let next = given_up().taken_over(owner(2), terms(later));
    assert_eq!(next.state.name(), StateName::Processing);
    let next = leased_while_carrying();
    assert_eq!((next.fence.attempt, next.carried()), (1, Some(&carried())));
}

#[test]
fn a_decision_and_a_failure_have_their_instant_and_their_expiries() {
    let later = NOW + 5_000;
    let State::Succeeded { answer, .. } = succeeded().state else {
        panic!("decided");
    };
    let decided = leased_while_carrying().succeeded(answer, at(later), EXPIRY());
    assert_eq!(
        (decided.updated, decided.state.name()),
        (at(later), StateName::Succeeded)
    );
    assert!(decided.carried().is_none() && decided.is_final());
    let State::FailedFinal { failure, .. } = failed().state else {
        panic!("failed");
    };
    let failed = reserved().failed(failure, at(later), RETENTION);
    assert_eq!(
        (failed.updated, failed.state.name()),
        (at(later), StateName::FailedFinal)
    );
    assert_eq!(failed.state.key_expiry(), Some(at(later + 7_200_000)));
}

#[test]
fn a_failure_of_the_store_is_forgiven_and_a_deadline_is_not() {
    let later = NOW + 5_000;
    for (cause, forgiven) in [
        (RetryCause::Store, 1),
        (RetryCause::Inconsistent, 1),
        (RetryCause::Deadline, 0),
    ] {
        let once = reserved().released(cause, at(later));
        assert_eq!(
            (once.forgiven, once.updated),
            (forgiven, at(later)),
            "{cause:?}"
        );
        let twice = once
            .taken_over(owner(2), terms(later))
            .released(cause, at(later));
        assert_eq!(twice.forgiven, 2 * forgiven, "{cause:?}");
        assert_eq!(twice.counted_attempts(), 2 - 2 * forgiven, "{cause:?}");
        let State::FailedRetryable { cause: told, keep } = once.state else {
            panic!("{cause:?}");
        };
        assert_eq!((told, keep), (cause, Keep::Until(at(KEY))));
        assert_eq!(RetryCause::parse(cause.as_str()), Some(cause));
    }
    assert_eq!(RetryCause::parse("other"), None);
    assert!(is_carrying(
        &leased_while_carrying().released(RetryCause::Store, at(NOW))
    ));
}

#[test]
fn attempts_are_exhausted_under_a_fence_of_its_own() {
    let later = NOW + 60_000;
    let end = reserved().exhausted(owner(2), at(later), RETENTION);
    assert_eq!(
        end.fence,
        Fence {
            owner: owner(2),
            attempt: 2
        }
    );
    let State::FailedFinal { failure, expiry } = &end.state else {
        panic!("{end:?}");
    };
    assert_eq!(failure.code, FinalCode::AttemptsExhausted);
    assert!(failure.detail.starts_with("10 "), "{}", failure.detail);
    assert_eq!((MAX_ATTEMPTS, expiry.result), (10, at(later + 3_600_000)));
    let last = Record {
        fence: Fence {
            attempt: u32::MAX,
            ..end.fence
        },
        ..reserved()
    };
    assert_eq!(
        last.taken_over(owner(2), terms(NOW)).fence.attempt,
        u32::MAX
    );
}

#[test]
fn a_key_outlives_its_result_by_the_margin_at_least() {
    let retention = |key| Retention {
        key: Duration::from_millis(key),
        ..RETENTION
    };
    let expiry = |key| retention(key).from(at(NOW));
    let result = at(RESULT);
    assert_eq!(
        expiry(0),
        Expiry {
            result,
            key: at(RESULT + MARGIN)
        }
    );
    assert_eq!(
        expiry(3_900_000),
        Expiry {
            result,
            key: at(RESULT + MARGIN)
        }
    );
    assert_eq!(
        expiry(3_900_001),
        Expiry {
            result,
            key: at(RESULT + MARGIN + 1)
        }
    );
    assert_eq!(EXPIRY().free_from(), at(KEY + MARGIN));
}

#[test]
fn what_carries_a_request_is_due_by_its_state() {
    let due = |record: Record| record.due().map(|due| due.at);
    assert_eq!(due(queued()), Some(at(NOW)));
    assert_eq!(due(leased_while_carrying()), Some(at(LEASE)));
    let given_up = leased_while_carrying().released(RetryCause::Store, at(NOW));
    assert_eq!(due(given_up), Some(at(NOW + 2_000)));
    for record in [reserved(), super::given_up(), succeeded(), failed()] {
        assert_eq!(due(record), None);
    }
}

#[test]
fn d12_a_lane_is_fixed_for_an_operation_and_there_are_eight() {
    // SHA-256 of the id, by another program: its first byte, modulo 8.
    let due = queued().due().unwrap();
    assert_eq!(
        due.lane,
        super::lanes::first_byte(queued().operation.as_str()) % 8
    );
    assert_eq!(LANES, 8);
    assert!(super::lanes::lanes_of_many_operations().len() == 8);
}

#[test]
fn a_request_is_carried_up_to_the_limit() {
    assert_eq!(CARRIED_LIMIT, 32_768);
    let padded = |bytes: usize| {
        let body =
            |text: &str| format!(r#"{{"facts":{{"t":"{text}"}},"policy":"p","subject":"s"}}"#);
        let text = body(&"x".repeat(bytes - body("").len()));
        DecisionRequest::parse(text.as_bytes()).unwrap()
    };
    assert!(Carried::of(&key(), &padded(CARRIED_LIMIT)).is_some());
    assert!(Carried::of(&key(), &padded(CARRIED_LIMIT + 1)).is_none());
    let carried = carried();
    assert_eq!((carried.key(), carried.request()), (&key(), Ok(request())));
    let (key, body) = carried.parts();
    assert_eq!((key, body), (&super::key(), request().canonical().as_str()));
    assert_eq!(Carried::from_parts(key.clone(), body), carried);
    let shown = format!("{carried:?}");
    assert!(
        shown.contains("bytes") && !shown.contains("acct"),
        "{shown}"
    );
}

#[test]
fn the_trace_that_its_caller_asked_in_is_carried_beside_the_request() {
    let trace = TraceParent::beginning_with("0190b6f2-7e5a-7cc2-9a55-0c9e13a1f1d3");
    let traced = carried().traced(trace);
    assert!(trace.is_some() && traced.trace() == trace);
    assert_eq!(traced.parts(), carried().parts());
    assert_eq!(carried().trace(), None);
}

#[test]
fn states_and_codes_have_the_names_that_are_stored() {
    let names =
        [reserved(), succeeded(), given_up(), failed()].map(|record| record.state.name().as_str());
    assert_eq!(
        names,
        [
            "PROCESSING",
            "SUCCEEDED",
            "FAILED_RETRYABLE",
            "FAILED_FINAL"
        ]
    );
    let codes = [
        FinalCode::DecisionFailed,
        FinalCode::ResultTooLarge,
        FinalCode::AttemptsExhausted,
        FinalCode::AlreadyDecided(reserved().decision),
    ];
    assert_eq!(
        codes.map(|code| code.as_str()),
        [
            "decision-failed",
            "result-too-large",
            "attempts-exhausted",
            "already-decided"
        ]
    );
    let causes = [
        RetryCause::Store,
        RetryCause::Deadline,
        RetryCause::Inconsistent,
    ];
    assert_eq!(
        causes.map(RetryCause::as_str),
        ["store", "deadline", "inconsistent"]
    );
    assert!(!reserved().is_final() && !given_up().is_final() && failed().is_final());
}
