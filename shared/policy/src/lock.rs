//! `lock`: the digests of all published versions, so that none can change or disappear unnoticed.
//!
//! The file has the form of `sha256sum`, so that `cd policies && sha256sum --check lock` says the same without this crate.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use decide_once_protocol::hash::hex;

use crate::files;
use crate::problem::Problem;
use crate::set::{LoadError, PolicySet};
use crate::yaml::MAX_BYTES;

const FILE: &str = "lock";
const HEADER: &str = "# SHA-256 of every published policy version; written by `decide-once policy lock`, never by hand.";

/// The digests of published versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// Lower-case hexadecimal digests by file name.
    digests: BTreeMap<String, String>,
}

/// Why there is no lock to compare with.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] LoadError),
    /// A line is not a digest and a file.
    #[error("{0}")]
    Malformed(Problem),
}

impl Lock {
    /// Reads `lock` in a policies directory; without the file nothing is published yet.
    ///
    /// # Errors
    /// When the file is there and is not a lock.
    pub fn read(dir: &Path) -> Result<Self, LockError> {
        match files::read_lock(dir)? {
            Some(bytes) => Self::parse(&bytes).map_err(LockError::Malformed),
            None => Ok(Self::default()),
        }
    }

    /// The published versions' files, as `credit-limit/3.yaml`.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.digests.keys().map(String::as_str)
    }

    /// Reads the text of a lock.
    ///
    /// # Errors
    /// A line that is not `<64 hex digits>  <id>/<version>.yaml`, or a file that is there twice.
    pub fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.len() > MAX_BYTES {
            return Err(problem(None, format!("the file is over {MAX_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|_| problem(None, "the file is not UTF-8".to_owned()))?;
        let mut digests = BTreeMap::new();
        for (line, content) in (1..).zip(text.lines()) {
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let malformed = || {
                problem(
                    Some(line),
                    "expected a SHA-256 digest, two spaces and a file".to_owned(),
                )
            };
            let (digest, file) = content.split_once("  ").ok_or_else(malformed)?;
            if digest.len() != 64
                || !digest
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            {
                return Err(malformed());
            }
            if digests.insert(file.to_owned(), digest.to_owned()).is_some() {
                return Err(problem(
                    Some(line),
                    format!("{file} is there twice; remove one line"),
                ));
            }
        }
        Ok(Self { digests })
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        self.digests
            .iter()
            .try_for_each(|(file, digest)| writeln!(f, "{digest}  {file}"))
    }
}

impl PolicySet {
    /// The lock with the versions added that it does not have yet.
    ///
    /// # Errors
    /// A published version that changed or is gone: then there is a mistake to mend, and nothing to lock.
    pub fn lock(&self, published: &Lock) -> Result<Lock, Vec<Problem>> {
        let problems = self.broken_promises(published);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(self.as_published())
    }

    /// The lock that has every packaged version as it is.
    pub(crate) fn as_published(&self) -> Lock {
        let digests = self
            .list()
            .map(|listed| (listed.packaged.file.clone(), hex(&listed.digest())))
            .collect();
        Lock { digests }
    }

    /// Published versions that are not what they were.
    pub(crate) fn broken_promises(&self, published: &Lock) -> Vec<Problem> {
        let packaged: BTreeMap<&str, String> = self
            .list()
            .map(|listed| (listed.packaged.file.as_str(), hex(&listed.digest())))
            .collect();
        let mut problems = Vec::new();
        for (file, digest) in &published.digests {
            let reason = match packaged.get(file.as_str()) {
                Some(now) if now == digest => continue,
                Some(_) => {
                    "was published and has changed since; restore it, and make the change in a new version"
                }
                None => "was published and is gone; restore it: records may be pinned to it",
            };
            problems.push(Problem {
                file: file.clone(),
                line: None,
                place: None,
                reason: reason.to_owned(),
            });
        }
        problems
    }

    /// Packaged versions that are not published.
    pub(crate) fn unpublished(&self, published: &Lock) -> Vec<Problem> {
        let unlocked = self
            .list()
            .filter(|listed| !published.digests.contains_key(&listed.packaged.file));
        unlocked
            .map(|listed| Problem {
                file: listed.packaged.file.clone(),
                line: None,
                place: None,
                reason: "is not in the lock; run `decide-once policy lock` when it is final"
                    .to_owned(),
            })
            .collect()
    }
}

fn problem(line: Option<u64>, reason: String) -> Problem {
    Problem {
        file: FILE.to_owned(),
        line,
        place: None,
        reason,
    }
}
