//! A consumer's marks.

use std::time::Duration;

use super::{MARGIN, NOW, at, owner};
use crate::inbox::{
    Begun, Claim, ConsumerName, DownstreamKey, Ended, EventName, Finish, FoundMark, Keep, Kept,
    Mark, MarkAnswer, MarkId, MarkRetention, MarkState, NotYet, Release, Together,
};

const LAPSES: i64 = NOW + 30_000;
const UNTIL: i64 = NOW + 86_400_000;

fn id() -> MarkId {
    MarkId::of(&consumer(), &EventName::new("urn:a", "e.0").unwrap())
}

fn consumer() -> ConsumerName {
    ConsumerName::parse("balances").unwrap()
}

fn claimed(number: u8) -> Mark {
    claim(number, NOW).mark()
}

fn done() -> Mark {
    finish(1).mark()
}

fn claim(number: u8, now: i64) -> Claim {
    Claim {
        id: id(),
        owner: owner(number),
        lapses: at(LAPSES),
        now: at(now),
    }
}

fn finish(number: u8) -> Finish {
    Finish {
        id: id(),
        owner: owner(number),
        until: at(UNTIL),
    }
}

fn keep(now: i64) -> Keep {
    Keep {
        id: id(),
        until: at(UNTIL),
        now: at(now),
        token: owner(1),
    }
}

#[test]
fn a_claim_lapses_at_its_end_and_a_mark_ends_the_margin_after_its_own() {
    for (mark, end) in [(claimed(1), LAPSES), (done(), UNTIL + MARGIN)] {
        for (now, is_vacant) in [(end - 1, false), (end, true), (end + 1, true)] {
            assert_eq!(mark.state.is_vacant(at(now)), is_vacant, "{now}");
            assert_eq!(claim(2, now).permits(Some(&mark)), is_vacant, "{now}");
            assert_eq!(keep(now).permits(Some(&mark)), is_vacant, "{now}");
        }
    }
    assert!(claim(2, NOW).permits(None) && keep(NOW).permits(None));
    assert_eq!(claimed(1).state.ttl().as_secs(), LAPSES / 1000 + 300);
    assert_eq!(done().state.ttl().as_secs(), UNTIL / 1000 + 300);
}

#[test]
fn a_finish_and_a_release_take_their_owners_claim_and_nothing_else() {
    let release = Release {
        id: id(),
        owner: owner(1),
    };
    for (existing, is_mine) in [
        (Some(claimed(1)), true),
        (Some(claimed(2)), false),
        (Some(done()), false),
        (None, false),
    ] {
        assert_eq!(
            finish(1).permits(existing.as_ref()),
            is_mine,
            "{existing:?}"
        );
        assert_eq!(release.permits(existing.as_ref()), is_mine, "{existing:?}");
    }
    assert_eq!(done().state, MarkState::Done { until: at(UNTIL) });
    assert_eq!(keep(NOW).mark(), done());
}

#[test]
fn what_a_claim_finds_is_mine_busy_done_or_not_known() {
    let found = |mark, now| claim(1, now).settle_read(FoundMark::Mark(mark));
    assert!(matches!(found(claimed(1), NOW), Begun::Granted(_)));
    assert!(
        matches!(found(claimed(1), LAPSES), Begun::Granted(_)),
        "also when it has lapsed"
    );
    assert!(matches!(
        found(claimed(2), LAPSES - 1),
        Begun::NotYet(NotYet::Busy)
    ));
    assert!(matches!(
        found(claimed(2), LAPSES),
        Begun::NotYet(NotYet::Unclear)
    ));
    assert!(matches!(
        found(done(), UNTIL + MARGIN - 1),
        Begun::Duplicate
    ));
    assert!(matches!(
        found(done(), UNTIL + MARGIN),
        Begun::NotYet(NotYet::Unclear)
    ));
}

#[test]
fn what_a_finish_finds_is_done_mine_or_lost() {
    let found = |mark| finish(1).settle_read(FoundMark::Mark(mark));
    assert!(matches!(found(done()), Ended::Done));
    assert!(matches!(found(claimed(1)), Ended::Again(_)));
    assert!(matches!(found(claimed(2)), Ended::NotYet(NotYet::Lost)));
    assert!(matches!(
        finish(1).settle_read(FoundMark::Absent),
        Ended::NotYet(NotYet::Lost)
    ));
    let refused = MarkAnswer::Refused(FoundMark::Mark(claimed(1)));
    assert!(matches!(
        finish(1).settle(refused),
        Ended::NotYet(NotYet::Lost)
    ));
}

#[test]
fn what_a_keep_finds_is_done_busy_or_vacant() {
    let found = |mark, now| keep(now).settle_read(FoundMark::Mark(mark));
    assert!(matches!(found(done(), UNTIL + MARGIN - 1), Kept::Duplicate));
    assert!(matches!(found(done(), UNTIL + MARGIN), Kept::Again(_)));
    assert!(matches!(
        found(claimed(2), LAPSES - 1),
        Kept::NotYet(NotYet::Busy)
    ));
    assert!(matches!(found(claimed(2), LAPSES), Kept::Again(_)));
    let refused = Together::MarkRefused(FoundMark::Absent);
    assert!(matches!(
        keep(NOW).settle(refused),
        Kept::NotYet(NotYet::Unclear)
    ));
}

#[test]
fn a_retention_covers_what_is_younger_than_itself() {
    let day = Duration::from_secs(86_400);
    assert_eq!(MarkRetention::DEFAULT.kept(), 28 * day);
    assert_eq!(MarkRetention::LONGEST_REDRIVE, 14 * day);
    let kept = MarkRetention::new(day, day).unwrap();
    assert_eq!(kept.kept(), day);
    assert_eq!(kept.until(at(NOW)), at(UNTIL));
    for (now, is_covered) in [
        (NOW, true),
        (UNTIL - 1, true),
        (UNTIL, false),
        (UNTIL + 1, false),
    ] {
        assert_eq!(kept.covers(at(NOW), at(now)), is_covered, "{now}");
    }
}

#[test]
fn a_marks_name_is_52_characters_of_base32() {
    let id = id();
    assert_eq!(MarkId::parse(id.as_str()), Some(id.clone()));
    assert_eq!(id.to_string(), id.as_str());
    assert_eq!(id.as_str().len(), 52);
    for other in [
        "",
        &"a".repeat(51),
        &"a".repeat(53),
        &"A".repeat(52),
        &"1".repeat(52),
    ] {
        assert_eq!(MarkId::parse(other), None, "{other}");
    }
    let event = EventName::new("urn:a", "e.0").unwrap();
    let key = DownstreamKey::of(&consumer(), &event);
    assert_eq!(
        (key.as_str().len(), key.to_string().as_str()),
        (52, key.as_str())
    );
    assert_ne!(key.as_str(), id.as_str());
    assert_eq!(consumer().as_str(), "balances");
    assert!(ConsumerName::parse("").is_err());
}
