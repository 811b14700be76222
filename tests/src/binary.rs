//! Which `decide-once` the tests start.
//!
//! In the package `decide-once` Cargo names it (`CARGO_BIN_EXE_decide-once`). Other packages cannot ask Cargo for it: there it is the one beside
//! the test's own binary, which `cargo test --workspace` has just built. After a `cargo test -p <package>` alone it may be missing or old, and
//! then this says so: a test of yesterday's binary would be worse than none.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The binary that `cargo test --workspace` has built.
///
/// # Panics
/// It is missing, or older than one of its sources.
pub fn decide_once() -> PathBuf {
    let test = env::current_exe().unwrap();
    // target/<profile>/deps/<test> → target/<profile>/decide-once
    let profile = test.parent().and_then(Path::parent).unwrap();
    let binary = profile.join(format!("decide-once{}", env::consts::EXE_SUFFIX));
    let built = modified(&binary).unwrap_or_else(|| {
        panic!(
            "{} is not there; run `cargo test --workspace`, or `cargo build -p decide-once` first",
            binary.display()
        )
    });
    if let Some(newer) = newer_source(&profile.join("decide-once.d"), built) {
        panic!(
            "{} is older than {}; run `cargo test --workspace`, or `cargo build -p decide-once` first",
            binary.display(),
            newer.display()
        );
    }
    binary
}

/// Cargo's dep-info: one line, `<binary>: <source> <source> …`, spaces within names escaped.
fn newer_source(dep_info: &Path, built: SystemTime) -> Option<PathBuf> {
    let text = fs::read_to_string(dep_info).ok()?;
    let (_, sources) = text.split_once(": ")?;
    sources
        .trim_end()
        .replace("\\ ", "\0")
        .split(' ')
        .map(|source| PathBuf::from(source.replace('\0', " ")))
        .find(|source| modified(source).is_some_and(|changed| changed > built))
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).ok()?.modified().ok()
}
