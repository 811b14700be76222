//! Runs of the command, and decisions to look at.

use std::process::{Command, Output, Stdio};

use decide_once_tests::{Answer, Stack, binary, eventually};
use serde_json::Value;

/// What no output may have unless it was asked for.
pub(crate) const SUBJECT: &str = "acct-of-somebody";

/// A decision about [`SUBJECT`].
pub(crate) async fn decide(stack: &Stack, key: &str) -> Answer {
    stack.decide(key, &body()).send().await.expect(201)
}

/// The request of [`decide`].
pub(crate) fn body() -> String {
    format!(
        r#"{{"policy":"credit-limit","subject":"{SUBJECT}","facts":{{"amount":12500,"currency":"USD"}}}}"#
    )
}

/// The id of the one event that a decision announces.
pub(crate) fn event(answer: &Answer) -> String {
    answer.json()["events"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// `decide-once …`, with no variables but these.
pub(crate) fn run_with(args: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(binary::decide_once())
        .args(args)
        .env_clear()
        // What is not told it is not to find on this machine either.
        .envs([
            ("AWS_EC2_METADATA_DISABLED", "true"),
            ("AWS_CONFIG_FILE", "/nowhere/config"),
            ("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials"),
        ])
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// `decide-once … --stack URL`.
pub(crate) fn run(stack: &Stack, args: &[&str]) -> Output {
    run_with(&[args, &["--stack", stack.url()]].concat(), &[])
}

/// What it printed for people, and that all was well.
#[track_caller]
pub(crate) fn well(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"", "{output:?}");
    text(&output.stdout)
}

/// The objects that it printed for machines, and that all was well.
#[track_caller]
pub(crate) fn objects(output: &Output) -> Vec<Value> {
    parsed(&well(output))
}

/// The objects of the lines.
#[track_caller]
pub(crate) fn parsed(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The one line of a command that ended with this code, and printed nothing else.
#[track_caller]
pub(crate) fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert_eq!(output.stdout, b"", "{output:?}");
    let line = text(&output.stderr);
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

/// What was printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    str::from_utf8(bytes).unwrap().to_owned()
}

/// How many rows a list counts.
pub(crate) fn counted(stack: &Stack, args: &[&str]) -> Value {
    let list = [&["outbox", "list", "--json"], args].concat();
    let objects = objects(&run(stack, &list));
    objects.last().unwrap()["summary"]["count"].clone()
}

/// Returns once a list counts so many.
pub(crate) async fn until_counted(stack: &Stack, args: &[&str], wanted: usize) {
    eventually("rows in the list", async || {
        (counted(stack, args) == wanted).then_some(())
    })
    .await;
}
