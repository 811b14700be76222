//! Policies as a set: what is packaged, what is active, what is locked.

use crate::support::{NOW, facts, id, policy, set_of, shipped, subject, version};
use decide_once_policy::{Evaluation, Lock, PolicySet, Unavailable};

const MINIMAL: &str = "policy: p
version: 1
input: { type: object, properties: { order: { type: string, maxLength: 10 }, line: { type: integer } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules: [{ id: all, when: true, then: { decision: approve } }]
";

fn lines(problems: &[decide_once_policy::Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_readme_request_is_approved_by_the_active_version() {
    let set = shipped();
    assert_eq!(set.active(&id("credit-limit")), Some(version(3)));
    let policy = policy(&set, "credit-limit", 3);
    let normal = policy
        .normalise(&facts(r#"{"amount":12500,"currency":"USD"}"#))
        .unwrap();
    let Evaluation::Decided {
        rule,
        outcome,
        events,
        claims,
    } = policy.evaluate(&normal, &subject(), NOW)
    else {
        panic!("no decision");
    };
    assert_eq!(rule, "standard");
    assert_eq!(
        outcome.to_json(),
        r#"{"decision":"approve","limit":25000,"currency":"USD"}"#
    );
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].r#type, "com.example.credit-limit.decided");
    assert_eq!(
        events[0].data.to_json(),
        r#"{"account":"acct-42","decision":"approve","rule":"standard"}"#
    );
    assert!(claims.is_empty());
}

#[test]
fn what_is_not_packaged_is_told_apart_from_what_is_broken() {
    let set = set_of(
        &[("p", 1, MINIMAL), ("p", 2, "policy: p\nversion: 2\n")],
        "p: 1",
    );
    assert!(set.get(&id("p"), version(1)).is_ok());
    assert!(matches!(
        set.get(&id("q"), version(1)),
        Err(Unavailable::UnknownPolicy(_))
    ));
    assert!(matches!(
        set.get(&id("p"), version(3)),
        Err(Unavailable::UnknownVersion(..))
    ));
    let broken = set.get(&id("p"), version(2)).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "policy p version 2 is refused: p/2.yaml:2: missing field `input`; run `decide-once policy check`"
    );
    assert_eq!(set.active(&id("q")), None);
}

#[test]
fn a_version_is_activated_only_where_it_is_packaged() {
    let load = |active: &str| {
        PolicySet::from_files([(id("p"), version(1), MINIMAL.into())], active.as_bytes())
            .unwrap_err()
            .to_string()
    };
    let unpackaged =
        "is not packaged in version 2; package a version one release before it is activated";
    assert_eq!(load("p: 2"), format!("active.yaml:1: `p` {unpackaged}"));
    assert!(load("# none\nq: 1").starts_with("active.yaml:2: `q` is not packaged"));
    assert!(load("p: one").starts_with("active.yaml:1: `p` needs a version number"));
    assert!(load("p: 0").starts_with("active.yaml:1: `p` is not packaged in version 0"));
    assert!(load("p: 1\np: 1").starts_with("active.yaml:2: the key p is there twice"));
    assert!(load("[]").starts_with("active.yaml:1: write one line for each active policy"));
}

#[test]
fn a_policies_directory_that_cannot_be_used_is_one_clear_line() {
    let dir = tempfile::tempdir().unwrap();
    let error = PolicySet::load(&dir.path().join("nowhere"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot read ") && error.contains("nowhere"),
        "{error}"
    );
    std::fs::write(dir.path().join("active.yaml"), "p: 1").unwrap();
    std::fs::create_dir(dir.path().join("p")).unwrap();
    std::fs::write(dir.path().join("p/1.yaml"), MINIMAL).unwrap();
    std::fs::write(dir.path().join("README.md"), "not a policy").unwrap();
    assert!(PolicySet::load(dir.path()).is_ok());
    std::fs::write(dir.path().join("p/01.yaml"), MINIMAL).unwrap();
    let error = PolicySet::load(dir.path()).unwrap_err().to_string();
    assert!(
        error.contains("01.yaml does not belong here; expected a version"),
        "{error}"
    );
    std::fs::remove_file(dir.path().join("p/01.yaml")).unwrap();
    std::fs::create_dir(dir.path().join("Big Policy")).unwrap();
    let error = PolicySet::load(dir.path()).unwrap_err().to_string();
    assert!(
        error.contains("Big Policy does not belong here; expected a policy id"),
        "{error}"
    );
    assert!(!error.contains('\n'));
}

#[test]
fn a_published_version_cannot_change_or_disappear() {
    let first = set_of(&[("p", 1, MINIMAL)], "p: 1");
    let published = first.lock(&Lock::default()).unwrap();
    assert_eq!(
        Lock::parse(published.to_string().as_bytes()).unwrap(),
        published
    );
    assert!(first.check(&published).is_empty());

    let changed = set_of(
        &[("p", 1, &format!("{MINIMAL}# a comment is a change too\n"))],
        "p: 1",
    );
    let expected = [
        "p/1.yaml: was published and has changed since; restore it, and make the change in a new version",
    ];
    assert_eq!(lines(&changed.check(&published)), expected);
    assert_eq!(lines(&changed.lock(&published).unwrap_err()), expected);

    let two = MINIMAL.replace("version: 1", "version: 2");
    let gone = set_of(&[("p", 2, &two)], "p: 2");
    assert_eq!(
        lines(&gone.check(&published)),
        [
            "p/1.yaml: was published and is gone; restore it: records may be pinned to it",
            "p/2.yaml: is not in the lock; run `decide-once policy lock` when it is final",
        ]
    );

    let grown = set_of(&[("p", 1, MINIMAL), ("p", 2, &two)], "p: 2");
    let relocked = grown.lock(&published).unwrap();
    assert!(grown.check(&relocked).is_empty());
    assert!(
        relocked
            .to_string()
            .starts_with(published.to_string().trim_end()),
        "only a line is added"
    );
}

#[test]
fn a_lock_that_is_none_is_refused_with_its_line() {
    for wrong in [
        "abc  p/1.yaml",
        "# fine\n0000",
        &format!("{}  p/1.yaml\n{}  p/1.yaml", "0".repeat(64), "1".repeat(64)),
    ] {
        let problem = Lock::parse(wrong.as_bytes()).unwrap_err();
        assert_eq!(
            problem.line,
            Some(wrong.lines().count() as u64),
            "{problem}"
        );
    }
}

#[test]
fn a_natural_key_keeps_its_meaning_in_every_version() {
    let with = |number: u32, unique: &str| {
        MINIMAL
            .replace("version: 1", &format!("version: {number}"))
            .replace("retention:", &format!("unique: {unique}\nretention:"))
    };
    let problems = |unique: &str| {
        let set = set_of(
            &[
                ("p", 1, &with(1, "{ order: [/order] }")),
                ("p", 2, &with(2, unique)),
            ],
            "p: 1",
        );
        lines(&set.check(&set.lock(&Lock::default()).unwrap()))
    };
    assert_eq!(
        problems("{ order: [/order, /line] }"),
        [
            "p/2.yaml: unique order: it has other parts than in p/1.yaml; a natural key keeps its meaning: give the new one a new name"
        ]
    );
    assert!(problems("{ order: [/order], order-line: [/order, /line] }").is_empty());
}

#[test]
fn a_list_names_every_version_and_which_is_active() {
    let set = shipped();
    let listed: Vec<String> = set
        .list()
        .map(|listed| {
            format!(
                "{} {}{}",
                listed.id,
                listed.version,
                if listed.active { " active" } else { "" }
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            "credit-limit 1",
            "credit-limit 2",
            "credit-limit 3 active",
            "inventory-reservation 1 active",
            "refund-approval 1 active"
        ]
    );
    for listed in set.list() {
        let policy = set.get(listed.id, listed.version).unwrap();
        assert_eq!(policy.digest, listed.digest());
        let document = set.document(listed.id, listed.version).unwrap();
        assert_eq!(
            document.pointer("/policy").unwrap().as_str(),
            Some(listed.id.as_str())
        );
        assert!(document.pointer("/rules/0/when").is_some());
    }
}
