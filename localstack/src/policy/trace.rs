//! The lines and members of an evaluation's report.

use std::fmt::Write as _;

use decide_once_policy::{Claim, Evaluation, EventSpec, FactsInvalid, Trace, TracedCondition};
use decide_once_protocol::json::{Object, Value, object};

use super::Report;

/// What the rules see.
pub(super) fn facts(report: &mut Report, facts: &Object) {
    let facts = Value::from(facts.clone());
    line(report, "facts", &facts.to_json());
    report.json.insert("facts", facts);
}

/// Each rule that was tried, with what its condition was.
pub(super) fn rules(report: &mut Report, trace: &Trace) {
    conditions(report, "rules", &trace.rules);
}

/// What came of it.
pub(super) fn result(report: &mut Report, evaluation: &Evaluation, trace: &Trace) {
    match evaluation {
        Evaluation::Decided {
            rule,
            outcome,
            events,
            claims,
        } => {
            let outcome = Value::from(outcome.clone());
            report.text.push('\n');
            line(report, "rule", rule);
            line(report, "outcome", &outcome.to_json());
            conditions(report, "events", &trace.events);
            for event in events {
                line(
                    report,
                    "event",
                    &format!("{} {}", event.r#type, event.data.to_json()),
                );
            }
            for claim in claims {
                line(
                    report,
                    "claim",
                    &format!("{} {}", claim.name, claim.parts.join(" ")),
                );
            }
            let decision = object([
                ("rule", Value::from(rule.as_str())),
                ("outcome", outcome),
                (
                    "events",
                    events.iter().map(event).collect::<Vec<_>>().into(),
                ),
                (
                    "claims",
                    claims.iter().map(claim).collect::<Vec<_>>().into(),
                ),
            ]);
            report.json.insert("decision", decision);
        }
        Evaluation::Failed { code, detail } => {
            conditions(report, "events", &trace.events);
            report.text.push('\n');
            line(report, "failure", &format!("{}: {detail}", code.as_str()));
            line(
                report,
                "",
                "a caller is answered 422 decision-failed, for good under its key",
            );
            let failure = [("code", code.as_str()), ("detail", detail)];
            report.json.insert("failure", texts(failure));
            report.well = false;
        }
    }
}

/// The facts are not what the schema asks for.
pub(super) fn invalid(report: &mut Report, invalid: &FactsInvalid) {
    report.text.push('\n');
    for error in &invalid.errors {
        line(report, "invalid", &error.to_string());
    }
    line(
        report,
        "",
        "a caller is answered 422 facts-invalid, and nothing is stored",
    );
    let errors = invalid.errors.iter();
    let errors = errors.map(|error| {
        texts([
            ("pointer", error.pointer.as_str()),
            ("reason", error.reason.as_str()),
        ])
    });
    report.json.insert("invalid", errors.collect::<Vec<_>>());
    report.well = false;
}

fn conditions(report: &mut Report, name: &'static str, tried: &[TracedCondition]) {
    let widest = tried.iter().map(|tried| tried.id.chars().count()).max();
    if let Some(width) = widest {
        let _infallible = writeln!(report.text, "\n{name} that were tried");
        for tried in tried {
            let (id, condition) = (&tried.id, one_line(&tried.condition));
            let (truth, why) = match &tried.result {
                Ok(true) => ("true", String::new()),
                Ok(false) => ("false", String::new()),
                Err(reason) => ("error", format!("   # {reason}")),
            };
            let _infallible = writeln!(report.text, "  {truth:<5}  {id:<width$}  {condition}{why}");
        }
    }
    let told = tried.iter().map(|tried| {
        let (result, error) = match &tried.result {
            Ok(truth) => (Value::from(*truth), Value::Null),
            Err(reason) => (Value::Null, Value::from(reason.as_str())),
        };
        object([
            ("id", Value::from(tried.id.as_str())),
            ("condition", Value::from(tried.condition.as_str())),
            ("result", result),
            ("error", error),
        ])
    });
    report.json.insert(name, told.collect::<Vec<_>>());
}

fn line(report: &mut Report, name: &str, text: &str) {
    let _infallible = writeln!(report.text, "{name:<7}  {text}");
}

/// A condition may be written over several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn event(event: &EventSpec) -> Object {
    object([
        ("type", Value::from(event.r#type.as_str())),
        ("data", event.data.clone()),
    ])
}

fn claim(claim: &Claim) -> Object {
    object([
        ("name", Value::from(claim.name.as_str())),
        (
            "parts",
            Value::from(claim.parts.iter().map(String::as_str).collect::<Vec<_>>()),
        ),
    ])
}

fn texts<const N: usize>(members: [(&str, &str); N]) -> Object {
    object(members.map(|(name, text)| (name, Value::from(text))))
}
