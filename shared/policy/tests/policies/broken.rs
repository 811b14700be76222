//! Every file in `broken/` is refused, for the reason that its last line names.

use std::path::Path;

use decide_once_policy::{Lock, PolicySet};
use decide_once_protocol::request::{PolicyId, PolicyVersion};

/// The problems of a policy `broken` in version 1, one a line.
fn problems(text: &str) -> Vec<String> {
    let id = PolicyId::parse("broken").unwrap();
    let version = PolicyVersion::new(1).unwrap();
    let files = [(id, version, text.as_bytes().to_vec())];
    let set = PolicySet::from_files(files, b"broken: 1").unwrap();
    let published = set.lock(&Lock::default()).unwrap();
    set.check(&published)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn each_broken_policy_is_refused_with_its_reason() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken"));
    let mut wrong = Vec::new();
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (policy, expected) = text.trim_end().rsplit_once("# refused: ").unwrap();
        let problems = problems(policy);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !problems.iter().any(|problem| problem.contains(expected)) {
            wrong.push(format!("{name}: expected {expected:?}, got {problems:#?}"));
        }
        assert!(
            problems.iter().all(|problem| !problem.contains('\n')),
            "{name}: one line each"
        );
        seen += 1;
    }
    assert!(seen > 60, "only {seen} files in {}", folder.display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_file_that_they_are_all_made_from_is_accepted() {
    let broken = include_str!("../broken/rule-twice.yaml");
    let (sound, _) = broken.split_once("  - { id: standard").unwrap();
    assert_eq!(problems(sound), Vec::<String>::new());
}
