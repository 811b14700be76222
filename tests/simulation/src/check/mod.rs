//! The tenets (design.md §1), checked against what was observed: answers, arrivals, effects; and the tables at the end.

mod advice;
mod answers;
mod decisions;
mod events;
mod evidence;

use std::fmt;

use crate::journal::{What, short};
use crate::simulate::Run;
use evidence::Evidence;

/// A tenet does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub rule: &'static str,
    /// What shows it.
    pub detail: String,
}

/// Checks everything.
///
/// # Errors
/// The first tenet that does not hold.
pub fn check(run: &Run) -> Result<(), Violation> {
    let evidence = Evidence::of(run);
    decisions::one_in_a_keys_life(&evidence)?;
    decisions::one_for_a_request(&evidence)?;
    decisions::one_for_an_order(&evidence)?;
    decisions::records_agree(&evidence)?;
    answers::are_the_recorded_ones(&evidence)?;
    answers::one_says_created(&evidence)?;
    answers::matching_requests_are_not_refused(&evidence)?;
    advice::a_new_key_is_safe(&evidence)?;
    advice::the_last_word_is_known(&evidence)?;
    what_was_accepted_is_decided(&evidence)?;
    events::commit_with_their_decision(&evidence)?;
    events::arrive_as_they_are(&evidence)?;
    events::have_one_effect(&evidence)?;
    at_rest(&evidence)
}

fn what_was_accepted_is_decided(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let mut records = evidence.run.end.operations.iter();
    match records.find(|record| record.carried().is_some()) {
        None => Ok(()),
        Some(record) => {
            let detail = format!("{} is not final", record.operation);
            violated("what was answered 202 is decided", detail)
        }
    }
}

fn at_rest(evidence: &Evidence<'_>) -> Result<(), Violation> {
    if evidence
        .run
        .entries
        .iter()
        .any(|entry| entry.what == What::Panics)
    {
        return violated(
            "nothing panics",
            "its message is on the standard error".to_owned(),
        );
    }
    if evidence.run.end.at_rest {
        Ok(())
    } else {
        violated(
            "everything comes to rest",
            "something is still under way".to_owned(),
        )
    }
}

fn violated(rule: &'static str, detail: String) -> Result<(), Violation> {
    Err(Violation { rule, detail })
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self
            .detail
            .split(' ')
            .map(|word| if word.len() < 26 { word } else { short(word) });
        write!(
            f,
            "violated: {} ({})",
            self.rule,
            words.collect::<Vec<_>>().join(" ")
        )
    }
}
