//! The check of a whole policies directory, as its authors and CI run it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::files;
use crate::lock::{Lock, LockError};
use crate::policy::Policy;
use crate::problem::{Findings, Problem};
use crate::set::{LoadError, PolicySet};

/// What a check has seen.
#[derive(Debug)]
pub struct Checked {
    /// How many policy versions there are.
    pub versions: usize,
    /// What is wrong. Nothing means that every version can decide.
    pub problems: Vec<Problem>,
}

/// Checks a policies directory: every file within the bounds, every example as expected, nothing published changed or gone, no
/// natural key with two meanings, and only packaged versions active.
///
/// # Errors
/// When the directory, or a file in it, cannot be read at all, or does not belong there.
pub fn check(dir: &Path) -> Result<Checked, LoadError> {
    let directory = files::read(dir)?;
    let mut policies = PolicySet::packaged(directory.policies)?;
    let mut problems: Vec<Problem> = policies
        .activate(&directory.active)
        .err()
        .into_iter()
        .collect();
    match Lock::read(dir) {
        Ok(published) => problems.extend(policies.check(&published)),
        Err(LockError::Unreadable(error)) => return Err(error),
        Err(LockError::Malformed(problem)) => {
            problems.push(problem);
            // Without a lock to compare with: as if all were published as they are.
            problems.extend(policies.check(&policies.as_published()));
        }
    }
    Ok(Checked {
        versions: policies.list().count(),
        problems,
    })
}

impl PolicySet {
    /// As [`check`], for policies in memory.
    #[must_use]
    pub fn check(&self, published: &Lock) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut compiled: Vec<(&str, &Policy)> = Vec::new();
        for listed in self.list() {
            match listed.packaged.policy(listed.id, listed.version) {
                Ok(policy) => {
                    let mut findings = Findings::new(&listed.packaged.file);
                    policy.run_examples(&mut findings);
                    problems.extend(findings.into_problems());
                    compiled.push((&listed.packaged.file, policy));
                }
                Err(refused) => problems.extend_from_slice(refused),
            }
        }
        problems.extend(changed_natural_keys(&compiled));
        problems.extend(self.broken_promises(published));
        problems.extend(self.unpublished(published));
        problems
    }
}

/// A claim is stored under its name: were its parts to change, two operations for one order could both decide.
fn changed_natural_keys(compiled: &[(&str, &Policy)]) -> Vec<Problem> {
    let mut first = BTreeMap::new();
    let mut problems = Vec::new();
    for (file, policy) in compiled {
        for key in &policy.unique {
            let (parts, origin) = first
                .entry((&policy.id, &key.name))
                .or_insert((&key.parts, file));
            if **parts != key.parts {
                problems.push(Problem {
                    file: (*file).to_owned(),
                    line: None,
                    place: Some(format!("unique {}", key.name)),
                    reason: format!("it has other parts than in {origin}; a natural key keeps its meaning: give the new one a new name"),
                });
            }
        }
    }
    problems
}
