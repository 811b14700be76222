//! The fuzz targets without a fuzzer: the committed corpora, and seeded mutations of them.
//!
//! `FUZZ_SECONDS` has each target go on for so long, from the seed that `DECIDE_ONCE_SEED` says: what `tests/fuzz/run` does where there
//! is no cargo-fuzz.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod mutate;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use decide_once_fuzz::{TARGETS, Target};
use decide_once_tests::seed::{self, Seed};

use crate::mutate::mutate;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Name and bytes of each file of a target's corpus, by name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder("corpus").join(target);
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Fails with the input, to be put into a file.
fn run(target: &Target, origin: &str, input: &[u8]) {
    let Target { name, run } = target;
    let held = catch_unwind(AssertUnwindSafe(|| run(input)));
    assert!(
        held.is_ok(),
        "{name}, {origin}: b\"{}\"",
        input.escape_ascii()
    );
}

/// The corpus first, then so many mutations of it, or as many as fit into `FUZZ_SECONDS`.
fn holds(name: &str, mutations: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = corpus(name);
    for (file, input) in &corpus {
        run(target, file, input);
    }
    let inputs: Vec<_> = corpus.into_iter().map(|(_, input)| input).collect();
    let seconds = env::var("FUZZ_SECONDS").ok();
    let span = seconds.map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
    let mut seed = Seed::new(if span.is_some() {
        seed::of_this_run()
    } else {
        0x5eed
    });
    let (begun, mut done) = (Instant::now(), 0);
    while span.map_or(done < mutations, |span| begun.elapsed() < span) {
        run(target, "a mutation", &mutate(&inputs, &mut seed));
        done += 1;
    }
    println!("{name}: {done} mutations of {} inputs", inputs.len());
}

macro_rules! targets {
    ($($name:ident: $mutations:literal),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                holds(stringify!($name), $mutations);
            }
        )*
    };
}

// As many as take each about a second in a debug build.
targets! {
    cloud_event: 4_000,
    gateway: 400,
    items: 4_000,
    json: 4_000,
    key: 4_000,
    policy: 300,
    queue: 2_000,
    request: 2_000,
    stream: 4_000,
    values: 4_000,
}

#[test]
fn every_target_has_a_test_a_corpus_and_a_harness() {
    let targets: BTreeSet<_> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    let tested = NAMES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(targets, tested);
    let stems = |folder: PathBuf| -> BTreeSet<String> {
        let files = fs::read_dir(folder).unwrap();
        files
            .map(|file| {
                file.unwrap()
                    .path()
                    .file_stem()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(stems(folder("corpus")), targets);
    assert_eq!(stems(folder("harness/fuzz_targets")), targets);
}
