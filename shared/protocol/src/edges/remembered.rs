//! What an instance may answer from what it has seen.

use super::{Asks, NOW, RESULT, SAME, at, failed, given_up, reserved, succeeded, verdict};
use crate::classify::Sameness;
use crate::flow::{Done, Remembered};
use crate::record::{Record, State};

fn remembered(record: Record) -> Option<Remembered> {
    Remembered::of(&Done::Finished(Box::new(record)))
}

#[test]
fn what_is_finished_is_remembered_until_its_result_expires() {
    for record in [succeeded(), failed()] {
        let seen = remembered(record.clone()).unwrap();
        let finished = Done::Finished(Box::new(record));
        for now in [NOW, RESULT - 1] {
            assert_eq!(seen.recall(&SAME, at(now)).as_ref(), Some(&finished));
        }
        for now in [RESULT, RESULT + 1] {
            assert_eq!(seen.recall(&SAME, at(now)), None);
        }
        let pointers = vec!["/subject".to_owned()];
        let differs = Asks(Sameness::Different {
            pointers: pointers.clone(),
        });
        assert_eq!(
            seen.recall(&differs, at(NOW)),
            Some(Done::Mismatch { pointers })
        );
        let differs = Asks(Sameness::Different {
            pointers: Vec::new(),
        });
        assert_eq!(
            seen.recall(&differs, at(RESULT)),
            None,
            "from then on the store is asked"
        );
    }
}

#[test]
fn what_is_not_finished_or_not_whole_is_not_remembered() {
    for record in [reserved(), given_up()] {
        assert_eq!(remembered(record), None);
    }
    let mut by_reference = succeeded();
    if let State::Succeeded { answer, .. } = &mut by_reference.state {
        answer.inline = None;
    }
    assert_eq!(remembered(by_reference), None);
}

#[test]
fn its_size_is_what_varies_and_a_fixed_part() {
    let members = reserved().identity.members.encode().len();
    let fixed = 2_048 + 16 * members;
    let text = size_of::<String>();
    let verdict = verdict().rule.len() + verdict().outcome.len() + (text + 1) + (text + 3);
    assert_eq!(remembered(succeeded()).unwrap().size(), fixed + verdict);
    assert_eq!(
        remembered(failed()).unwrap().size(),
        fixed + "no rule matched".len()
    );
}
