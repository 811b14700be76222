//! The configurations that are explored, and the mutants that must be found.

use super::super::explore::{holds, is_found};
use super::{Config, Mutant};

const CONFIG: Config = Config {
    copies: 2,
    faults: 2,
    ticks: 3,
    mutant: Mutant::None,
};

#[test]
fn k01_every_copy_is_acknowledged_after_the_effect_and_never_before() {
    holds("inbox, two copies", &CONFIG);
}

#[test]
fn three_copies_at_once_have_one_effect() {
    let config = Config {
        copies: 3,
        faults: 1,
        ticks: 2,
        ..CONFIG
    };
    holds("inbox, three copies", &config);
}

/// Asserts that breaking one rule is found by another.
fn found(mutant: Mutant, rule: &str) {
    is_found(&Config { mutant, ..CONFIG }, rule);
}

#[test]
fn mutant_mark_before_worked_is_found() {
    let rule = "a mark says done, and the effect has not happened";
    found(Mutant::MarkBeforeWorked, rule);
}

#[test]
fn mutant_acknowledge_a_live_claim_is_found() {
    let rule = "an event was acknowledged whose effect has not happened";
    found(Mutant::AcknowledgeALiveClaim, rule);
}

/// A late finish says "done" as truly as its successor's; what it breaks is how long that is remembered.
#[test]
fn mutant_finish_unfenced_is_found() {
    found(
        Mutant::FinishUnfenced,
        "an event that was done was worked on again",
    );
}

#[test]
fn mutant_release_unfenced_is_found() {
    found(
        Mutant::ReleaseUnfenced,
        "an event that was done was worked on again",
    );
}

#[test]
fn mutant_no_lease_is_found() {
    found(Mutant::NoLease, "a copy is never acknowledged");
}

#[test]
fn mutant_key_of_the_claim_is_found() {
    found(Mutant::KeyOfTheClaim, "the other side had the effect twice");
}
