//! What came of all lines.

use std::{collections::BTreeMap, fmt};

use super::results::{Fate, Outcome};

/// Lines by outcome.
#[derive(Debug, Default)]
pub struct Summary {
    skipped: usize,
    /// Those of them that have no decision.
    skipped_refused: usize,
    decided: usize,
    replayed: usize,
    /// By code, with the first lines of each.
    refused: BTreeMap<String, Vec<usize>>,
    unfinished: Vec<usize>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Every line has a decision.
    Done,
    /// Some have none, and will have none.
    Refused,
    /// Some have none yet.
    Unfinished,
}

/// How many line numbers are told of each outcome.
const TOLD: usize = 5;

impl Summary {
    /// A line that the results file has, with a decision or without.
    pub(super) fn skip(&mut self, decided: bool) {
        self.skipped += 1;
        self.skipped_refused += usize::from(!decided);
    }

    pub(super) fn count(&mut self, outcome: &Outcome) {
        match &outcome.fate {
            Fate::Decided { .. } => self.decided += 1,
            Fate::Replayed { .. } => self.replayed += 1,
            Fate::Refused { code, .. } => {
                self.refused
                    .entry(code.clone())
                    .or_default()
                    .push(outcome.line);
            }
            Fate::Unfinished { .. } => self.unfinished.push(outcome.line),
        }
    }

    /// Lines that are over.
    pub(super) fn total(&self) -> usize {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        self.skipped + self.decided + self.replayed + refused + self.unfinished.len()
    }

    /// Lines that will have no decision.
    pub(super) fn refused(&self) -> usize {
        self.refused.values().map(Vec::len).sum()
    }

    /// How it ended.
    pub fn standing(&self) -> Standing {
        if !self.unfinished.is_empty() {
            Standing::Unfinished
        } else if self.refused() + self.skipped_refused > 0 {
            Standing::Refused
        } else {
            Standing::Done
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |number| if number == 1 { "line" } else { "lines" };
        let total = self.total();
        writeln!(f, "{total} {}", lines(total))?;
        for (count, what) in [
            (self.decided, "decided"),
            (
                self.replayed,
                "replayed: decided before, the recorded answer",
            ),
            (self.skipped, "skipped: the results file has them"),
        ] {
            if count > 0 {
                writeln!(f, "{count:>8} {what}")?;
            }
        }
        for (code, of_it) in &self.refused {
            writeln!(f, "{:>8} refused: {code} ({})", of_it.len(), listed(of_it))?;
        }
        if !self.unfinished.is_empty() {
            let of_it = &self.unfinished;
            writeln!(
                f,
                "{:>8} not finished: run it again ({})",
                of_it.len(),
                listed(of_it)
            )?;
        }
        Ok(())
    }
}

fn listed(lines: &[usize]) -> String {
    let mut sorted = lines.to_vec();
    sorted.sort_unstable();
    let told: Vec<_> = sorted.iter().take(TOLD).map(usize::to_string).collect();
    let more = if sorted.len() > TOLD { ", …" } else { "" };
    let what = if sorted.len() == 1 { "line" } else { "lines" };
    format!("{what} {}{more}", told.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(line: usize, fate: Fate) -> Outcome {
        Outcome {
            line,
            digest: String::new(),
            key: String::new(),
            fate,
            attempts: 1,
        }
    }

    #[test]
    fn what_an_earlier_run_saw_refused_is_not_done() {
        let mut summary = Summary::default();
        summary.skip(true);
        assert_eq!(summary.standing(), Standing::Done);
        summary.skip(false);
        assert_eq!(summary.standing(), Standing::Refused);
    }

    #[test]
    fn a_summary_counts_by_outcome_and_says_what_to_do() {
        let mut summary = Summary::default();
        summary.skip(true);
        summary.count(&outcome(2, Fate::Decided { decision_id: None }));
        assert_eq!(summary.standing(), Standing::Done);
        for line in [9, 3, 4, 5, 6, 7] {
            let code = "facts-invalid".to_owned();
            let refused = Fate::Refused {
                status: 422,
                code,
                detail: None,
                new_key: false,
            };
            summary.count(&outcome(line, refused));
        }
        assert_eq!(summary.standing(), Standing::Refused);
        summary.count(&outcome(8, Fate::Unfinished { status: Some(503) }));
        assert_eq!(summary.standing(), Standing::Unfinished);
        let expected = "9 lines\n       1 decided\n       1 skipped: the results file has them\n       6 refused: facts-invalid (lines 3, 4, \
                        5, 6, 7, …)\n       1 not finished: run it again (line 8)\n";
        assert_eq!(summary.to_string(), expected);
    }
}
