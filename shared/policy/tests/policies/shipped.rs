//! The policies that this repository ships: within the bounds, with all their examples, unchanged since they were published.

use std::path::Path;

use decide_once_policy::{Lock, PolicySet, check};

fn policies() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies"))
}

#[test]
fn the_check_finds_nothing_in_the_shipped_policies() {
    let problems = check(policies()).unwrap();
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
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
