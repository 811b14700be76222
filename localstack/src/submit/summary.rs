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
    /// By what there was of an answer, likewise.
    unfinished: BTreeMap<String, Vec<usize>>,
    /// Lines that were not sent, since nobody answered those before them.
    left: Vec<usize>,
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
            Fate::Unfinished { why } => {
                self.unfinished
                    .entry(why.clone())
                    .or_default()
                    .push(outcome.line);
            }
        }
    }

    /// A line that is not sent.
    pub(super) fn leave(&mut self, line: usize) {
        self.left.push(line);
    }

    /// Whether lines were given up, and none had an answer that settles it.
    pub(super) fn nobody_answers(&self) -> bool {
        let answered = self.decided + self.replayed + self.refused();
        answered == 0 && !self.unfinished.is_empty()
    }

    /// Lines that are over.
    pub(super) fn total(&self) -> usize {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let unfinished: usize = self.unfinished.values().map(Vec::len).sum();
        self.skipped + self.decided + self.replayed + refused + unfinished + self.left.len()
    }

    /// Lines that will have no decision.
    pub(super) fn refused(&self) -> usize {
        self.refused.values().map(Vec::len).sum()
    }

    /// How it ended.
    pub fn standing(&self) -> Standing {
        if !self.unfinished.is_empty() || !self.left.is_empty() {
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
        for (why, of_it) in &self.unfinished {
            writeln!(
                f,
                "{:>8} not finished, {why}: run it again ({})",
                of_it.len(),
                listed(of_it)
            )?;
        }
        if !self.left.is_empty() {
            writeln!(
                f,
                "{:>8} not sent, since nobody answers: see whether the URL is right, and run it again ({})",
                self.left.len(),
                listed(&self.left)
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
    fn who_has_never_answered_is_not_asked_for_the_rest() {
        let mut summary = Summary::default();
        assert!(!summary.nobody_answers());
        let why = || "no connection".to_owned();
        summary.count(&outcome(1, Fate::Unfinished { why: why() }));
        assert!(summary.nobody_answers());
        summary.leave(2);
        let expected = "2 lines\n       1 not finished, no connection: run it again (line 1)\n       1 not sent, since nobody answers: see whether the \
                        URL is right, and run it again (line 2)\n";
        assert_eq!(summary.to_string(), expected);
        assert_eq!(summary.standing(), Standing::Unfinished);
        summary.count(&outcome(3, Fate::Decided { decision_id: None }));
        assert!(!summary.nobody_answers());
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
        let why = "HTTP 503".to_owned();
        summary.count(&outcome(8, Fate::Unfinished { why }));
        assert_eq!(summary.standing(), Standing::Unfinished);
        let expected = "9 lines\n       1 decided\n       1 skipped: the results file has them\n       6 refused: facts-invalid (lines 3, 4, \
                        5, 6, 7, …)\n       1 not finished, HTTP 503: run it again (line 8)\n";
        assert_eq!(summary.to_string(), expected);
    }
}
