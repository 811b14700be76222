//! What a record means turns at these instants.

use super::{
    Asks, KEY, LEASE, MARGIN, NOW, RESULT, SAME, at, failed, given_up, in_attempt, owner, queued,
    reserved, succeeded,
};
use crate::classify::{Doing, Sameness, Standing, classify};
use crate::record::{Fence, MAX_ATTEMPTS, Record};
use crate::time::PLAUSIBLE_AHEAD;
use crate::writes::{Existing, Unreadable};

fn stands(record: &Record, doing: Doing, now: i64) -> Standing {
    classify(
        Existing::Found(Box::new(record.clone())),
        &SAME,
        doing,
        at(now),
    )
}

fn seen(record: &Record, now: i64) -> Standing {
    stands(record, Doing::Looking, now)
}

fn boxed(record: Record) -> Box<Record> {
    Box::new(record)
}

#[test]
fn a_result_is_kept_before_its_expiry_and_gone_at_it() {
    let (decided, failed) = (succeeded(), failed());
    for now in [NOW, RESULT - 1] {
        assert_eq!(
            seen(&decided, now),
            Standing::Finished(boxed(decided.clone()))
        );
        assert_eq!(
            seen(&failed, now),
            Standing::Finished(boxed(failed.clone()))
        );
    }
    for now in [RESULT, RESULT + 1, KEY + MARGIN - 1] {
        let gone = |decision| Standing::ResultExpired {
            decision,
            free_from: at(KEY + MARGIN),
        };
        assert_eq!(seen(&decided, now), gone(Some(decided.decision.clone())));
        assert_eq!(seen(&failed, now), gone(None));
    }
}

#[test]
fn a_key_is_free_at_its_expiry_plus_the_margin() {
    for record in [reserved(), succeeded(), failed(), given_up()] {
        assert_ne!(
            seen(&record, KEY + MARGIN - 1),
            Standing::Vacant,
            "{record:?}"
        );
        assert_eq!(seen(&record, KEY + MARGIN), Standing::Vacant, "{record:?}");
        assert_eq!(
            seen(&record, KEY + MARGIN + 1),
            Standing::Vacant,
            "{record:?}"
        );
    }
    assert_eq!(
        seen(&queued(), KEY + MARGIN),
        Standing::Lapsed(boxed(queued())),
        "what carries a request is never free"
    );
}

#[test]
fn a_lease_lapses_at_its_end() {
    let record = reserved();
    for now in [NOW, LEASE - 1] {
        assert_eq!(
            seen(&record, now),
            Standing::InProgress(boxed(record.clone()))
        );
    }
    for now in [LEASE, LEASE + 1] {
        assert_eq!(seen(&record, now), Standing::Lapsed(boxed(record.clone())));
    }
}

#[test]
fn a_queued_record_is_left_alone_for_the_callers_patience() {
    let record = queued();
    let patience = NOW + 10_000;
    for now in [NOW, patience - 1] {
        assert_eq!(
            seen(&record, now),
            Standing::InProgress(boxed(record.clone()))
        );
    }
    for now in [patience, patience + 1] {
        assert_eq!(seen(&record, now), Standing::Lapsed(boxed(record.clone())));
    }
}

#[test]
fn the_last_attempt_is_the_tenth_that_counts() {
    for record in [reserved(), given_up()] {
        let before = in_attempt(MAX_ATTEMPTS - 1, record.clone());
        assert_eq!(
            seen(&before, LEASE),
            Standing::Lapsed(boxed(before.clone()))
        );
        for attempt in [MAX_ATTEMPTS, MAX_ATTEMPTS + 1] {
            let spent = in_attempt(attempt, record.clone());
            assert_eq!(
                seen(&spent, LEASE),
                Standing::Exhausted(boxed(spent.clone()))
            );
            let forgiven = Record {
                forgiven: attempt - MAX_ATTEMPTS + 1,
                ..spent
            };
            assert_eq!(
                seen(&forgiven, LEASE),
                Standing::Lapsed(boxed(forgiven.clone()))
            );
        }
    }
}

#[test]
fn mine_is_what_has_my_fence_and_nothing_else() {
    let mine = Fence {
        owner: owner(1),
        attempt: 1,
    };
    let record = reserved();
    let claiming = stands(&record, Doing::Claiming(mine), NOW);
    assert_eq!(claiming, Standing::Owned(boxed(record.clone())));
    assert_eq!(
        stands(&record, Doing::Finishing(mine), NOW),
        Standing::Unfinished
    );
    for theirs in [
        Fence { attempt: 2, ..mine },
        Fence {
            owner: owner(2),
            ..mine
        },
    ] {
        for doing in [Doing::Claiming(theirs), Doing::Finishing(theirs)] {
            let busy = Standing::InProgress(boxed(record.clone()));
            assert_eq!(stands(&record, doing, NOW), busy, "{doing:?}");
        }
    }
    let (decided, failed) = (succeeded(), failed());
    for doing in [Doing::Claiming(mine), Doing::Finishing(mine)] {
        // Also when its result is long gone: whoever made it is told what became of it.
        assert_eq!(
            stands(&decided, doing, KEY + MARGIN),
            Standing::Committed(boxed(decided.clone()))
        );
        assert_eq!(
            stands(&failed, doing, KEY + MARGIN),
            Standing::Surrendered(boxed(failed.clone()))
        );
    }
}

#[test]
fn the_end_of_a_life_is_news_to_who_had_it_and_a_licence_to_who_had_not() {
    let fence = Fence {
        owner: owner(1),
        attempt: 1,
    };
    for (doing, means) in [
        (Doing::Looking, Standing::Vacant),
        (Doing::Claiming(fence), Standing::Vacant),
        (Doing::Finishing(fence), Standing::Lost),
    ] {
        assert_eq!(classify(Existing::Absent, &SAME, doing, at(NOW)), means);
    }
}

#[test]
fn another_request_is_told_so_before_anything_of_the_state() {
    let pointers = vec!["/facts/amount".to_owned()];
    let differs = Asks(Sameness::Different {
        pointers: pointers.clone(),
    });
    for record in [reserved(), queued(), succeeded(), failed(), given_up()] {
        let existing = || Existing::Found(boxed(record.clone()));
        let means = classify(existing(), &differs, Doing::Looking, at(NOW));
        assert_eq!(
            means,
            Standing::Mismatch {
                pointers: pointers.clone()
            }
        );
        let unjudged = classify(
            existing(),
            &Asks(Sameness::Unjudged),
            Doing::Looking,
            at(NOW),
        );
        assert_eq!(unjudged, Standing::Unjudged);
    }
}

#[test]
fn an_instant_beyond_every_retention_is_a_mistake_of_units() {
    let ahead = i64::try_from(PLAUSIBLE_AHEAD.as_millis()).unwrap();
    assert_eq!(ahead, 316_224_000_000, "ten years of 366 days");
    let is_corrupt = |record: &Record, now| {
        matches!(
            seen(record, now),
            Standing::Unreadable(Unreadable::Corrupt { .. })
        )
    };
    for (record, latest) in [
        (reserved(), KEY),
        (queued(), NOW),
        (succeeded(), KEY),
        (given_up(), KEY),
        (super::leased_while_carrying(), LEASE),
    ] {
        assert!(!is_corrupt(&record, latest - ahead), "{record:?}");
        assert!(is_corrupt(&record, latest - ahead - 1), "{record:?}");
    }
}
