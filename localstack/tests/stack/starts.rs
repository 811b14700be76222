//! Starting: ready, or one line that says why not.

use decide_once_tests::stack::run;

use crate::{binary, start};

/// Runs the command, which is to fail, and returns its one line.
#[track_caller]
fn refused(args: &[&str]) -> String {
    let output = run(&binary(), args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{stderr}");
    assert_eq!(output.stdout, b"", "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr
}

#[tokio::test]
async fn ready_means_that_a_request_is_answered() {
    let stack = start(&[]).await;
    let output = stack.output();
    assert!(
        output.starts_with(&format!("ready {}\n", stack.url())),
        "{output}"
    );
    let answer = stack.get("/health").send().await;
    assert!(answer.status.as_u16() < 502, "{answer:?}");
    assert!(answer.header("apigw-requestid").is_some());
}

#[tokio::test]
async fn three_lines_to_paste_are_printed() {
    let stack = start(&["--concurrency", "1"]).await;
    decide_once_tests::eventually("three curl lines", async || {
        let curls = stack
            .output()
            .matches("\ncurl -i http://127.0.0.1:")
            .count();
        (curls == 3).then_some(())
    })
    .await;
}

#[test]
fn a_wrong_flag_is_one_line() {
    assert!(refused(&["--prot", "3000"]).contains("--prot"));
    assert!(refused(&["serve", "--concurrency", "0"]).contains("concurrency"));
    assert!(refused(&["--gateway-timeout", "31"]).contains("gateway-timeout"));
    assert!(refused(&["--env", "NOVALUE"]).contains("NAME=VALUE"));
    assert!(refused(&["reserve"]).contains("reserve"));
}

#[test]
fn a_taken_port_is_one_line() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let line = refused(&["--port", &port]);
    assert!(line.contains(&port) && line.contains("--port"), "{line}");
}

#[test]
fn policies_that_are_not_there_are_one_line() {
    let empty = tempfile::tempdir().unwrap();
    let line = refused(&["--port", "0", "--policies", empty.path().to_str().unwrap()]);
    assert!(line.contains("active.yaml"), "{line}");
}

/// The check of `decide-once policy check`, before anything is served; only what is not locked yet is no reason.
#[tokio::test]
async fn broken_policies_are_one_line_and_a_draft_is_served() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("p")).unwrap();
    let write = |file: &str, text: &str| std::fs::write(directory.path().join(file), text).unwrap();
    let policy = "policy: p
version: 1
input: { type: object }
retention: { result: 1h, key: 2h, decision: 30d }
rules: [{ id: all, when: 'true', then: { decision: approve } }]
";
    write("active.yaml", "p: 1");
    write("p/1.yaml", &policy.replace("'true'", "facts.x >"));
    let args = ["--policies", directory.path().to_str().unwrap()];
    let line = refused(&[&args[..], &["--port", "0"]].concat());
    assert!(
        line.contains("p/1.yaml:5: rule all: the expression is not CEL"),
        "{line}"
    );
    write("p/1.yaml", policy);
    let unused = "0".repeat(64);
    write("lock", &format!("{unused}  p/1.yaml\n"));
    let line = refused(&[&args[..], &["--port", "0"]].concat());
    assert!(
        line.contains("p/1.yaml: was published and has changed"),
        "{line}"
    );
    write("lock", "");
    let _stack = start(&[&args[..], &["--concurrency", "1"]].concat()).await;
}

#[test]
fn a_variable_of_the_stack_itself_is_one_line() {
    let line = refused(&["--port", "0", "--env", "OPERATIONS_TABLE=mine"]);
    assert!(line.contains("OPERATIONS_TABLE"), "{line}");
}

#[test]
fn a_function_that_nobody_started_is_one_line() {
    assert!(refused(&["function", "decide"]).contains("started by the stack"));
}

#[tokio::test]
async fn a_data_directory_in_use_is_one_line() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().to_str().unwrap();
    let _stack = start(&["--data", data, "--concurrency", "1"]).await;
    let line = refused(&["--port", "0", "--data", data]);
    assert!(line.contains("in use"), "{line}");
}

/// Tokio refuses to start without a thread, so that the process dies before anything of the function runs; whichever function's dies first
/// is named.
#[test]
fn a_function_process_that_dies_at_its_start_ends_the_stack() {
    let args = ["--port", "0", "--env", "TOKIO_WORKER_THREADS=0"];
    let output = run(&binary(), &args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{stderr}");
    let last = stderr.lines().last().unwrap();
    assert!(
        last.starts_with("decide-once: the function ")
            && last.contains(" does not start: exit status"),
        "{stderr}"
    );
}
