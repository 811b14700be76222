//! What ten packaged policies add to the start of a process: `cargo bench -p decide-once-policy --bench start`.
//!
//! Starts itself as a process again and again, in turns with nothing to do and with ten policies to load, and compares. Ends with 1 if
//! they add a millisecond or more.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark looks at the clock and at files"
)]

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use decide_once_policy::PolicySet;

const STARTS: usize = 400;
const LOAD: &str = "--load";

fn main() -> ExitCode {
    let mut args = std::env::args().skip_while(|arg| arg != LOAD).skip(1);
    if let Some(directory) = args.next() {
        if !directory.is_empty() {
            assert_eq!(
                PolicySet::load(Path::new(&directory))
                    .unwrap()
                    .list()
                    .count(),
                10
            );
        }
        return ExitCode::SUCCESS;
    }
    let ten = ten_policies();
    let ten = ten.path().to_str().unwrap();
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        without.push(start(""));
        with.push(start(ten));
    }
    let added = median(
        with.iter()
            .zip(&without)
            .map(|(with, without)| millis(*with) - millis(*without)),
    );
    println!(
        "a process start                        {:>8.3} ms",
        median(without.into_iter().map(millis))
    );
    println!(
        "a process start with ten policies      {:>8.3} ms",
        median(with.into_iter().map(millis))
    );
    println!("ten policies add                       {added:>8.3} ms (limit 1 ms)");
    ExitCode::from(u8::from(added >= 1.0))
}

/// From the start of a process to its end.
fn start(directory: &str) -> Duration {
    let begin = Instant::now();
    let status = Command::new(std::env::current_exe().unwrap())
        .args([LOAD, directory])
        .stdin(Stdio::null())
        .status()
        .unwrap();
    let took = begin.elapsed();
    assert!(status.success());
    took
}

fn ten_policies() -> tempfile::TempDir {
    let shipped = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies"));
    let policy = std::fs::read_to_string(shipped.join("credit-limit/3.yaml")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut active = String::new();
    for number in 0..10 {
        let id = format!("policy-{number}");
        let folder = directory.path().join(&id);
        std::fs::create_dir(&folder).unwrap();
        let text = policy
            .replace("policy: credit-limit", &format!("policy: {id}"))
            .replace("version: 3", "version: 1");
        std::fs::write(folder.join("1.yaml"), text).unwrap();
        active += &format!("{id}: 1\n");
    }
    std::fs::write(directory.path().join("active.yaml"), active).unwrap();
    directory
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
