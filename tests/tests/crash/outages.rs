//! The store is away.

use std::time::Instant;

use decide_once_tests::{Stack, eventually};
use serde_json::json;

use crate::support::{Tables, fresh_key, posted, retried, settled};

/// Functions with one process each.
const OTHERS: usize = 5;

/// Every call times out. Twenty callers are told so within their request, nothing is decided unprotected, and once the
/// store is back the same processes decide.
#[tokio::test]
async fn d08_store_down_fail_closed() {
    let stack = Stack::start(&["--concurrency", "20"]).await;
    let tables = Tables::of(&stack).await;
    eventually("all processes", async || {
        (stack.processes().await.len() == 20 + OTHERS).then_some(())
    })
    .await;
    let before = stack.processes().await;
    stack
        .arm(&json!({ "call": "*", "fault": "delay", "ms": 60_000, "times": 10_000 }))
        .await;

    let keys: Vec<_> = (0..20).map(|_| fresh_key()).collect();
    let start = Instant::now();
    let calls: Vec<_> = keys.iter().map(|key| posted(&stack, key)).collect();
    for call in calls {
        let answer = call.await.unwrap().expect(503);
        assert_eq!(
            answer.json()["retry"],
            "same-key",
            "the function's own answer"
        );
        assert!(answer.header("retry-after").is_some());
    }
    assert!(
        start.elapsed().as_secs() < 30,
        "within the gateway's patience"
    );
    assert!(tables.decisions().await.is_empty());

    let heal = stack.request(http::Method::DELETE, "/_local/faults");
    let _ = heal.send().await.expect(200);
    for key in &keys {
        retried(&stack, key).await;
    }
    assert_eq!(stack.processes().await, before, "nothing was restarted");
    assert_eq!(tables.decisions().await.len(), 20);
    assert_eq!(settled(&stack).await.len(), 20);
}
