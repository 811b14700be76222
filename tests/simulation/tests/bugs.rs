//! What is deliberately broken is found, within a few seeds, by the rule that it breaks.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use decide_once_simulation::{Bug, Plan, check, shrink, simulate};

/// Each is found long before.
const SEEDS: u64 = 400;

/// The first plan that shows the bug by breaking this rule.
fn first(bug: Bug, rule: &str) -> Plan {
    let mut plans = (0..SEEDS).map(|seed| Plan::of(seed).with(bug));
    plans
        .find(|plan| check(&simulate(plan)).is_err_and(|violation| violation.rule == rule))
        .unwrap()
}

fn is_found(bug: Bug, rule: &str) {
    println!("seed {}", first(bug, rule).seed);
}

#[test]
fn a_commit_that_is_not_fenced_is_found() {
    is_found(Bug::CommitUnfenced, "one decision in a key's life");
}

#[test]
fn a_transition_that_is_not_fenced_is_found() {
    is_found(Bug::TransitionUnfenced, "what was answered 202 is decided");
}

#[test]
fn a_key_that_is_freed_with_its_result_is_found() {
    is_found(Bug::KeyFreedEarly, "one decision in a key's life");
}

#[test]
fn natural_keys_that_nobody_holds_are_found() {
    is_found(Bug::ClaimsIgnored, "one decision for a natural key");
}

#[test]
fn an_event_that_does_not_commit_with_its_decision_is_found() {
    is_found(Bug::EventDropped, "decision and events commit together");
}

#[test]
fn a_mark_before_the_send_is_found() {
    is_found(Bug::AcknowledgedBeforeSent, "no event is lost");
}

#[test]
fn a_new_id_for_each_send_is_found() {
    is_found(Bug::NewIdEachSend, "an event has one id and one content");
}

#[test]
fn a_consumer_without_marks_is_found() {
    is_found(Bug::MarksIgnored, "an event has one effect");
}

#[test]
fn a_duplicate_of_a_live_claim_that_is_acknowledged_is_found() {
    is_found(Bug::LiveClaimAcknowledged, "an event has one effect");
}

#[test]
fn a_client_that_takes_silence_for_a_new_key_is_found() {
    is_found(
        Bug::NewKeyOnSilence,
        "retrying as advised is no second decision",
    );
}

#[test]
fn a_sweeper_that_never_runs_is_found() {
    is_found(Bug::NoSweeper, "no event is lost");
}

#[test]
fn reads_that_are_a_write_behind_are_found() {
    is_found(Bug::ReadsBehind, "what was answered 202 is decided");
}

#[test]
fn what_is_found_shrinks_to_a_timeline_that_can_be_read() {
    let plan = first(Bug::CommitUnfenced, "one decision in a key's life");
    let (whole, least) = (simulate(&plan), simulate(&shrink(&plan)));
    assert_eq!(
        check(&whole).unwrap_err().rule,
        check(&least).unwrap_err().rule
    );
    assert!(least.plan.asks.len() <= 2, "{}", least.plan);
    assert!(least.entries.len() < 50 && least.entries.len() < whole.entries.len());
}
