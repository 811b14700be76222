//! A checker that has nothing to check holds: what the histories have to meet, they do.

use std::collections::BTreeSet;

use decide_once_simulation::journal::What;
use decide_once_simulation::{Plan, simulate};

/// Every kind of answer to a request that can be decided, and what has to be behind them.
const MET: [&str; 22] = [
    "answer 200",
    "answer 201",
    "answer 202",
    "answer already-decided",
    "answer attempts-exhausted",
    "answer decision-failed",
    "answer key-reused",
    "answer result-expired",
    "answer unavailable",
    "a process dies",
    "a stream gives up",
    "an effect is asked for again",
    "wrote FAILED_FINAL",
    "wrote FAILED_RETRYABLE",
    "wrote PROCESSING, attempt 0",
    "wrote SUCCEEDED, attempt 3",
    "handled Busy",
    "handled Done",
    "handled Duplicate",
    "handled Unclear",
    "TTL",
    "redriven",
];

fn met(what: &What) -> Vec<String> {
    match what {
        What::Replies(_, told) => match &told.code {
            Some(code) => vec![format!("answer {code}")],
            None => vec![format!("answer {}", told.status)],
        },
        What::Dies => vec!["a process dies".to_owned()],
        What::GivesUp(_) => vec!["a stream gives up".to_owned()],
        What::Effect(_, false) => vec!["an effect is asked for again".to_owned()],
        What::Writes(_, text) => {
            let (_, state) = text.split_once(' ').unwrap_or_default();
            let name = state.split(',').next().unwrap_or_default();
            vec![format!("wrote {name}"), format!("wrote {state}")]
        }
        What::Handles(_, _, how) => ["Busy", "Done", "Duplicate", "Unclear"]
            .into_iter()
            .filter(|word| how.contains(word))
            .map(|word| format!("handled {word}"))
            .collect(),
        What::Notes(text) => ["TTL", "redriven"]
            .into_iter()
            .filter(|word| text.contains(word))
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn histories_meet_every_kind_of_answer_and_every_way_to_get_there() {
    let mut missing: BTreeSet<_> = MET.into_iter().collect();
    for seed in 0..1_000 {
        for entry in simulate(&Plan::of(seed)).entries {
            for met in met(&entry.what) {
                missing.remove(met.as_str());
            }
        }
        if missing.is_empty() {
            println!("after {seed} seeds");
            return;
        }
    }
    panic!("never met: {missing:?}");
}
