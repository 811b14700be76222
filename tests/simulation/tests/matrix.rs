//! The crash matrix in memory: whatever crashes when, one operation is one decision.

use decide_once_simulation::matrix::{Moment, cell, crashes};

#[test]
fn each_crash_and_return_ends_in_as_many_events_and_effects_as_decisions() {
    for crash in crashes() {
        for moment in Moment::ALL {
            let cell = cell(crash, moment);
            println!("{} {} {moment}: {cell}", crash.part, crash.point);
            assert_eq!(
                (cell.events, cell.effects),
                (cell.decisions, cell.decisions)
            );
            assert!(cell.decisions == 1 || cell.decisions == 2 && moment == Moment::KeyFree);
        }
    }
}
