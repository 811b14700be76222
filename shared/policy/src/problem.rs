//! What the check has to say about a policy file.

use std::fmt;

/// One thing about a policy file that is refused. Displayed as one line: `credit-limit/3.yaml:12: rule over-limit: …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the policies directory.
    pub file: String,
    /// The line in the file, from 1, where it is known.
    pub line: Option<u64>,
    /// The part of the file: `rule over-limit`, `event com.example.decided`, `example 2`, `input`.
    pub place: Option<String>,
    /// What is wrong and what to do, one line.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(place) = &self.place {
            write!(f, ": {place}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// Collects the problems of one file, so that an author sees all of them at once.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    file: &'a str,
    place: Option<String>,
    found: Vec<Problem>,
}

impl<'a> Findings<'a> {
    pub(crate) const fn new(file: &'a str) -> Self {
        Self {
            file,
            place: None,
            found: Vec::new(),
        }
    }

    /// Names the part of the file that the next findings belong to.
    pub(crate) fn enter(&mut self, place: impl Into<String>) {
        self.place = Some(place.into());
    }

    /// Adds a problem at `line` (0: not known).
    pub(crate) fn add(&mut self, line: u64, reason: impl Into<String>) {
        let reason: String = reason.into();
        self.found.push(Problem {
            file: self.file.to_owned(),
            line: (line > 0).then_some(line),
            place: self.place.clone(),
            // A problem is one line, also where a library's message has several.
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        });
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.found
    }
}
