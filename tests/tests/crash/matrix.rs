//! The crash matrix: what `docs/crash-matrix.md` says is what happens, in memory and with real processes.
//!
//! `UPDATE_CRASH_MATRIX=1 cargo test -p decide-once-tests --test crash matrix` writes it anew.

mod document;
mod processes;

use std::{env, fs, path::Path};

use decide_once_simulation::{
    matrix::{self, Cell, Moment, crashes},
    plan::{Crash, Part},
};

/// A crash with what came of it at each moment.
type Row = (Crash, Vec<Cell>);

fn in_memory() -> Vec<Row> {
    let row = |crash| {
        Moment::ALL
            .map(|moment| matrix::cell(crash, moment))
            .to_vec()
    };
    crashes()
        .into_iter()
        .map(|crash| (crash, row(crash)))
        .collect()
}

/// Two stacks side by side, each for several functions.
async fn with_processes() -> Vec<Row> {
    let of = |parts: [Part; 2]| {
        let mut crashes = crashes();
        crashes.retain(|crash| parts.contains(&crash.part));
        processes::rows(crashes)
    };
    let (mut rows, others) = tokio::join!(
        of([Part::Decide, Part::Publish]),
        of([Part::Evaluate, Part::Consume])
    );
    rows.extend(others);
    rows.sort_by_key(|(crash, _)| crashes().iter().position(|known| known == crash));
    rows
}

#[tokio::test]
async fn the_crash_matrix_that_is_committed_is_what_happens() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/crash-matrix.md");
    let memory = tokio::task::spawn_blocking(in_memory).await.unwrap();
    let happens = document::of(&memory, &with_processes().await);
    if env::var_os("UPDATE_CRASH_MATRIX").is_some() {
        fs::write(&file, &happens).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap();
    for (line, happens) in committed.lines().zip(happens.lines()) {
        assert_eq!(line, happens, "see UPDATE_CRASH_MATRIX in {}", file!());
    }
    assert_eq!(committed, happens);
}
