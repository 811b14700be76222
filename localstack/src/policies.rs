//! Where the policies are, and whether they can be served.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use decide_once_policy::{Lock, LockError, PolicySet, Problem};

/// The file that makes a directory a policies' directory: it names the active versions.
const ACTIVE: &str = "active.yaml";

/// Why there are no policies to run with.
#[derive(Debug, thiserror::Error)]
pub enum PoliciesError {
    /// Nothing was named and nothing was found.
    #[error(
        "found no policies/{ACTIVE} here, above, or above this program; name the directory with --policies"
    )]
    NotFound,
    /// What was named cannot be used.
    #[error("cannot read {}; --policies must name a directory with policies and their {ACTIVE}", path.display())]
    Unreadable {
        /// The file that should be there.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The directory holds something else than policies.
    #[error(transparent)]
    Unusable(#[from] LockError),
    /// The check finds something.
    #[error(
        "the policies cannot be served: {0}; `decide-once policy check` says all that is wrong"
    )]
    Refused(Problem),
}

/// The directory that `--policies` names, or the `policies` of the workspace: of the working directory or one above it, else of one above
/// this program (`target/debug/decide-once` is inside the workspace).
///
/// # Errors
/// [`PoliciesError`]; what the files say is for [`check`] to judge.
pub fn find(named: Option<&Path>) -> Result<PathBuf, PoliciesError> {
    let directory = match named {
        Some(directory) => directory.to_owned(),
        None => search().ok_or(PoliciesError::NotFound)?,
    };
    let active = directory.join(ACTIVE);
    fs::File::open(&active)
        .and_then(|_| directory.canonicalize())
        .map_err(|source| PoliciesError::Unreadable {
            path: active,
            source,
        })
}

/// Reads and checks every policy version of `directory`, as `policy check` does, but for what is not locked yet: a draft can be tried here before it
/// is published. A deployed function compiles a version only when a request names it, since it starts for a caller who waits; here somebody
/// has just edited a file and wants to be told.
///
/// # Errors
/// What is wrong.
pub fn check(directory: &Path) -> Result<PolicySet, PoliciesError> {
    let policies = PolicySet::load(directory).map_err(LockError::from)?;
    let published = Lock::read(directory)?;
    let problems = with_drafts(&policies, &published).err();
    match problems.into_iter().flatten().next() {
        None => Ok(policies),
        Some(first) => Err(PoliciesError::Refused(first)),
    }
}

/// The lock with all that is not in it yet.
///
/// # Errors
/// A published version has changed or is gone, or any version is not sound.
pub(crate) fn with_drafts(policies: &PolicySet, published: &Lock) -> Result<Lock, Vec<Problem>> {
    let lock = policies.lock(published)?;
    let problems = policies.check(&lock);
    if problems.is_empty() {
        Ok(lock)
    } else {
        Err(problems)
    }
}

fn search() -> Option<PathBuf> {
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    [here, program].iter().flatten().find_map(|start| {
        start
            .ancestors()
            .map(|above| above.join("policies"))
            .find(|policies| policies.join(ACTIVE).is_file())
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_directory_without_active_versions_is_refused_by_the_file_that_is_missing() {
        let directory = tempfile::tempdir().unwrap();
        let error = find(Some(directory.path())).unwrap_err();
        assert!(error.to_string().contains("active.yaml"), "{error}");
        fs::write(directory.path().join(ACTIVE), "").unwrap();
        assert!(find(Some(directory.path())).unwrap().is_absolute());
    }
}
