//! `policy lock`: publishes. From then on a version is what it is.

use std::{fs, path::Path};

use decide_once_policy::{Lock, PolicySet};
use decide_once_protocol::json::{Value, object};

use super::{PolicyError, Report};

/// Writes the lock, if no published version has changed and the new ones are sound: what is published can never be mended.
pub(super) fn run(
    directory: &Path,
    policies: &PolicySet,
    published: &Lock,
) -> Result<Report, PolicyError> {
    let (locked, problems) = match policies.lock(published) {
        Ok(locked) => {
            let problems = policies.check(&locked);
            (locked, problems)
        }
        Err(problems) => (published.clone(), problems),
    };
    let new: Vec<&str> = if problems.is_empty() {
        let before = |file: &&str| !published.files().any(|published| published == *file);
        locked.files().filter(before).collect()
    } else {
        Vec::new()
    };
    let json = object([("locked", Value::from(new.clone()))]);
    let mut report = Report::of_problems(&problems, json);
    if !report.well {
        report.text += "nothing was locked\n";
        return Ok(report);
    }
    if new.is_empty() {
        report.text = "nothing to lock: every version is published and unchanged\n".to_owned();
        return Ok(report);
    }
    write(directory, &locked)?;
    report.text = new.iter().map(|file| format!("locked {file}\n")).collect();
    Ok(report)
}

/// The whole file or none of it: renamed into its place.
fn write(directory: &Path, lock: &Lock) -> Result<(), PolicyError> {
    let (path, draft) = (directory.join("lock"), directory.join(".lock.new"));
    fs::write(&draft, lock.to_string())
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|source| PolicyError::Unwritable { path, source })
}
