//! What a request costs at the store.

use std::collections::BTreeMap;

use decide_once_tests::Stack;
use serde::Deserialize;

use crate::support::{B0, asked, created, fresh_key, in_progress, mismatch, owner_at_work, post};

/// `lastRequest` of `GET /_local/metrics`.
#[derive(Debug, Deserialize)]
struct LastRequest {
    overlapped: bool,
    calls: Calls,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Calls {
    by_operation: BTreeMap<String, Counted>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counted {
    calls: u64,
    request_bytes: u64,
}

/// The calls of the request that was answered last, by operation, and the bytes that they carried.
async fn last(stack: &Stack) -> (Vec<(String, u64)>, u64) {
    let last = stack.metrics().await["lastRequest"].clone();
    let last: LastRequest = serde_json::from_value(last).unwrap();
    assert!(!last.overlapped);
    let bytes = last.calls.by_operation.values();
    let bytes = bytes.map(|counted| counted.request_bytes).sum();
    let calls = last.calls.by_operation.into_iter();
    (
        calls.map(|(name, counted)| (name, counted.calls)).collect(),
        bytes,
    )
}

fn calls(named: &[(&str, u64)]) -> Vec<(String, u64)> {
    named
        .iter()
        .map(|(name, calls)| ((*name).to_owned(), *calls))
        .collect()
}

#[tokio::test]
async fn a_first_request_takes_two_a_replay_one_a_mismatch_one() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    created(post(&stack, &key, B0).send().await);
    let (first, bytes) = last(&stack).await;
    assert_eq!(first, calls(&[("PutItem", 1), ("TransactWriteItems", 1)]));
    // With the trace that every invocation has: 74 bytes for its event. Without one they are below 2,500.
    assert!(bytes < 2_500 + 74, "{bytes} bytes");

    // D09: what came back with the refusal is enough; nothing is read.
    let _ = post(&stack, &key, B0).send().await.expect(200);
    assert_eq!(last(&stack).await.0, calls(&[("PutItem", 1)]));
    mismatch(post(&stack, &key, B0.replace("12500", "1")).send().await);
    assert_eq!(last(&stack).await.0, calls(&[("PutItem", 1)]));
}

#[tokio::test]
async fn a_request_that_is_spelled_otherwise_takes_one() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let key = fresh_key();
    created(post(&stack, &key, B0).send().await);
    // Other bytes, and the version named that the record is pinned to: compared under the pin, without asking again.
    let otherwise = B0.replace(r#""subject""#, r#""version":3,"subject""#);
    let otherwise = otherwise.replace("12500", "1.25e4");
    let _ = post(&stack, &key, otherwise).send().await.expect(200);
    assert_eq!(last(&stack).await.0, calls(&[("PutItem", 1)]));
}

#[tokio::test]
async fn a_concurrent_duplicate_takes_one_and_one_for_each_poll() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let key = fresh_key();
    let owner = owner_at_work(&stack, &key).await;
    let counted = async |operation: &str| {
        asked(&stack).await[operation]["calls"]
            .as_u64()
            .unwrap_or(0)
    };
    let at_once = post(&stack, &key, B0).header("prefer", "wait=0");
    in_progress(at_once.send().await);
    assert_eq!(counted("PutItem").await, 2, "the owner's, and one");
    assert_eq!(counted("GetItem").await, 0);
    // The default wait of 200 ms has pauses of 25, 50, 100 and 25.
    in_progress(post(&stack, &key, B0).send().await);
    assert_eq!(counted("PutItem").await, 3);
    assert_eq!(counted("GetItem").await, 4);
    created(owner.await.unwrap());
    assert_eq!(counted("UpdateItem").await, 0);
}
