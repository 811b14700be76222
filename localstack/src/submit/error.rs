//! Why nothing, or not all, was submitted.

use std::{fmt, io, path::PathBuf};

use decide_once_client::EndpointError;
use tokio::task::JoinError;

/// Why a file is not submitted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// There is nothing in it.
    #[error("{} has no request; write {{\"key\":…,\"request\":{{…}}}}, one a line", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Lines are wrong.
    #[error("{} of the lines cannot be submitted, and nothing was sent: {}", .0.len(), Listed(.0))]
    Lines(Vec<WrongLine>),
    /// The URL or the token.
    #[error("cannot send to the service: {0}")]
    Endpoint(#[from] EndpointError),
    /// The results file cannot be read or written.
    #[error("cannot use the results file {}", path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// What is there is no results file. It is left as it is.
    #[error("{} is there and is no results file; name one that is not there yet", path.display())]
    NoResults {
        /// The file.
        path: PathBuf,
    },
    /// It has the results of another service.
    #[error("the results file {} is of {service}; name another one for this service", path.display())]
    OtherService {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        service: String,
    },
    /// A result could not be kept, after requests were sent.
    #[error("cannot write the results file {}; what was sent stays decided: make room, and run it again", path.display())]
    ResultsLost {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A request could not be followed to its end.
    #[error("a request was not followed to its end; run it again")]
    Task(#[source] JoinError),
}

impl SubmitError {
    /// Whether nothing was sent.
    pub const fn is_before_sending(&self) -> bool {
        !matches!(self, Self::ResultsLost { .. } | Self::Task(_))
    }
}

/// A line that is no request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {number}: {why}")]
pub struct WrongLine {
    /// Which one, from 1.
    pub number: usize,
    /// What is wrong; never a value of it.
    pub why: String,
}

/// How many wrong lines are told.
const TOLD: usize = 10;

struct Listed<'a>(&'a [WrongLine]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.0.iter().take(TOLD).enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{line}")?;
        }
        match self.0.len() {
            more if more > TOLD => write!(f, "; and {} more", more - TOLD),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_lines_are_told_by_number() {
        let wrong = |number| WrongLine {
            number,
            why: "it is not JSON".to_owned(),
        };
        let text = SubmitError::Lines((1..=12).map(wrong).collect()).to_string();
        assert!(
            text.contains("nothing was sent: line 1: it is not JSON; line 2"),
            "{text}"
        );
        assert!(
            text.ends_with("line 10: it is not JSON; and 2 more"),
            "{text}"
        );
    }
}
