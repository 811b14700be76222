//! The policies that this repository ships: within the bounds, with all their examples, unchanged since they were published.

use std::path::Path;

use decide_once_policy::{Lock, PolicySet, check};

use crate::support::set_of;

fn policies() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies"))
}

#[test]
fn the_check_finds_nothing_in_the_shipped_policies() {
    let checked = check(policies()).unwrap();
    assert!(checked.versions > 0);
    let lines: Vec<String> = checked.problems.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn the_lock_has_every_shipped_version_and_nothing_else() {
    let published = Lock::read(policies()).unwrap();
    let packaged = PolicySet::load(policies()).unwrap();
    assert_eq!(packaged.lock(&published).unwrap(), published);
    assert_eq!(
        published.to_string(),
        std::fs::read_to_string(policies().join("lock")).unwrap()
    );
}

#[test]
fn the_policy_in_the_documentation_is_one_that_the_check_accepts() {
    let page = include_str!("../../../../docs/policies.md");
    let policy = page.split("```yaml\n").nth(1).unwrap();
    let policy = policy.split("```").next().unwrap();
    let set = set_of(&[("credit-limit", 3, policy)], "credit-limit: 3");
    let problems = set.check(&set.lock(&Lock::default()).unwrap());
    assert!(problems.is_empty(), "{problems:#?}");
}
