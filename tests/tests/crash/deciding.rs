//! Workers of the decide path that die, panic, stall or are cut off.

use decide_once_tests::{Stack, eventually};
use serde_json::json;

use crate::support::{
    LEASE_LAPSES, Tables, exactly_one, fresh_key, held, hold_at, kill_at, let_go, operation,
    panic_at, post, posted, retried,
};

/// The points before the commit, at which nothing is decided yet.
const BEFORE_THE_COMMIT: [&str; 2] = ["after_reserve", "before_commit"];

#[tokio::test]
async fn n07_crash_leaves_processing() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    kill_at(&stack, "after_reserve").await;
    let _ = post(&stack, &key).send().await.expect(502);

    // The lease of the dead worker is honoured: the caller is told how long, and that nothing is lost.
    stack.advance(10).await;
    let leased = post(&stack, &key).send().await.expect(202);
    let wait: u64 = leased.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=31).contains(&wait), "{wait}");
    assert_eq!(leased.json()["retry"], "same-key");
    let status = operation(&stack, &leased).await;
    assert_eq!(
        (&status["state"], &status["attempts"]),
        (&json!("PROCESSING"), &json!(1))
    );
    assert!(Tables::of(&stack).await.decisions().await.is_empty());

    // Once it has lapsed the status says so, and the next call takes over.
    stack.advance(LEASE_LAPSES - 10).await;
    let lapsed = operation(&stack, &leased).await;
    assert!(
        lapsed["advice"].as_str().unwrap().contains("POST again"),
        "{lapsed}"
    );
    let created = post(&stack, &key).send().await.expect(201);
    assert_eq!(operation(&stack, &created).await["attempts"], 2);
    let replayed = post(&stack, &key).send().await.expect(200);
    assert_eq!(replayed.body, created.body);
    exactly_one(&stack, &created).await;
}

/// OOM: the process is gone at once, wherever it was.
#[tokio::test]
async fn f08_a_process_that_is_killed_before_the_commit_is_taken_over() {
    for point in BEFORE_THE_COMMIT {
        let stack = Stack::start(&["--concurrency", "1"]).await;
        let key = fresh_key();
        kill_at(&stack, point).await;
        let _ = post(&stack, &key).send().await.expect(502);
        let _ = post(&stack, &key).send().await.expect(202);
        assert!(Tables::of(&stack).await.outbox().await.is_empty());
        stack.advance(LEASE_LAPSES).await;
        let created = retried(&stack, &key).await.expect(201);
        exactly_one(&stack, &created).await;
    }
}

#[tokio::test]
async fn f08_a_process_that_is_killed_after_the_commit_is_replayed() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    kill_at(&stack, "after_commit").await;
    let _ = post(&stack, &key).send().await.expect(502);
    let replayed = retried(&stack, &key).await.expect(200);
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    assert_eq!(replayed.header("idempotent-original-status"), Some("201"));
    assert_eq!(exactly_one(&stack, &replayed).await.len(), 1);
}

/// The runtime catches a handler's panic: the caller has a 502 and the process lives on.
#[tokio::test]
async fn f08_unknown_panic_or_oom_in_the_handler() {
    for point in BEFORE_THE_COMMIT {
        let stack = Stack::start(&["--concurrency", "1"]).await;
        let (key, before) = (fresh_key(), stack.processes().await);
        panic_at(&stack, point).await;
        let _ = post(&stack, &key).send().await.expect(502);
        assert_eq!(stack.processes().await, before, "the process lives on");
        let _ = post(&stack, &key).send().await.expect(202);
        stack.advance(LEASE_LAPSES).await;
        let created = retried(&stack, &key).await.expect(201);
        exactly_one(&stack, &created).await;
    }
    // A 5xx may follow a write that was committed.
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    panic_at(&stack, "after_commit").await;
    let _ = post(&stack, &key).send().await.expect(502);
    let replayed = retried(&stack, &key).await.expect(200);
    exactly_one(&stack, &replayed).await;
}

/// The gateway gives up, the function goes on.
#[tokio::test]
async fn f08_a_gateway_timeout_is_no_second_decision() {
    let stack = Stack::start(&["--concurrency", "2", "--gateway-timeout", "3"]).await;
    let key = fresh_key();
    hold_at(&stack, "before_commit").await;
    let _ = post(&stack, &key).send().await.expect(503);
    let _ = post(&stack, &key).send().await.expect(202);
    let_go(&stack).await;
    let replayed = retried(&stack, &key).await.expect(200);
    assert_eq!(operation(&stack, &replayed).await["attempts"], 1);
    exactly_one(&stack, &replayed).await;
}

/// A stalls before its commit; B takes over and decides; A wakes up and is fenced: B's answer is A's caller's.
#[tokio::test]
async fn n04_late_finisher_after_takeover() {
    let stack = Stack::start(&["--concurrency", "2", "--function-timeout", "300"]).await;
    let key = fresh_key();
    hold_at(&stack, "before_commit").await;
    let a = posted(&stack, &key);
    held(&stack, "before_commit").await;

    stack.advance(LEASE_LAPSES).await;
    let b = post(&stack, &key).send().await.expect(201);
    assert_eq!(operation(&stack, &b).await["attempts"], 2);

    let_go(&stack).await;
    let a = a.await.unwrap().expect(200);
    assert_eq!(a.body, b.body);
    assert_eq!(a.header("idempotent-replayed"), Some("true"));
    assert_eq!(operation(&stack, &b).await["attempts"], 2);
    assert_eq!(exactly_one(&stack, &b).await.len(), 1);
}

/// As above, but A is late before it evaluates: it does not even begin, and its release is fenced as well.
#[tokio::test]
async fn a02_a_late_worker_that_gives_up_does_not_delete_the_decision() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    hold_at(&stack, "after_reserve").await;
    let a = posted(&stack, &key);
    held(&stack, "after_reserve").await;

    // Past A's own deadline too, so that it gives its attempt up.
    stack.advance(LEASE_LAPSES).await;
    let b = post(&stack, &key).send().await.expect(201);
    let_go(&stack).await;
    let a = a.await.unwrap();
    assert!(matches!(a.status.as_u16(), 200 | 503), "{a:?}");
    let replayed = retried(&stack, &key).await.expect(200);
    assert_eq!(replayed.body, b.body);
    exactly_one(&stack, &b).await;
}

/// Two processes whose clocks are a minute apart: the fast one takes every lease of the other for lapsed.
#[tokio::test]
async fn a10_a_contender_whose_clock_is_a_minute_fast() {
    let stack = Stack::start(&["--concurrency", "2", "--skew-ms", "0,60000"]).await;
    // Whichever of the two gets the call and is held, the other one is asked next. The slow one honours the lease of
    // the fast one.
    let mut taken_over = 0;
    for _ in 0..4 {
        let key = fresh_key();
        hold_at(&stack, "before_commit").await;
        let first = posted(&stack, &key);
        held(&stack, "before_commit").await;
        let second = post(&stack, &key).send().await;
        let_go(&stack).await;
        let first = first.await.unwrap();
        let answer = retried(&stack, &key).await.expect(200);
        taken_over += operation(&stack, &answer).await["attempts"]
            .as_u64()
            .unwrap()
            - 1;
        for told in [first, second] {
            match told.status.as_u16() {
                200 | 201 => assert_eq!(told.body, answer.body),
                202 => assert_eq!(told.json()["retry"], "same-key"),
                _ => panic!("{told:?}"),
            }
        }
    }
    assert!(taken_over > 0, "the fast one was never asked second");
    let tables = Tables::of(&stack).await;
    eventually("four events", async || {
        (stack.events().await.len() >= 4).then_some(())
    })
    .await;
    assert_eq!(tables.decisions().await.len(), 4);
    assert_eq!(tables.outbox().await.len(), 4);
}
