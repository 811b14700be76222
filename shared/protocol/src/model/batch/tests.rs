//! The configurations that are explored, and the mutants that must be found.

use super::super::explore::{holds, is_found};
use super::{Config, Mutant};

const CONFIG: Config = Config {
    faults: 4,
    mutant: Mutant::None,
};

#[test]
fn every_row_of_a_batch_is_done_and_none_overtakes_its_subjects_earlier_one() {
    holds("batch", &CONFIG);
}

/// Asserts that breaking one rule is found by another.
fn found(mutant: Mutant, rule: &str) {
    is_found(&Config { mutant, ..CONFIG }, rule);
}

#[test]
fn mutant_no_lanes_is_found() {
    let rule = "a row was sent before an earlier one of its subject was done";
    found(Mutant::NoLanes, rule);
}

#[test]
fn mutant_go_on_behind_a_failure_is_found() {
    let rule = "a row was sent before an earlier one of its subject was done";
    found(Mutant::GoOnBehindAFailure, rule);
}

#[test]
fn mutant_checkpoint_at_the_last_is_found() {
    let rule = "the stream went on past a row that is not done";
    found(Mutant::CheckpointAtTheLast, rule);
}

#[test]
fn mutant_remember_what_is_sent_is_found() {
    let rule = "a row that is still to be sent was passed over";
    found(Mutant::RememberWhatIsSent, rule);
}
