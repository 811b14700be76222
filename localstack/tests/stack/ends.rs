//! Ending: whatever ends the stack, nothing of it is left.

use decide_once_tests::{eventually, signal};

use crate::start;

async fn all_gone(pids: &[u32]) {
    eventually("the end of all function processes", async || {
        pids.iter().all(|pid| !signal::is_alive(*pid)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn no_process_outlives_a_stack_that_was_killed() {
    let mut stack = start(&["--concurrency", "3"]).await;
    let pids = running(&stack, 3).await;
    stack.crash();
    all_gone(&pids).await;
}

#[tokio::test]
async fn an_interrupt_ends_everything_in_order() {
    let mut stack = start(&["--concurrency", "2"]).await;
    let pids = running(&stack, 2).await;
    assert_eq!(stack.interrupt().await, Some(0));
    assert!(
        pids.iter().all(|pid| !signal::is_alive(*pid)),
        "stages: the stack ends last"
    );
    assert!(stack.get("/health").try_send().await.is_err());
}

#[tokio::test]
async fn an_interrupt_ends_a_process_that_does_not_react() {
    let mut stack = start(&["--concurrency", "1"]).await;
    let pids = running(&stack, 1).await;
    signal::send("STOP", pids[0]);
    assert_eq!(stack.interrupt().await, Some(0));
    all_gone(&pids).await;
}

/// Functions with one process each.
const OTHERS: usize = 5;

/// All processes once there are `deciding` of the decide function, and one of each other function.
async fn running(stack: &decide_once_tests::Stack, deciding: usize) -> Vec<u32> {
    eventually("all function processes", async || {
        let processes = stack.processes().await;
        (processes.len() == deciding + OTHERS)
            .then(|| processes.iter().map(|process| process.pid).collect())
    })
    .await
}
