//! What is deployed has nothing of the local stack in it.
//!
//! The crash points and the steerable clock are behind the feature `local`. A workspace build unifies features, so what
//! is looked at here is built as it is for a deployment: the functions' packages alone, in a release profile (a cheap
//! one; see `Cargo.toml`). The first build of it takes a minute or two, in the target directory of the tests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use decide_once_service::crash::{DIRECTORY, POINTS, PREFIX};
use decide_once_tests::binary;

/// The functions' packages and their binaries.
const FUNCTIONS: [(&str, &str); 6] = [
    ("fn-decide", "decide"),
    ("fn-evaluate", "evaluate"),
    ("fn-publish", "publish"),
    ("fn-sweep", "sweep"),
    ("fn-consume", "consume"),
    ("fn-intake", "intake"),
];

/// The profile that they are built in.
const PROFILE: &str = "release-check";

/// The variable of the steerable clock.
const CLOCK: &str = "DECIDE_ONCE_LOCAL_CLOCK";

#[test]
fn no_function_binary_has_a_crash_point_or_a_steerable_clock_and_the_local_one_has_all() {
    let built = build();
    for (_, name) in FUNCTIONS {
        let binary = fs::read(built.join(name)).unwrap();
        assert_eq!(points(&binary), BTreeSet::new(), "{name}");
        for variable in [DIRECTORY, CLOCK] {
            assert!(!contains(&binary, variable), "{name} reads {variable}");
        }
    }
    // What is looked for can be found.
    let local = fs::read(binary::decide_once()).unwrap();
    assert_eq!(points(&local), POINTS.into());
    assert!(contains(&local, DIRECTORY) && contains(&local, CLOCK));
}

/// Builds the functions and returns where they are, beside the test's own target files.
fn build() -> PathBuf {
    let test = env::current_exe().unwrap();
    // target/<profile>/deps/<test>
    let target = test.ancestors().nth(3).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--quiet", "--profile", PROFILE])
        .args(
            FUNCTIONS
                .iter()
                .flat_map(|(package, _)| ["--package", *package]),
        )
        .arg("--target-dir")
        .arg(target)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    target.join(PROFILE)
}

/// The crash points whose names are in these bytes.
fn points(binary: &[u8]) -> BTreeSet<&'static str> {
    let found = places(binary, PREFIX);
    POINTS
        .into_iter()
        .filter(|point| {
            found
                .iter()
                .any(|after| after.starts_with(point.as_bytes()))
        })
        .chain(
            found
                .iter()
                .any(|after| !known(after))
                .then_some("an unknown one"),
        )
        .collect()
}

/// Whether a place is the prefix itself, as the code that strips it has it, or a known point's name.
fn known(after: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
    let named = after.first().is_some_and(is_name);
    !named
        || POINTS
            .iter()
            .any(|point| after.starts_with(point.as_bytes()))
}

fn contains(binary: &[u8], text: &str) -> bool {
    !places(binary, text).is_empty()
}

/// What follows each occurrence of `text`.
fn places<'a>(binary: &'a [u8], text: &str) -> Vec<&'a [u8]> {
    let text = text.as_bytes();
    let (Some(first), mut rest, mut found) = (text.first(), binary, Vec::new()) else {
        return Vec::new();
    };
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = &rest[at..];
        match rest.strip_prefix(text) {
            Some(after) => {
                found.push(after);
                rest = after;
            }
            None => rest = &rest[1..],
        }
    }
    found
}
