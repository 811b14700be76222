//! The configurations that are explored, and the mutants that must be found.

use super::super::explore::{holds, is_found};
use super::{Config, Mutant};

const CONFIG: Config = Config {
    faults: 2,
    redrives: 1,
    ticks: 2,
    queued: false,
    mutant: Mutant::None,
};

#[test]
fn every_event_is_delivered_with_one_id_and_one_content() {
    holds("delivery", &CONFIG);
}

#[test]
fn every_event_is_delivered_also_with_three_faults_and_no_redrive() {
    holds(
        "delivery, 3 faults",
        &Config {
            faults: 3,
            redrives: 0,
            ticks: 1,
            ..CONFIG
        },
    );
}

#[test]
fn the_event_of_a_queued_operation_is_delivered_however_it_was_decided() {
    let config = Config {
        queued: true,
        redrives: 0,
        ..CONFIG
    };
    holds("delivery, queued", &config);
}

#[test]
fn mutant_decide_from_the_image_is_found() {
    let config = Config {
        queued: true,
        mutant: Mutant::DecideFromTheImage,
        ..CONFIG
    };
    is_found(&config, "an operation was committed twice");
}

#[test]
fn mutant_sweep_only_queued_is_found() {
    let config = Config {
        queued: true,
        mutant: Mutant::SweepOnlyQueued,
        ..CONFIG
    };
    is_found(
        &config,
        "a queued operation was lost: it is not decided and nobody looks for it",
    );
}

#[test]
fn mutant_mark_before_send_is_found() {
    is_found(
        &Config {
            mutant: Mutant::MarkBeforeSend,
            ..CONFIG
        },
        "an event was lost: the sink does not have it and nobody looks for it",
    );
}

#[test]
fn mutant_ttl_at_commit_is_found() {
    is_found(
        &Config {
            mutant: Mutant::TtlAtCommit,
            ..CONFIG
        },
        "a row that its sink does not have has a TTL",
    );
}

#[test]
fn mutant_act_on_any_image_is_found() {
    is_found(
        &Config {
            mutant: Mutant::ActOnAnyImage,
            ..CONFIG
        },
        "something was published for a mark, a removal or a write that changes nothing",
    );
}

#[test]
fn mutant_mark_without_attribute_exists_is_found() {
    is_found(
        &Config {
            mutant: Mutant::MarkWithoutExists,
            ..CONFIG
        },
        "a mark created a row",
    );
}

#[test]
fn mutant_new_id_each_send_is_found() {
    is_found(
        &Config {
            mutant: Mutant::NewIdEachSend,
            ..CONFIG
        },
        "an event was sent with another id or content",
    );
}

#[test]
fn mutant_remember_without_marker_is_found() {
    is_found(
        &Config {
            mutant: Mutant::RememberWithoutMarker,
            ..CONFIG
        },
        "an event that is still to be sent was passed over",
    );
}

#[test]
fn mutant_remember_unmarked_is_found() {
    is_found(
        &Config {
            mutant: Mutant::RememberUnmarked,
            ..CONFIG
        },
        "an event that is still to be sent was passed over",
    );
}
