//! Files that are submitted, and submitted again.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Output, Stdio},
};

use decide_once_tests::{Stack, binary, eventually};

const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../localstack/samples/requests.jsonl"
);

/// `decide-once submit`, to its end.
fn submit(stack: &Stack, file: &Path, args: &[&str]) -> Output {
    let file = file.to_str().unwrap();
    let args = [&["submit", file, "--url", stack.url()], args].concat();
    decide_once_tests::stack::run(&binary::decide_once(), &args)
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap()
}

/// What the README shows: the summary, the events, the balances; the same again, all replays, balances unchanged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shipped_sample_is_decided_once_however_often_it_is_submitted() {
    let stack = Stack::start(&[]).await;
    let first = submit(&stack, Path::new(SAMPLE), &[]);
    assert_eq!(first.status.code(), Some(0));
    let expected =
        "50 lines\n      48 decided\n       2 replayed: decided before, the recorded answer\n";
    assert_eq!(said(&first), expected);
    eventually("all events", async || {
        let events = stack.events().await.len();
        let done = stack.metrics().await["fed"]["consume"]["done"].as_u64();
        (events >= 48 && done == u64::try_from(events).ok()).then_some(())
    })
    .await;
    let (events, balances) = (stack.events().await, stack.balances().await);
    let again = submit(&stack, Path::new(SAMPLE), &["--concurrency", "1"]);
    let expected = "50 lines\n      50 replayed: decided before, the recorded answer\n";
    assert_eq!(said(&again), expected);
    assert_eq!(
        (stack.events().await, stack.balances().await),
        (events, balances)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_results_file_has_is_skipped_and_an_edited_line_is_not() {
    let stack = Stack::start(&[]).await;
    let directory = tempfile::tempdir().unwrap();
    let (file, results) = (
        directory.path().join("f.jsonl"),
        directory.path().join("r.jsonl"),
    );
    let line = |key: &str, amount: u32| {
        format!(
            r#"{{"key":"{key}","request":{{"policy":"credit-limit","subject":"s","facts":{{"amount":{amount}}}}}}}"#
        )
    };
    let args = ["--results", results.to_str().unwrap()];
    fs::write(&file, format!("{}\n\n{}\n", line("a", 1), line("b", 2))).unwrap();
    let first = submit(&stack, &file, &args);
    assert_eq!(first.status.code(), Some(0));
    assert_eq!(said(&first), "2 lines\n       2 decided\n");
    let edited = [line("a", 1), line("b", 3), line("c", 4)].join("\n\n");
    fs::write(&file, edited).unwrap();
    let second = submit(&stack, &file, &args);
    assert_eq!(second.status.code(), Some(1));
    let expected = "3 lines\n       1 decided\n       1 skipped: the results file has them\n       1 refused: key-reused (line 3)\n";
    assert_eq!(said(&second), expected);
    let third = submit(&stack, &file, &args);
    assert_eq!(
        said(&third),
        "3 lines\n       3 skipped: the results file has them\n"
    );
    assert_eq!(third.status.code(), Some(1), "one of them has no decision");
    let kept = fs::read_to_string(&results).unwrap();
    assert_eq!(kept.lines().count(), 5, "whose results, and four of them");
    assert!(
        kept.contains(r#""outcome":"refused","status":409,"code":"key-reused""#),
        "{kept}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_file_sends_nothing_and_names_its_lines() {
    let stack = Stack::start(&["--auth", "required"]).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("f.jsonl");
    let good =
        r#"{"key":"a","request":{"policy":"credit-limit","subject":"s","facts":{"amount":1}}}"#;
    fs::write(&file, format!("{good}\nsecret\n{{\"key\":\"b\"}}\n")).unwrap();
    let refused = submit(&stack, &file, &[]);
    assert_eq!(refused.status.code(), Some(2));
    let text = said(&refused);
    assert!(
        text.contains("line 2: ") && text.contains("line 3: ") && !text.contains("secret"),
        "{text}"
    );
    assert_eq!(
        stack.metrics().await["lastRequest"],
        serde_json::Value::Null
    );

    // Without its token each line is refused, with it each is decided, whatever the results file has seen before.
    fs::write(&file, good).unwrap();
    let results = directory.path().join("r.jsonl");
    let results = results.to_str().unwrap();
    let refused = submit(&stack, &file, &["--results", results]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(
        said(&refused),
        "1 line\n       1 refused: HTTP 401 (line 1)\n"
    );
    let token = std::process::Command::new(binary::decide_once())
        .args([
            "submit",
            file.to_str().unwrap(),
            "--url",
            stack.url(),
            "--token-variable",
            "TOKEN",
            "--results",
            results,
        ])
        .env("TOKEN", "tok-alpha")
        .output()
        .unwrap();
    assert_eq!(said(&token), "1 line\n       1 decided\n");
}

/// Nobody is there: nothing is claimed to be known, and the next run goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_finished_is_left_to_the_next_run() {
    let directory = tempfile::tempdir().unwrap();
    let (file, results) = (
        directory.path().join("f.jsonl"),
        directory.path().join("r.jsonl"),
    );
    fs::write(
        &file,
        r#"{"key":"a","request":{"policy":"credit-limit","subject":"s","facts":{"amount":1}}}"#,
    )
    .unwrap();
    let args = ["--results", results.to_str().unwrap(), "--patience", "1"];
    let nobody = [
        "submit",
        file.to_str().unwrap(),
        "--url",
        "http://127.0.0.1:9",
    ];
    let output =
        decide_once_tests::stack::run(&binary::decide_once(), &[&nobody, &args[..]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        said(&output),
        "1 line\n       1 not finished, no connection: run it again (line 1)\n"
    );
    let stack = Stack::start(&[]).await;
    let refused = submit(&stack, &file, &args);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("is of http://127.0.0.1:9"));
    let output = submit(&stack, &file, &[]);
    assert_eq!(
        (output.status.code(), said(&output)),
        (Some(0), "1 line\n       1 decided\n".to_owned())
    );
}

/// A pipe can be read once only, and a file that is its own results file would be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_is_submitted_and_a_file_of_requests_is_never_written_over() {
    let stack = Stack::start(&[]).await;
    let line =
        r#"{"key":"p","request":{"policy":"credit-limit","subject":"s","facts":{"amount":1}}}"#;
    let mut piped = std::process::Command::new(binary::decide_once())
        .args(["submit", "-", "--url", stack.url()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    piped
        .stdin
        .take()
        .unwrap()
        .write_all(line.as_bytes())
        .unwrap();
    let piped = piped.wait_with_output().unwrap();
    assert_eq!(said(&piped), "1 line\n       1 decided\n");
    assert_eq!(piped.status.code(), Some(0));

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("f.jsonl");
    fs::write(&file, line).unwrap();
    let refused = submit(&stack, &file, &["--results", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("is no results file"));
    assert_eq!(fs::read_to_string(&file).unwrap(), line);

    fs::write(&file, "\n\n").unwrap();
    let empty = submit(&stack, &file, &[]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(said(&empty).contains("has no request"));
}
