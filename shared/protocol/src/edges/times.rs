//! Instants and seconds.

use std::time::Duration;

use super::{NOW, at};
use crate::time::{PLAUSIBLE_AHEAD, Timestamp, TtlSeconds};

/// 9999-12-31T23:59:59.999Z.
const LATEST: i64 = 253_402_300_799_999;

#[test]
fn an_instant_is_from_1970_to_9999() {
    for (millis, is_one) in [
        (i64::MIN, false),
        (-1, false),
        (0, true),
        (1, true),
        (NOW, true),
        (LATEST - 1, true),
        (LATEST, true),
        (LATEST + 1, false),
        (i64::MAX, false),
    ] {
        let instant = Timestamp::from_millis(millis);
        assert_eq!(instant.map(Timestamp::as_millis), is_one.then_some(millis));
    }
}

#[test]
fn later_and_earlier_end_where_instants_do() {
    let second = Duration::from_secs(1);
    assert_eq!(at(NOW).plus(second), at(NOW + 1_000));
    assert_eq!(at(LATEST - 999).plus(second), at(LATEST));
    assert_eq!(at(LATEST - 1_000).plus(second), at(LATEST));
    assert_eq!(at(LATEST - 1_001).plus(second), at(LATEST - 1));
    assert_eq!(at(NOW).plus(Duration::MAX), at(LATEST));
    assert_eq!(at(NOW).minus(second), at(NOW - 1_000));
    assert_eq!(at(1_001).minus(second), at(1));
    assert_eq!(at(999).minus(second), Timestamp::EPOCH);
    assert_eq!(at(NOW).minus(Duration::MAX), Timestamp::EPOCH);
}

#[test]
fn what_is_past_is_no_time_away() {
    assert_eq!(at(NOW).until(at(NOW + 5)), Duration::from_millis(5));
    assert_eq!(at(NOW).until(at(NOW)), Duration::ZERO);
    assert_eq!(at(NOW).until(at(NOW - 5)), Duration::ZERO);
}

#[test]
fn plausible_is_up_to_ten_years_ahead() {
    assert_eq!(PLAUSIBLE_AHEAD.as_secs(), 316_224_000);
    let last = at(NOW).plus(PLAUSIBLE_AHEAD);
    assert!(at(0).is_plausible_at(at(NOW)));
    assert!(last.is_plausible_at(at(NOW)));
    assert!(!last.plus(Duration::from_millis(1)).is_plausible_at(at(NOW)));
}

#[test]
fn ttl_is_rounded_up_and_deletes_at_its_second() {
    for (millis, seconds) in [(0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (2_500, 3)] {
        let ttl = TtlSeconds::covering(at(millis), Duration::ZERO);
        assert_eq!(ttl.as_secs(), seconds, "{millis}");
    }
    let ttl = TtlSeconds::covering(at(NOW), Duration::from_secs(300));
    let end = NOW + 300_000;
    for (now, may_go) in [(end - 1, false), (end, true), (end + 1, true)] {
        assert_eq!(ttl.allows_deletion_at(at(now)), may_go, "{now}");
    }
}
