//! The configurations that are explored, and the mutants that must be found.

use std::time::Duration;

use super::super::explore::{holds, is_found};
use super::{Config, Mutant};
use crate::record::{EXPIRY_MARGIN, MAX_ATTEMPTS};

fn mutant(mutant: Mutant) -> Config {
    Config {
        mutant,
        ..Config::new(&[2, 2])
    }
}

#[test]
fn two_workers_with_five_requests() {
    holds(
        "2 workers, 3 + 2 requests",
        &Config {
            faults: 1,
            ..Config::new(&[3, 2])
        },
    );
}

#[test]
fn three_workers_with_four_requests() {
    holds(
        "3 workers, 2 + 1 + 1 requests",
        &Config {
            faults: 1,
            ..Config::new(&[2, 1, 1])
        },
    );
}

#[test]
fn two_workers_with_one_request_each_and_three_faults() {
    holds(
        "3 faults",
        &Config {
            faults: 3,
            ..Config::new(&[1, 1])
        },
    );
}

#[test]
fn two_workers_whose_clocks_differ_by_the_whole_margin() {
    holds(
        "skewed clocks",
        &Config {
            faults: 1,
            ..Config::new(&[2, 2]).skewed()
        },
    );
}

#[test]
fn a_key_lives_through_its_three_zones_and_again() {
    let config = Config {
        long_ticks: 3,
        short_ticks: 0,
        faults: 1,
        ..Config::new(&[1, 1])
    };
    holds("three zones", &config);
    holds("three zones, skewed", &config.skewed());
}

#[test]
fn what_a_worker_remembers_is_what_stands() {
    let config = Config {
        faults: 1,
        short_ticks: 0,
        long_ticks: 3,
        remembers: true,
        ..Config::new(&[2, 1])
    };
    // The one that remembers is behind the one that may free the key, by all that clocks may differ by.
    holds("remembered answers", &config.skewed());
}

#[test]
fn mutant_remembers_for_ever_is_found() {
    let config = Config {
        remembers: true,
        long_ticks: 3,
        ..mutant(Mutant::RemembersForEver)
    };
    is_found(
        &config,
        "an answer was remembered that does not stand any more",
    );
}

#[test]
fn the_last_attempts_of_an_operation() {
    let config = Config {
        faults: 1,
        attempts_before: MAX_ATTEMPTS - 1,
        ..Config::new(&[2, 2])
    };
    holds("last attempt", &config);
    holds(
        "no attempt left",
        &Config {
            attempts_before: MAX_ATTEMPTS,
            ..config
        },
    );
}

#[test]
fn mutant_commit_unfenced_is_found() {
    is_found(
        &mutant(Mutant::CommitUnfenced),
        "a stale worker changed the record",
    );
}

#[test]
fn mutant_commit_absent_or_mine_is_found() {
    let config = Config {
        long_ticks: 3,
        faults: 2,
        ..mutant(Mutant::CommitAbsentOrMine)
    };
    is_found(&config, "a stale worker changed the record");
}

#[test]
fn mutant_release_without_state_is_found() {
    is_found(
        &mutant(Mutant::ReleaseWithoutState),
        "a finished record changed while its key lives",
    );
}

#[test]
fn mutant_release_unfenced_is_found() {
    is_found(
        &mutant(Mutant::ReleaseUnfenced),
        "a finished record changed while its key lives",
    );
}

#[test]
fn mutant_no_fingerprint_is_found() {
    is_found(
        &mutant(Mutant::NoFingerprint),
        "a status went to another request",
    );
}

#[test]
fn mutant_no_reread_on_unknown_is_found() {
    is_found(
        &mutant(Mutant::NoRereadOnUnknown),
        "a new key was advised where a decision was committed",
    );
}

/// Taking an unknown commit for a failed one costs an answer, not safety: the release that follows is conditional on the
/// state and the fence, so it is refused where the commit landed, and refuses the commit where it lands later.
#[test]
fn mutant_unknown_is_not_applied_cannot_be_found_because_every_later_write_is_fenced() {
    holds(
        "unknown taken for not applied",
        &Config {
            requests: &[1, 1],
            ..mutant(Mutant::UnknownIsNotApplied)
        },
    );
}

#[test]
fn mutant_exhausted_answered_before_it_is_recorded_is_found() {
    let config = Config {
        attempts_before: MAX_ATTEMPTS - 1,
        ..mutant(Mutant::ExhaustedAnsweredEarly)
    };
    is_found(
        &config,
        "a new key was advised where a decision was committed",
    );
}

/// The margin is what carries clocks that differ: beyond it a fast clock frees a key that still lives.
#[test]
fn clocks_that_differ_by_more_than_the_margin_are_found() {
    let config = Config {
        long_ticks: 2,
        ahead: [
            Duration::ZERO,
            EXPIRY_MARGIN + Duration::from_secs(3_600),
            Duration::ZERO,
        ],
        ..Config::new(&[1, 1])
    };
    is_found(&config, "a finished record changed while its key lives");
}

#[test]
fn a_queued_request_is_decided_by_the_queue_or_by_its_caller() {
    let config = Config {
        faults: 1,
        ..Config::queued(&[2, 1, 2])
    };
    holds("queued, a caller and the queue", &config);
    holds("queued, two faults", &Config::queued(&[1, 2]));
    holds(
        "queued, skewed clocks",
        &Config::queued(&[1, 1, 1]).skewed(),
    );
}

#[test]
fn a_queued_request_outlives_every_expiry() {
    let config = Config {
        long_ticks: 3,
        short_ticks: 0,
        faults: 1,
        ..Config::queued(&[1, 1, 1])
    };
    holds("queued, three zones", &config);
    holds("queued, three zones, skewed", &config.skewed());
}

#[test]
fn mutant_ttl_while_carrying_is_found() {
    let config = Config {
        long_ticks: 3,
        mutant: Mutant::TtlWhileCarrying,
        ..Config::queued(&[1, 1])
    };
    is_found(&config, "a queued request was deleted before its end");
}

#[test]
fn mutant_takeover_drops_request_is_found() {
    let config = Config {
        mutant: Mutant::TakeoverDropsRequest,
        ..Config::queued(&[1, 1])
    };
    is_found(&config, "a queued request was dropped before its end");
}

#[test]
fn mutant_queued_is_vacant_is_found() {
    let config = Config {
        mutant: Mutant::QueuedIsVacant,
        ..Config::queued(&[1, 1, 1])
    };
    is_found(&config, "a queued request was replaced before its end");
}

#[test]
fn mutant_queue_forgets_released_is_found() {
    let config = Config {
        mutant: Mutant::QueueForgetsReleased,
        ..Config::queued(&[1, 2])
    };
    is_found(&config, "a queued operation has nobody who looks after it");
}
