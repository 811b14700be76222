//! What became of each line, in a file that the next run goes by.
//!
//! A result is written before it is counted, a line each, and only if it is final: what is not known yet is for the next run to find out.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use decide_once_client::{Answered, advice::Advice};
use serde::{Deserialize, Serialize};

use super::{error::SubmitError, lines::Line};

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    /// Which one, from 1.
    pub(super) line: usize,
    /// Of its key and content.
    pub(super) digest: String,
    /// Its key: made of its content where it had none.
    pub(super) key: String,
    /// What came of it.
    #[serde(flatten)]
    pub(super) fate: Fate,
    /// How often it was asked for.
    pub(super) attempts: u32,
}

/// What came of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "outcome",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(super) enum Fate {
    /// It was decided now.
    Decided {
        /// The decision.
        decision_id: Option<String>,
    },
    /// It had been decided before.
    Replayed {
        /// The decision.
        decision_id: Option<String>,
    },
    /// There is no decision, and there will be none under this key.
    Refused {
        /// The HTTP status.
        status: u16,
        /// `facts-invalid`, `key-reused`, …
        code: String,
        /// For people.
        detail: Option<String>,
        /// Whether a new key is safe.
        new_key: bool,
    },
    /// Nobody knows yet.
    Unfinished {
        /// The last status, if there was an answer.
        status: Option<u16>,
    },
}

impl Outcome {
    pub(super) fn of(line: &Line, answered: Answered) -> Self {
        let (fate, attempts) = match answered {
            Answered::Decided {
                body,
                replayed,
                attempts,
            } => {
                let decision_id = decision_id(&body);
                let fate = if replayed {
                    Fate::Replayed { decision_id }
                } else {
                    Fate::Decided { decision_id }
                };
                (fate, attempts)
            }
            Answered::Problem {
                status,
                advice,
                problem,
                attempts,
            } => {
                let fate = Fate::Refused {
                    status,
                    code: problem.code().to_owned(),
                    detail: problem.detail.clone(),
                    new_key: advice == Advice::NewKey,
                };
                (fate, attempts)
            }
            Answered::Unfinished { status, attempts } => {
                let status = status.ok();
                (Fate::Unfinished { status }, attempts)
            }
        };
        Self {
            line: line.number,
            digest: line.digest.clone(),
            key: line.key.as_str().to_owned(),
            fate,
            attempts,
        }
    }
}

fn decision_id(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Decision {
        decision_id: String,
    }
    let decision: Decision = serde_json::from_slice(body).ok()?;
    Some(decision.decision_id)
}

/// What is read of a result.
#[derive(Deserialize)]
struct Known {
    line: usize,
    digest: String,
    outcome: String,
}

/// The results file, if there is one.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Lines that have a result, and whether it is a decision.
    known: HashMap<(usize, String), bool>,
    file: Option<(PathBuf, File)>,
}

impl Results {
    /// Opens the file, which is created if absent. A last line that a run did not finish is cut off.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, SubmitError> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let failed = |source| unusable(path, source);
        let written = match fs::read_to_string(path) {
            Ok(written) => written,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = written.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for line in written[..whole].lines() {
            let known_line: Known =
                serde_json::from_str(line).map_err(|error| failed(error.into()))?;
            let Known {
                line,
                digest,
                outcome,
            } = known_line;
            known.insert((line, digest), outcome != "refused");
        }
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(failed)?;
        file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))
            .map_err(failed)?;
        let file = Some((path.to_owned(), file));
        Ok(Self { known, file })
    }

    /// Whether this very line's result is a decision, if it has one.
    pub(super) fn of(&self, line: &Line) -> Option<bool> {
        self.known.get(&(line.number, line.digest.clone())).copied()
    }

    /// Keeps a result that is final.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn add(&mut self, outcome: &Outcome) -> Result<(), SubmitError> {
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        if matches!(outcome.fate, Fate::Unfinished { .. }) {
            return Ok(());
        }
        let written = serde_json::to_string(outcome)
            .map_err(io::Error::from)
            .and_then(|line| file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|source| unusable(path, source))
    }
}

fn unusable(path: &Path, source: io::Error) -> SubmitError {
    SubmitError::Results {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use decide_once_protocol::key::IdempotencyKey;

    use super::*;

    fn line(number: usize, digest: &str) -> Line {
        Line {
            number,
            key: IdempotencyKey::parse("k").unwrap(),
            body: "{}".to_owned(),
            digest: digest.to_owned(),
        }
    }

    fn outcome(number: usize, fate: Fate) -> Outcome {
        Outcome {
            line: number,
            digest: "d".to_owned(),
            key: "k".to_owned(),
            fate,
            attempts: 1,
        }
    }

    #[test]
    fn what_a_run_has_finished_the_next_one_skips_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        let mut results = Results::open(Some(&path)).unwrap();
        let decided = Fate::Decided {
            decision_id: Some("a".to_owned()),
        };
        results.add(&outcome(1, decided)).unwrap();
        let unfinished = Fate::Unfinished { status: None };
        results.add(&outcome(2, unfinished)).unwrap();
        let refused = Fate::Refused {
            status: 409,
            code: "key-reused".to_owned(),
            detail: None,
            new_key: false,
        };
        results.add(&outcome(4, refused)).unwrap();
        drop(results);
        let mut torn = File::options().append(true).open(&path).unwrap();
        torn.write_all(br#"{"line":3,"dig"#).unwrap();
        for _ in 0..2 {
            let results = Results::open(Some(&path)).unwrap();
            assert_eq!(results.of(&line(1, "d")), Some(true));
            assert_eq!(results.of(&line(2, "d")), None, "not finished");
            assert_eq!(results.of(&line(1, "e")), None, "edited meanwhile");
            assert_eq!(results.of(&line(3, "d")), None, "not written to its end");
            assert_eq!(results.of(&line(4, "d")), Some(false));
        }
        let written = fs::read_to_string(&path).unwrap();
        assert_eq!(
            written.lines().next().unwrap(),
            "{\"line\":1,\"digest\":\"d\",\"key\":\"k\",\"outcome\":\"decided\",\"decisionId\":\"a\",\"attempts\":1}"
        );
    }
}
