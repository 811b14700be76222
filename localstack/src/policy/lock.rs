//! `policy lock`: publishes. From then on a version is what it is.

use std::{fs, path::Path};

use decide_once_policy::{Lock, PolicySet};
use decide_once_protocol::json::{Value, object};

use super::{PolicyError, Report};
use crate::policies::with_drafts;

/// Writes the lock, if no published version has changed and the new ones are sound: what is published can never be mended.
pub(super) fn run(
    directory: &Path,
    policies: &PolicySet,
    published: &Lock,
) -> Result<Report, PolicyError> {
    let lock = match with_drafts(policies, published) {
        Ok(lock) => lock,
        Err(problems) => {
            let mut report = Report::of_problems(&problems, object([("locked", NOTHING)]));
            report.text += "nothing was locked\n";
            return Ok(report);
        }
    };
    let is_new = |file: &&str| !published.files().any(|published| published == *file);
    let new: Vec<&str> = lock.files().filter(is_new).collect();
    let mut report = Report::of_problems(&[], object([("locked", Value::from(new.clone()))]));
    if new.is_empty() {
        report.text = "nothing to lock: every version is published and unchanged\n".to_owned();
    } else {
        write(directory, &lock)?;
        report.text = new.iter().map(|file| format!("locked {file}\n")).collect();
    }
    Ok(report)
}

const NOTHING: Value = Value::Array(Vec::new());

/// The whole file or none of it: renamed into its place.
fn write(directory: &Path, lock: &Lock) -> Result<(), PolicyError> {
    let (path, draft) = (directory.join("lock"), directory.join(".lock.new"));
    fs::write(&draft, lock.to_string())
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|source| PolicyError::Unwritable { path, source })
}
