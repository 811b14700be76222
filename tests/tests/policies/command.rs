//! `decide-once policy`: the author's tool, and what CI runs.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use decide_once_tests::binary;
use serde_json::{Value, json};
use tempfile::TempDir;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../policies");
const BROKEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/policy/tests/broken");

/// `decide-once policy … --policies <directory>`, with this on its stdin.
fn policy_with(directory: &Path, args: &[&str], stdin: &str) -> Output {
    let mut command = Command::new(binary::decide_once())
        .arg("policy")
        .args(args)
        .arg("--policies")
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = command.stdin.take().unwrap();
    // One that does not read its stdin may have ended already.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    command.wait_with_output().unwrap()
}

fn policy(directory: &Path, args: &[&str]) -> Output {
    policy_with(directory, args, "")
}

/// What it printed, and that all was well.
#[track_caller]
fn well(output: &Output) -> String {
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"");
    stdout
}

/// What it printed, and that it found something.
#[track_caller]
fn found(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(output.stderr, b"");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The shipped policies, to be spoiled.
fn copy_of_the_shipped() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(SHIPPED).unwrap() {
        let path = entry.unwrap().path();
        let target = copy.path().join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir(&target).unwrap();
            for version in fs::read_dir(&path).unwrap() {
                let version = version.unwrap().path();
                fs::copy(&version, target.join(version.file_name().unwrap())).unwrap();
            }
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
    copy
}

/// A directory with one policy in version 1, not locked.
fn only(id: &str, text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join(id)).unwrap();
    fs::write(directory.path().join(id).join("1.yaml"), text).unwrap();
    fs::write(directory.path().join("active.yaml"), format!("{id}: 1\n")).unwrap();
    directory
}

#[test]
fn the_shipped_policies_pass_the_check() {
    let stdout = well(&policy(Path::new(SHIPPED), &["check"]));
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    let machine = well(&policy(Path::new(SHIPPED), &["check", "--json"]));
    let machine: Value = serde_json::from_str(&machine).unwrap();
    assert_eq!(machine["problems"], json!([]));
}

#[test]
fn a_published_version_that_changed_or_is_gone_fails_the_check() {
    let copy = copy_of_the_shipped();
    let changed = copy.path().join("credit-limit/1.yaml");
    let text = fs::read_to_string(&changed).unwrap();
    fs::write(&changed, text + "# only a comment\n").unwrap();
    fs::remove_file(copy.path().join("credit-limit/2.yaml")).unwrap();
    let lock = fs::read(copy.path().join("lock")).unwrap();

    let expected = "credit-limit/1.yaml: was published and has changed since; restore it, and make the change in a new version\n\
                    credit-limit/2.yaml: was published and is gone; restore it: records may be pinned to it\n";
    assert_eq!(found(&policy(copy.path(), &["check"])), expected);
    // Nor does a new lock make it good.
    let refused = found(&policy(copy.path(), &["lock"]));
    assert_eq!(refused, format!("{expected}nothing was locked\n"));
    assert_eq!(fs::read(copy.path().join("lock")).unwrap(), lock);
}

/// The library's test takes every file; this takes some of them through the command.
#[test]
fn broken_policies_fail_the_check_with_file_line_rule_and_reason() {
    let mut files: Vec<PathBuf> = fs::read_dir(BROKEN)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files.iter().step_by(8) {
        let text = fs::read_to_string(file).unwrap();
        let (text, expected) = text.trim_end().rsplit_once("# refused: ").unwrap();
        let output = policy(only("broken", text).path(), &["check"]);
        let stdout = found(&output);
        let line = stdout.lines().find(|line| line.contains(expected));
        let line = line.unwrap_or_else(|| panic!("{}: {stdout}", file.display()));
        assert!(line.starts_with("broken/1.yaml"), "{line}");
    }
    let syntax = fs::read_to_string(Path::new(BROKEN).join("condition-syntax.yaml")).unwrap();
    let output = policy(only("broken", &syntax).path(), &["check", "--json"]);
    let machine: Value = serde_json::from_str(&found(&output)).unwrap();
    let problem = &machine["problems"][0];
    assert_eq!(problem["file"], "broken/1.yaml");
    assert_eq!(problem["line"], 17);
    assert_eq!(problem["place"], "rule standard");
    assert!(
        problem["reason"].as_str().unwrap().contains("not CEL"),
        "{problem}"
    );
}

#[test]
fn what_is_wrong_beside_the_versions_is_found_with_what_is_wrong_in_them() {
    let copy = copy_of_the_shipped();
    fs::write(copy.path().join("active.yaml"), "credit-limit: 7\n").unwrap();
    fs::write(copy.path().join("lock"), "nothing\n").unwrap();
    fs::write(
        copy.path().join("credit-limit/3.yaml"),
        "policy: credit-limit\n",
    )
    .unwrap();
    let stdout = found(&policy(copy.path(), &["check"]));
    let starts: Vec<&str> = stdout
        .lines()
        .map(|line| &line[..line.find(": ").unwrap()])
        .collect();
    assert_eq!(
        starts,
        ["active.yaml:1", "lock:1", "credit-limit/3.yaml:1"],
        "{stdout}"
    );
}

#[test]
fn a_new_version_is_locked_once_it_is_sound_and_only_added() {
    let copy = copy_of_the_shipped();
    let directory = copy.path();
    let before = fs::read_to_string(directory.join("lock")).unwrap();
    let third = fs::read_to_string(directory.join("credit-limit/3.yaml")).unwrap();
    let fourth = third.replace("version: 3", "version: 4");
    let draft = directory.join("credit-limit/4.yaml");

    fs::write(&draft, fourth.replace("limit: 25000", "limit: 25001")).unwrap();
    let refused = found(&policy(directory, &["lock"]));
    assert!(
        refused.contains("example 1: `limit` is 25000, and 25001 was expected"),
        "{refused}"
    );
    assert_eq!(fs::read_to_string(directory.join("lock")).unwrap(), before);

    fs::write(&draft, &fourth).unwrap();
    let unlocked = found(&policy(directory, &["check"]));
    assert!(
        unlocked
            .starts_with("credit-limit/4.yaml: is not in the lock; run `decide-once policy lock`"),
        "{unlocked}"
    );
    let locked = well(&policy(directory, &["lock", "--json"]));
    let locked: Value = serde_json::from_str(&locked).unwrap();
    assert_eq!(
        locked,
        json!({"locked": ["credit-limit/4.yaml"], "problems": []})
    );
    let after = fs::read_to_string(directory.join("lock")).unwrap();
    let added: Vec<&str> = after
        .lines()
        .filter(|line| !before.contains(line))
        .collect();
    assert!(
        matches!(added[..], [line] if line.ends_with("  credit-limit/4.yaml")),
        "{after}"
    );
    assert_eq!(
        after.len(),
        before.len() + added[0].len() + 1,
        "only a line is added"
    );
    well(&policy(directory, &["check"]));
    assert_eq!(
        well(&policy(directory, &["lock"])),
        "nothing to lock: every version is published and unchanged\n"
    );
}

#[test]
fn an_evaluation_says_what_was_tried_and_what_hit() {
    let ask = |args: &[&str], facts: &str| {
        let args = [
            &[
                "evaluate",
                "credit-limit",
                "--facts",
                "-",
                "--now",
                "2026-12-01T00:00:00Z",
            ],
            args,
        ]
        .concat();
        policy_with(Path::new(SHIPPED), &args, facts)
    };
    let stdout = well(&ask(&[], r#"{"amount":5000001}"#));
    let lines: Vec<Vec<&str>> = stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with(&["false", "disputed"])),
        "{stdout}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with(&["true", "over-limit"])),
        "{stdout}"
    );
    assert!(
        !stdout.contains("standard  "),
        "rules after the hit are not tried: {stdout}"
    );

    let told = |output: &str| serde_json::from_str::<Value>(output).unwrap();
    let evaluation = told(&well(&ask(
        &["--json", "--subject", "acct-42"],
        r#"{"amount":12500}"#,
    )));
    assert_eq!(evaluation["version"], 3);
    assert_eq!(evaluation["active"], true);
    assert_eq!(
        evaluation["facts"]["currency"], "USD",
        "as the rules see them"
    );
    assert_eq!(evaluation["rules"][4]["id"], "standard");
    assert_eq!(evaluation["rules"][4]["result"], true);
    assert_eq!(evaluation["decision"]["outcome"]["limit"], 25000);
    assert_eq!(
        evaluation["decision"]["events"][0]["data"]["account"],
        "acct-42"
    );

    let failed = told(&found(&ask(
        &["--json", "--version", "2"],
        r#"{"amount":1,"currency":"XXX"}"#,
    )));
    assert_eq!(failed["failure"]["code"], "no-rule-matched");
    assert_eq!(failed["decision"], Value::Null);
    let invalid = told(&found(&ask(&["--json"], r#"{"amount":-1}"#)));
    assert_eq!(invalid["invalid"][0]["pointer"], "/amount");
}

#[test]
fn a_condition_that_cannot_be_computed_is_shown_with_its_reason() {
    let text = "policy: p
version: 1
input: { type: object, properties: { parts: { type: integer } } }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: share, when: 100 / facts.parts < 5, then: { decision: decline } }
  - { id: otherwise, when: 'true', then: { decision: approve } }
";
    let args = ["evaluate", "p", "--facts", "-"];
    let stdout = found(&policy_with(
        only("p", text).path(),
        &args,
        r#"{"parts":0}"#,
    ));
    let line = stdout.lines().find(|line| line.contains("error")).unwrap();
    assert!(line.contains("share") && line.contains('#'), "{stdout}");
    assert!(!stdout.contains("otherwise"), "{stdout}");
    assert!(stdout.contains("condition-error"), "{stdout}");
}

#[test]
fn what_cannot_be_asked_is_one_line() {
    let refused = |args: &[&str], stdin: &str| {
        let output = policy_with(Path::new(SHIPPED), args, stdin);
        assert!(!output.status.success());
        assert_eq!(output.stdout, b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        stderr
    };
    let asked = |facts: &str| refused(&["evaluate", "credit-limit", "--facts", "-"], facts);
    assert!(asked("[]").contains("not a JSON object"));
    assert!(asked(r#"{"a":1,"a":2}"#).contains("not acceptable JSON"));
    assert!(asked(&" ".repeat(65 * 1024)).contains("65536 bytes"));
    assert!(refused(&["evaluate", "nope", "--facts", "-"], "{}").contains("nope"));
    assert!(
        refused(
            &["evaluate", "credit-limit", "--version", "9", "--facts", "-"],
            "{}"
        )
        .contains("version 9")
    );
    assert!(
        refused(
            &["evaluate", "credit-limit", "--version", "x", "--facts", "-"],
            "{}"
        )
        .contains("--version")
    );
    assert!(
        refused(
            &["evaluate", "credit-limit", "--facts", "/nowhere/facts.json"],
            ""
        )
        .contains("/nowhere")
    );
    assert!(refused(&["publish"], "").contains("publish"));
}
