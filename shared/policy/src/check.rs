//! The check of a whole policies directory, as its authors and CI run it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::lock::{Lock, LockError};
use crate::policy::Policy;
use crate::problem::{Findings, Problem};
use crate::set::PolicySet;

/// Checks a policies directory: every file within the bounds, every example as expected, nothing published changed or gone, and no
/// natural key with two meanings. Nothing found means that every version can decide.
///
/// # Errors
/// When the directory cannot be read at all.
pub fn check(dir: &Path) -> Result<Vec<Problem>, LockError> {
    let policies = PolicySet::load(dir)?;
    Ok(policies.check(&Lock::read(dir)?))
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
