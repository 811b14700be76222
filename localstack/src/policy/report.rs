//! What a command has to say, for people and for machines.

use decide_once_policy::Problem;
use decide_once_protocol::json::{Object, Value, object};

/// What a command has to say.
#[derive(Debug)]
pub struct Report {
    /// For people: lines.
    pub text: String,
    /// For machines.
    pub json: Object,
    /// Whether all is well; the exit code.
    pub well: bool,
}

impl Report {
    /// Problems, one a line, and what else machines are told.
    pub(super) fn of_problems(problems: &[Problem], json: Object) -> Self {
        let text = problems.iter().map(|problem| format!("{problem}\n"));
        let mut report = Self {
            text: text.collect(),
            json,
            well: problems.is_empty(),
        };
        let problems: Vec<Object> = problems.iter().map(problem).collect();
        report.json.insert("problems", problems);
        report
    }
}

fn problem(problem: &Problem) -> Object {
    let known = |text: Option<Value>| text.unwrap_or(Value::Null);
    object([
        ("file", Value::from(problem.file.as_str())),
        ("line", known(problem.line.map(Value::from))),
        ("place", known(problem.place.as_deref().map(Value::from))),
        ("reason", Value::from(problem.reason.as_str())),
    ])
}
