//! Policy files: YAML, schema, templates and conditions.

use decide_once_policy::{Evaluation, Lock, Policy, PolicySet};
use decide_once_protocol::json::{self, Object, Value, object};
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};

const NOW: i64 = 1_796_083_200_000;

/// * A file is refused with reasons of one line, each of it alone, or it is a policy: the same one whoever compiles it.
/// * What it decides is pure: the same facts have the same result, with a trace or without.
/// * Normalised facts are normal: normalised again they are the same.
///
/// How long it may take is the fuzzer's `-timeout`: what compiles is bounded.
///
/// # Panics
/// One of these does not hold.
pub fn target(file: &[u8]) {
    let (id, version) = named(file);
    let [one, other] = [(); 2].map(|()| {
        let files = [(id.clone(), version, file.to_vec())];
        PolicySet::from_files(files, format!("{id}: {version}").as_bytes()).unwrap()
    });
    let problems = one.check(&Lock::default());
    for problem in problems.iter().map(ToString::to_string) {
        let is_a_line = !problem.is_empty() && !problem.contains(['\n', '\r']);
        assert!(is_a_line, "{problem:?} is not one line");
    }
    let (policy, same) = match (one.get(&id, version), other.get(&id, version)) {
        (Ok(policy), Ok(same)) => (policy, same),
        (Err(one), Err(other)) => {
            assert!(!problems.is_empty(), "a refusal has a reason");
            assert_eq!(one.to_string(), other.to_string());
            return;
        }
        (one, other) => panic!("{one:?}, {other:?}"),
    };
    let document = one.document(&id, version).unwrap();
    for facts in facts(&document) {
        decides(policy, same, &facts);
    }
}

/// The policy and version that the file's own first lines say, so that any policy may be a file of the corpus.
fn named(file: &[u8]) -> (PolicyId, PolicyVersion) {
    let text = String::from_utf8_lossy(file);
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default().to_owned()
    };
    let id = PolicyId::parse(&of("policy:")).or_else(|_| PolicyId::parse("broken"));
    let version = of("version:")
        .parse()
        .ok()
        .and_then(|v| PolicyVersion::new(v).ok());
    (
        id.unwrap(),
        version.unwrap_or(PolicyVersion::new(1).unwrap()),
    )
}

/// The facts of the file's examples, none, and some that many policies know.
fn facts(document: &Value) -> Vec<Object> {
    let examples = document.pointer("/examples").and_then(Value::as_array);
    let examples = examples.into_iter().flatten();
    examples
        .filter_map(|example| example.pointer("/facts")?.as_object().cloned())
        .take(4)
        .chain([
            Object::new(),
            object([("amount", Value::from(12_500)), ("currency", "USD".into())]),
        ])
        .collect()
}

fn decides(policy: &Policy, same: &Policy, facts: &Object) {
    let (Ok(normal), Ok(other)) = (policy.normalise(facts), same.normalise(facts)) else {
        let errors = policy.normalise(facts).unwrap_err().errors;
        assert!(!errors.is_empty(), "a refusal has a reason");
        return;
    };
    assert_eq!(normal.facts(), other.facts());
    let again = policy.normalise(normal.facts()).unwrap();
    assert_eq!(again.facts(), normal.facts(), "normal facts are normal");
    assert_eq!(again.identity(), normal.identity());

    let subject = Subject::parse("acct-42").unwrap();
    let evaluation = policy.evaluate(&normal, &subject, NOW);
    let (traced, _) = policy.evaluate_traced(&normal, &subject, NOW);
    assert_eq!(traced, evaluation, "a trace changes nothing");
    assert_eq!(same.evaluate(&other, &subject, NOW), evaluation);
    if let Evaluation::Decided { outcome, .. } = evaluation {
        let text = outcome.to_json();
        assert_eq!(json::parse(text.as_bytes()), Ok(Value::Object(outcome)));
    }
}
