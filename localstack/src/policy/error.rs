//! Why a `policy` command has nothing to report.

use std::{io, path::PathBuf};

use decide_once_policy::{LoadError, LockError, Unavailable};
use decide_once_protocol::{json::JsonError, request::PolicyId};

use crate::policies::PoliciesError;

/// Why a `policy` command has nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// There is no policies directory.
    #[error(transparent)]
    Directory(#[from] PoliciesError),
    /// It cannot be used.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Its lock cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// No such policy or version, or a broken one.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// No version was named and none is active.
    #[error("policy {0} is not here, or has no active version; name one with --version")]
    NoneActive(PolicyId),
    /// The facts' file cannot be read.
    #[error("cannot read the facts in {}", path.display())]
    FactsUnreadable {
        /// The file, `-` for stdin.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The facts are larger than any request's.
    #[error("the facts have over {limit} bytes, which no request may have")]
    FactsTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The facts are not JSON as requests have it.
    #[error("the facts are not acceptable JSON: {0}")]
    FactsNotJson(#[from] JsonError),
    /// The facts are JSON, but not an object.
    #[error("the facts are not a JSON object; write {{\"amount\":12500}} or the like")]
    FactsNotAnObject,
    /// The lock cannot be written.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}
