//! `policy check`: every file, its examples, the bounds, the lock.

use std::path::Path;

use decide_once_policy::{Checked, check};
use decide_once_protocol::json::{Value, object};

use super::{PolicyError, Report};

pub(super) fn run(directory: &Path) -> Result<Report, PolicyError> {
    let Checked { versions, problems } = check(directory)?;
    let json = object([(
        "versions",
        Value::from(u64::try_from(versions).unwrap_or(u64::MAX)),
    )]);
    let mut report = Report::of_problems(&problems, json);
    if report.well {
        report.text =
            format!("{versions} policy versions: all sound, what is published unchanged\n");
    }
    Ok(report)
}
