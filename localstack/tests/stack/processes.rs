//! Function processes that hang and die. A stopped process (SIGSTOP) stands for one that works for ever.

use std::time::Duration;

use decide_once_tests::{Answer, Stack, StackProcess, eventually, signal};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::start;

/// The one of the decide function.
async fn only_process(stack: &Stack) -> StackProcess {
    let mut processes = stack.processes().await;
    processes.retain(|process| process.function == "decide");
    processes.remove(0)
}

/// Sends a request and returns once a process has it.
async fn in_flight(stack: &Stack) -> JoinHandle<Answer> {
    let request = tokio::spawn(stack.get("/health").send());
    eventually("the call to be in flight", async || {
        (stack.metrics().await["functions"]["decide"]["inFlight"] == 1).then_some(())
    })
    .await;
    request
}

async fn answers_again(stack: &Stack) {
    let answer = stack.get("/health").send().await;
    assert!(answer.status.as_u16() < 502, "{answer:?}");
}

#[tokio::test]
async fn the_call_of_a_process_that_dies_fails_at_once_and_another_takes_its_place() {
    let stack = start(&["--concurrency", "1"]).await;
    let process = only_process(&stack).await;
    signal::send("STOP", process.pid);
    let call = in_flight(&stack).await;

    signal::send("KILL", process.pid);
    // Far below the gateway's and the function's timeouts, which are about 30 s.
    let answer = tokio::time::timeout(Duration::from_secs(10), call)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(answer.status, 502);
    assert_eq!(answer.json(), json!({ "message": "Internal Server Error" }));

    answers_again(&stack).await;
    let next = only_process(&stack).await;
    assert_ne!(next.pid, process.pid);
    assert_eq!(next.restarts, 1);
}

#[tokio::test]
async fn a_gateway_that_gives_up_leaves_the_function_to_go_on() {
    let stack = start(&["--concurrency", "1", "--gateway-timeout", "1"]).await;
    let process = only_process(&stack).await;
    signal::send("STOP", process.pid);
    let answer = in_flight(&stack).await.await.unwrap();
    assert_eq!(answer.status, 503);
    assert_eq!(answer.json(), json!({ "message": "Service Unavailable" }));

    signal::send("CONT", process.pid);
    answers_again(&stack).await;
    assert_eq!(
        only_process(&stack).await,
        process,
        "it was neither killed nor replaced"
    );
}

#[tokio::test]
async fn a_process_that_takes_too_long_is_killed_and_replaced() {
    let stack = start(&["--concurrency", "1", "--function-timeout", "1"]).await;
    let process = only_process(&stack).await;
    signal::send("STOP", process.pid);
    let answer = in_flight(&stack).await.await.unwrap();
    assert_eq!(answer.status, 502);

    answers_again(&stack).await;
    assert!(!signal::is_alive(process.pid));
    assert_eq!(only_process(&stack).await.restarts, 1);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_any_more_never_starts() {
    let stack = start(&["--concurrency", "1", "--gateway-timeout", "1"]).await;
    let process = only_process(&stack).await;
    signal::send("STOP", process.pid);
    let first = in_flight(&stack).await;
    let second = stack.get("/health").send().await;
    assert_eq!(second.status, 503);
    assert_eq!(first.await.unwrap().status, 503);

    signal::send("CONT", process.pid);
    answers_again(&stack).await;
    let load = &stack.metrics().await["functions"]["decide"];
    assert_eq!(
        *load,
        json!({ "queued": 0, "inFlight": 0, "started": 2 }),
        "the second never started"
    );
}

#[tokio::test]
async fn many_callers_share_few_processes() {
    let stack = start(&["--concurrency", "2"]).await;
    let calls: Vec<_> = (0..64)
        .map(|_| tokio::spawn(stack.get("/health").send()))
        .collect();
    for call in calls {
        let answer = call.await.unwrap();
        assert!(answer.status.as_u16() < 502, "{answer:?}");
    }
}
