//! Tries, sizes, and what a commit is made of.

use super::{NOW, SAME, at, key, owner};
use crate::answer::{INLINE_LIMIT, RESULT_LIMIT, Verdict};
use crate::decision::NaturalClaim;
use crate::envelope::{Envelope, EventLimit};
use crate::flow::{
    Claim, Decided, Decision, Done, EventDraft, Moment, Reservation, Step, TRIES, TryAgain,
};
use crate::record::{FinalCode, Record, RetryCause, State};
use crate::request::Subject;
use crate::writes::{Answer, Commit, Existing, NotApplied};

fn moment(now: i64) -> Moment {
    Moment {
        now: at(now),
        owner: owner(7),
        lease_until: at(now + 31_000),
    }
}

fn begun() -> Claim {
    let first = Moment {
        owner: owner(1),
        ..moment(NOW)
    };
    match Step::begin(&SAME, &first, TRIES) {
        Step::Claim(claim) => claim,
        step => panic!("{step:?}"),
    }
}

fn reservation() -> Reservation {
    match begun().settle(Answer::Applied, &SAME, &moment(NOW)) {
        Step::Evaluate(reservation) => reservation,
        step => panic!("{step:?}"),
    }
}

/// An outcome of so many bytes with so many events of so many bytes each.
fn decision(outcome: usize, events: usize, data: usize) -> Decision {
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    let draft = EventDraft {
        kind: "t".to_owned(),
        data: text(data),
    };
    Decision {
        verdict: Verdict {
            rule: "r".to_owned(),
            outcome: text(outcome),
            event_types: vec!["t".to_owned(); events],
        },
        events: vec![draft; events],
        claims: Vec::new(),
        key: key(),
        subject: Subject::parse("acct-42").unwrap(),
        source: "urn:decide-once:t-alpha".to_owned(),
        event_limit: EventLimit {
            bytes: usize::MAX,
            envelope: Envelope::Message,
        },
        trace: None,
    }
}

fn decided(decision: Decision) -> Decided {
    match reservation().decide(decision, at(NOW)) {
        Step::Commit(decided) => decided,
        step => panic!("{step:?}"),
    }
}

/// What another worker left behind at [`LEASE`](super::LEASE).
fn lapsed() -> Existing {
    Existing::Found(Box::new(Record::reserved(
        super::seed(),
        owner(9),
        super::terms(NOW),
    )))
}

pub(super) fn commit(now: i64, events: usize, claims: Vec<NaturalClaim>) -> Commit {
    let decision = Decision {
        claims,
        ..decision(10, events, 10)
    };
    match reservation().decide(decision, at(now)) {
        Step::Commit(decided) => decided.commit().clone(),
        step => panic!("{step:?}"),
    }
}

#[test]
fn a_result_is_stored_up_to_the_limit_with_its_events() {
    for (outcome, events, data, fits) in [
        (RESULT_LIMIT - 1, 0, 0, true),
        (RESULT_LIMIT, 0, 0, true),
        (RESULT_LIMIT + 1, 0, 0, false),
        (RESULT_LIMIT - 200, 2, 100, true),
        (RESULT_LIMIT - 199, 2, 100, false),
        (10, 0, 0, true),
    ] {
        let data = data.max(2);
        match (
            reservation().decide(decision(outcome, events, data), at(NOW)),
            fits,
        ) {
            (Step::Commit(_), true) => {}
            (Step::Surrender(surrender), false) => {
                let State::FailedFinal { failure, .. } = &surrender.transition().next.state else {
                    panic!("{surrender:?}");
                };
                assert_eq!(failure.code, FinalCode::ResultTooLarge);
            }
            (step, _) => panic!("{outcome} {events} {data}: {step:?}"),
        }
    }
}

#[test]
fn an_answer_is_inline_up_to_the_limit() {
    for (outcome, is_inline) in [
        (INLINE_LIMIT - 1, true),
        (INLINE_LIMIT, true),
        (INLINE_LIMIT + 1, false),
    ] {
        let decided = decided(decision(outcome, 0, 2));
        let State::Succeeded { answer, .. } = &decided.commit().operation.next.state else {
            panic!("{decided:?}");
        };
        assert_eq!(answer.inline.is_some(), is_inline, "{outcome}");
    }
}

#[test]
fn who_has_committed_has_the_decision_in_hand() {
    let decided = decided(decision(10, 1, 10));
    let commit = decided.commit().clone();
    let Step::Done(Done::Committed(committed)) =
        decided.settle(Answer::Applied, &SAME, &moment(NOW))
    else {
        panic!("not committed");
    };
    assert_eq!(committed.decision(), Some(&commit.decision));
    assert_eq!(committed.record(), &commit.operation.next);
    assert_eq!(reservation().attempt(), 1);
    let now = moment(super::LEASE);
    let Step::Claim(takeover) = begun().settle(Answer::Refused(lapsed()), &SAME, &now) else {
        panic!("not to be taken over");
    };
    let Step::Evaluate(second) = takeover.settle(Answer::Applied, &SAME, &now) else {
        panic!("not taken over");
    };
    assert_eq!(second.attempt(), 2);
}

/// How often a step comes back before the call ends, and how it ends.
fn again(mut step: Step, mut settle: impl FnMut(Step) -> Step) -> (u8, Step) {
    let mut times = 0;
    while !matches!(step, Step::Done(_)) && times < 100 {
        step = settle(step);
        times += 1;
    }
    (times, step)
}

fn ends_unknown(step: &Step) -> bool {
    *step == Step::Done(Done::TryAgain(TryAgain::OutcomeUnknown))
}

/// Each time another worker's lapsed record stands in the way.
#[test]
fn a_call_claims_once_and_then_as_often_as_it_may_try() {
    let now = moment(super::LEASE);
    let (claims, end) = again(Step::Claim(begun()), |step| match step {
        Step::Claim(claim) => claim.settle(Answer::Refused(lapsed()), &SAME, &now),
        step => panic!("{step:?}"),
    });
    assert_eq!(claims, TRIES + 1);
    assert!(ends_unknown(&end), "{end:?}");
}

/// Each time the read finds nothing.
#[test]
fn a_claim_that_vanishes_is_sent_again_as_often_as_it_may_be() {
    let now = moment(NOW);
    let mut claims = 0;
    let (_, end) = again(Step::Claim(begun()), |step| match step {
        Step::Claim(claim) => {
            claims += 1;
            claim.settle(Answer::Unknown, &SAME, &now)
        }
        Step::Recheck(recheck) => recheck.settle(Some(Existing::Absent), &SAME, &now),
        step => panic!("{step:?}"),
    });
    assert_eq!(claims, TRIES + 1);
    assert!(ends_unknown(&end), "{end:?}");
}

/// Each time the record is still this worker's own, PROCESSING.
#[test]
fn a_surrender_is_sent_again_as_often_as_it_may_be() {
    let now = moment(NOW);
    let surrender = reservation().release(RetryCause::Deadline, at(NOW));
    let mut sent = 0;
    let (_, end) = again(Step::Surrender(surrender), |step| match step {
        Step::Surrender(surrender) => {
            sent += 1;
            surrender.settle(Answer::NotApplied(NotApplied::Conflict), &SAME, &now)
        }
        step => panic!("{step:?}"),
    });
    assert_eq!(sent, TRIES + 1);
    assert!(ends_unknown(&end), "{end:?}");
}

/// When the tries are used up the attempt is given up, under a condition that fails if one of the sends has landed.
#[test]
fn a_commit_is_sent_again_as_often_as_it_may_be_and_then_released() {
    let now = moment(NOW);
    let mut step = Step::Commit(decided(decision(10, 0, 2)));
    let mut sent = 0;
    while let Step::Commit(decided) = step {
        sent += 1;
        step = decided.settle(Answer::NotApplied(NotApplied::Conflict), &SAME, &now);
    }
    assert_eq!(sent, TRIES + 1);
    let Step::Surrender(surrender) = step else {
        panic!("{step:?}");
    };
    let next = &surrender.transition().next;
    assert!(
        matches!(
            next.state,
            State::FailedRetryable {
                cause: RetryCause::Store,
                ..
            }
        ),
        "{next:?}"
    );
}

/// What a surrender finds that somebody else has taken over: it claims no more often than its reservation had tries left.
#[test]
fn a_surrender_that_finds_a_lapsed_record_goes_on_with_the_tries_that_are_left() {
    let now = moment(super::LEASE);
    let surrender = reservation().release(RetryCause::Deadline, at(NOW));
    let mut claims = 0;
    let (_, end) = again(Step::Surrender(surrender), |step| match step {
        Step::Surrender(surrender) => surrender.settle(Answer::Refused(lapsed()), &SAME, &now),
        Step::Claim(claim) => {
            claims += 1;
            claim.settle(Answer::Refused(lapsed()), &SAME, &now)
        }
        step => panic!("{step:?}"),
    });
    assert_eq!(claims, TRIES);
    assert!(ends_unknown(&end), "{end:?}");
}
