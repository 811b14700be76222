//! What a policy costs: `cargo bench -p decide-once-policy`.
//!
//! Prints the time of loading, of compiling on first use, of normalising and of deciding; and for policies at the edge of the bounds the
//! estimate beside the time that the largest facts really take. Plain timing, no harness: differences of a few percent do not matter.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use decide_once_policy::{Evaluation, Policy, PolicySet};
use decide_once_protocol::json::{self, Object, Value};
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};

const NOW: i64 = 1_796_083_200_000;

fn main() {
    loading();
    deciding();
    edges();
}

/// The best of five means: other work on the machine only ever adds.
fn time<T>(name: &str, rounds: u32, mut run: impl FnMut() -> T) {
    let means = (0..5).map(|_| {
        let start = Instant::now();
        for _ in 0..rounds {
            black_box(run());
        }
        start.elapsed() / rounds
    });
    println!("{name:<60} {:>12.3?}", means.min().unwrap());
}

fn loading() {
    let shipped = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies"));
    let policy = std::fs::read_to_string(shipped.join("credit-limit/3.yaml")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut active = String::new();
    for number in 0..10 {
        let id = format!("policy-{number}");
        let folder = dir.path().join(&id);
        std::fs::create_dir(&folder).unwrap();
        let text = policy
            .replace("policy: credit-limit", &format!("policy: {id}"))
            .replace("version: 3", "version: 1");
        std::fs::write(folder.join("1.yaml"), text).unwrap();
        active += &format!("{id}: 1\n");
    }
    std::fs::write(dir.path().join("active.yaml"), active).unwrap();
    time("load ten policies", 200, || {
        PolicySet::load(dir.path()).unwrap()
    });
    let start = Instant::now();
    let set = PolicySet::load(dir.path()).unwrap();
    println!(
        "{:<60} {:>12.3?}",
        "  the first time in this process",
        start.elapsed()
    );
    for listed in set.list() {
        let start = Instant::now();
        set.get(listed.id, listed.version).unwrap();
        println!(
            "{:<60} {:>12.3?}",
            format!("  first use of {}", listed.id),
            start.elapsed()
        );
    }
}

fn deciding() {
    let shipped = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies"));
    let set = PolicySet::load(shipped).unwrap();
    let id = PolicyId::parse("credit-limit").unwrap();
    let policy = set.get(&id, set.active(&id).unwrap()).unwrap();
    measure(
        "credit-limit 3",
        policy,
        r#"{"amount":12500,"currency":"USD"}"#,
    );
    let rules = (0..19).map(|number| {
        format!("  - {{ id: r{number}, when: 'facts.currency == \"USD\" && facts.amount > {}', then: {{ decision: refer }} }}\n", 1_000_000 + number)
    });
    let text = format!(
        "{HEAD}rules:\n{}  - {{ id: standard, when: 'true', then: {{ decision: approve, limit: '${{facts.amount * 2}}' }} }}\n",
        rules.collect::<String>()
    );
    let set = of_text(text);
    measure(
        "20 rules, the last one hits",
        only(&set),
        r#"{"amount":12500,"currency":"USD"}"#,
    );
}

fn measure(name: &str, policy: &Policy, facts: &str) {
    let facts = object(facts);
    let subject = Subject::parse("acct-42").unwrap();
    let normalised = policy.normalise(&facts).unwrap();
    assert!(matches!(
        policy.evaluate(&normalised, &subject, NOW),
        Evaluation::Decided { .. }
    ));
    time(&format!("{name}: normalise"), 4_000, || {
        policy.normalise(&facts).unwrap()
    });
    time(&format!("{name}: evaluate"), 4_000, || {
        policy.evaluate(&normalised, &subject, NOW)
    });
}

/// Conditions that are as expensive as the check lets them be, over the largest facts.
fn edges() {
    let numbers = format!(
        r#"{{"numbers":[{}]}}"#,
        (0..1_000)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",")
    );
    let long = "x".repeat(64 * 1024 - 64);
    let text = format!(r#"{{"text":"{long}"}}"#);
    let nested = format!(r#"{{"any":[{}]}}"#, vec!["{\"a\":[]}"; 7_000].join(","));
    let cases = [
        ("iteration", "facts.numbers.all(n, n >= 0)", &numbers),
        (
            "iteration with arithmetic",
            "facts.numbers.all(n, n * 3 + 1 - n % 7 >= 0 && n < 5000)",
            &numbers,
        ),
        (
            "map and compare",
            "size(facts.numbers.map(n, n + 1).filter(n, n > 3)) > 0",
            &numbers,
        ),
        (
            "maps in an iteration",
            "size(facts.numbers.map(n, {'a': n, 'b': [n, n]})) > 0",
            &numbers,
        ),
        ("long text compared", "facts.text == facts.text", &text),
        (
            "long text concatenated",
            "size(facts.text + facts.text) > 0",
            &text,
        ),
        (
            "long text searched",
            "!facts.text.contains('xxxxxxy')",
            &text,
        ),
        ("structures compared", "facts.any == facts.any", &nested),
        (
            "structures copied",
            "size([facts.any, facts.any]) == 2",
            &nested,
        ),
        (
            "members",
            "facts.a < 1 || facts.b < 1 || facts.a < 2 || facts.b < 2 || true",
            &"{\"a\":5,\"b\":5}".to_owned(),
        ),
    ];
    for (name, condition, facts) in cases {
        // As often as the bounds allow: the first count that is refused says what one costs.
        let rules = |count: usize| {
            let rule = |number| {
                format!(
                    "  - {{ id: r{number}, when: \"!({condition})\", then: {{ decision: refer }} }}\n"
                )
            };
            format!(
                "{HEAD}rules:\n{}  - {{ id: last, when: 'true', then: {{ decision: approve }} }}\n",
                (0..count).map(rule).collect::<String>()
            )
        };
        let fits = |count: usize| {
            let set = of_text(rules(count));
            set.get(
                &PolicyId::parse("p").unwrap(),
                PolicyVersion::new(1).unwrap(),
            )
            .is_ok()
        };
        let count = (0..=499)
            .rev()
            .step_by(1)
            .find(|count| [1, 499].contains(count) || *count == 0 || fits(*count))
            .unwrap();
        let count = if fits(count) {
            count
        } else {
            (1..count).rev().find(|count| fits(*count)).unwrap_or(0)
        };
        let set = of_text(rules(count));
        let policy = only(&set);
        let normalised = policy.normalise(&object(facts)).unwrap();
        let subject = Subject::parse("s").unwrap();
        time(&format!("edge: {count} × {name}"), 1, || {
            policy.evaluate(&normalised, &subject, NOW)
        });
    }
}

const HEAD: &str = "policy: p
version: 1
input:
  type: object
  properties:
    amount: { type: integer }
    currency: { type: string, maxLength: 3 }
    a: { type: integer }
    b: { type: integer }
    text: { type: string }
    any: {}
    numbers: { type: array, maxItems: 1000, items: { type: integer } }
retention: { result: 24h, key: 72h, decision: 400d }
";

fn of_text(text: String) -> PolicySet {
    let id = PolicyId::parse("p").unwrap();
    let version = PolicyVersion::new(1).unwrap();
    PolicySet::from_files([(id, version, text.into_bytes())], b"p: 1\n").unwrap()
}

fn only(set: &PolicySet) -> &Policy {
    let listed = set.list().next().unwrap();
    set.get(listed.id, listed.version)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn object(text: &str) -> Object {
    match json::parse(text.as_bytes()).unwrap() {
        Value::Object(object) => object,
        other => panic!("{} is no object", other.kind()),
    }
}
