//! What became of each line, in a file that the next run goes by.
//!
//! Its first line says whose results they are. A result is written before it is counted, a line each, and only if the service has recorded it under
//! the line's key: what is not known yet, and what another configuration, policy or token would change, is for the next run to ask again.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use decide_once_client::{Answered, advice::Advice};
use decide_once_service::problem::Kind;
use serde::{Deserialize, Serialize};

use super::{error::SubmitError, lines::Line};
use crate::plain::plain;

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
        /// What there was of an answer the last time.
        why: String,
    },
}

impl Fate {
    /// Whether the service has it on record under this key, so that asking again can bring nothing else.
    fn is_recorded(&self) -> bool {
        match self {
            Self::Decided { .. } | Self::Replayed { .. } => true,
            Self::Unfinished { .. } => false,
            Self::Refused { code, .. } => Kind::every().iter().any(|kind| {
                kind.code() == code && matches!(kind, Kind::Final(_) | Kind::KeyReused)
            }),
        }
    }
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
                let code = match problem.code() {
                    "unknown" => format!("HTTP {status}"),
                    code => code.to_owned(),
                };
                let fate = Fate::Refused {
                    status,
                    code,
                    detail: problem.detail.clone(),
                    new_key: advice == Advice::NewKey,
                };
                (fate, attempts)
            }
            Answered::Unfinished { status, attempts } => {
                let why = match status {
                    Ok(status) => format!("HTTP {status}"),
                    Err(why) => why.to_string(),
                };
                (Fate::Unfinished { why }, attempts)
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

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    /// The service's URL.
    results_of: String,
}

/// What is read of a result.
#[derive(Deserialize)]
struct Known {
    digest: String,
    outcome: String,
}

/// The results file, if there is one.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Lines that have a result, by their digest, and whether it is a decision.
    known: HashMap<String, bool>,
    file: Option<(PathBuf, File)>,
}

impl Results {
    /// Opens the file of `service`'s results, which is created if absent. A last line that a run did not finish is cut off; a file that is anything
    /// else is left as it is.
    ///
    /// # Errors
    /// It cannot be read or written, is no results file, or another service's.
    pub(super) fn open(path: Option<&Path>, service: &str) -> Result<Self, SubmitError> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let failed = |source| SubmitError::Results {
            path: path.to_owned(),
            source,
        };
        let strange = || SubmitError::NoResults {
            path: path.to_owned(),
        };
        let head = Head {
            results_of: service.to_owned(),
        };
        let head = serde_json::to_string(&head).map_err(|error| failed(error.into()))? + "\n";
        let written = match fs::read(path) {
            Ok(written) => String::from_utf8(written).map_err(|_| strange())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = written.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = written[..whole].lines();
        let mut known = HashMap::new();
        match lines.next().map(serde_json::from_str::<Head>) {
            None if head.starts_with(&written) => {}
            Some(Ok(found)) if found.results_of == service => {}
            Some(Ok(found)) => {
                return Err(SubmitError::OtherService {
                    path: path.to_owned(),
                    service: plain(&found.results_of),
                });
            }
            None | Some(Err(_)) => return Err(strange()),
        }
        for line in lines {
            let Known { digest, outcome } = serde_json::from_str(line).map_err(|_| strange())?;
            known.insert(digest, outcome != "refused");
        }
        let file = File::options().create(true).append(true).open(path);
        let mut file = file.map_err(failed)?;
        if !path.is_file() {
            return Err(strange());
        }
        file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))
            .map_err(failed)?;
        if whole == 0 {
            file.write_all(head.as_bytes()).map_err(failed)?;
        }
        let file = Some((path.to_owned(), file));
        Ok(Self { known, file })
    }

    /// Whether this very request's result is a decision, if it has one.
    pub(super) fn of(&self, line: &Line) -> Option<bool> {
        self.known.get(&line.digest).copied()
    }

    /// Keeps a result that is recorded.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn add(&mut self, outcome: &Outcome) -> Result<(), SubmitError> {
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        if !outcome.fate.is_recorded() {
            return Ok(());
        }
        let written = serde_json::to_string(outcome)
            .map_err(io::Error::from)
            .and_then(|line| file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|source| SubmitError::ResultsLost {
            path: path.clone(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use decide_once_protocol::key::IdempotencyKey;

    use super::*;

    const URL: &str = "http://127.0.0.1:3000";

    fn line(digest: &str) -> Line {
        Line {
            number: 1,
            key: IdempotencyKey::parse("k").unwrap(),
            body: "{}".to_owned(),
            digest: digest.to_owned(),
        }
    }

    fn outcome(digest: &str, fate: Fate) -> Outcome {
        Outcome {
            line: 1,
            digest: digest.to_owned(),
            key: "k".to_owned(),
            fate,
            attempts: 1,
        }
    }

    #[test]
    fn what_a_run_has_finished_the_next_one_skips_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        let mut results = Results::open(Some(&path), URL).unwrap();
        let decided = Fate::Decided {
            decision_id: Some("a".to_owned()),
        };
        results.add(&outcome("a", decided)).unwrap();
        let unfinished = Fate::Unfinished {
            why: "HTTP 503".to_owned(),
        };
        results.add(&outcome("b", unfinished)).unwrap();
        for (digest, code) in [
            ("c", "key-reused"),
            ("d", "HTTP 401"),
            ("e", "policy-unknown"),
        ] {
            let refused = Fate::Refused {
                status: 409,
                code: code.to_owned(),
                detail: None,
                new_key: false,
            };
            results.add(&outcome(digest, refused)).unwrap();
        }
        drop(results);
        let mut torn = File::options().append(true).open(&path).unwrap();
        torn.write_all(br#"{"line":3,"dig"#).unwrap();
        for _ in 0..2 {
            let results = Results::open(Some(&path), URL).unwrap();
            assert_eq!(results.of(&line("a")), Some(true));
            assert_eq!(results.of(&line("b")), None, "not finished");
            assert_eq!(results.of(&line("c")), Some(false));
            assert_eq!(results.of(&line("d")), None, "a token may be found");
            assert_eq!(results.of(&line("e")), None, "a policy may come");
            assert_eq!(results.of(&line("f")), None, "edited meanwhile");
        }
        let written = fs::read_to_string(&path).unwrap();
        assert_eq!(
            written.lines().nth(1).unwrap(),
            "{\"line\":1,\"digest\":\"a\",\"key\":\"k\",\"outcome\":\"decided\",\"decisionId\":\"a\",\"attempts\":1}"
        );
    }

    #[test]
    fn a_file_that_is_something_else_is_refused_and_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        for theirs in [
            r#"{"important":1}"#,
            "{\"key\":\"k\",\"request\":{}}\n",
            "\n",
            "{\"resultsOf\":\"http://127.0.0.1:3000\"}\nletter\n",
            "{\"resultsOf\":\"http://other\"}\n",
        ] {
            fs::write(&path, theirs).unwrap();
            let refused = Results::open(Some(&path), URL).unwrap_err();
            assert!(refused.is_before_sending(), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        }
        assert!(Results::open(Some(Path::new("/dev/null")), URL).is_err());
        assert!(Results::open(Some(directory.path()), URL).is_err());
    }

    #[test]
    fn a_head_that_was_not_written_to_its_end_is_begun_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        for torn in ["", "{\"resultsOf\":\"http://127."] {
            fs::write(&path, torn).unwrap();
            drop(Results::open(Some(&path), URL).unwrap());
            let written = fs::read_to_string(&path).unwrap();
            assert_eq!(written, format!("{{\"resultsOf\":\"{URL}\"}}\n"));
        }
    }
}
