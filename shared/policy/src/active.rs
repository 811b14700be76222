//! `active.yaml`: which version of each policy decides when a request names none.

use decide_once_protocol::json::Number;

use crate::problem::Problem;
use crate::yaml::{self, Node};

/// A line of `active.yaml`, not yet compared with what is packaged.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) policy: String,
    pub(crate) version: u32,
    line: u64,
}

impl Activation {
    /// A problem on this line.
    pub(crate) fn problem(&self, reason: impl Into<String>) -> Problem {
        at(self.line, reason.into())
    }
}

/// Reads a mapping of policy ids to version numbers.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Activation>, Problem> {
    let node: Node = yaml::read(bytes).map_err(|error| at(error.line, error.reason))?;
    let entries = node.as_map().ok_or_else(|| {
        let reason = "write one line for each active policy, such as `credit-limit: 3`";
        at(node.line, reason.to_owned())
    })?;
    entries
        .iter()
        .map(|(policy, entry)| {
            let version = entry.to_value().as_number().and_then(Number::as_u64);
            match version.and_then(|version| version.try_into().ok()) {
                Some(version) => Ok(Activation {
                    policy: policy.clone(),
                    version,
                    line: entry.line,
                }),
                None => Err(at(
                    entry.line,
                    format!("`{policy}` needs a version number, such as `{policy}: 3`"),
                )),
            }
        })
        .collect()
}

fn at(line: u64, reason: String) -> Problem {
    Problem {
        file: "active.yaml".to_owned(),
        line: (line > 0).then_some(line),
        place: None,
        reason,
    }
}
