//! The whole stack dies and is started again on its data.

use std::collections::BTreeSet;

use decide_once_tests::{Answer, Stack};

use crate::support::{Tables, announced, fresh_key, ids, post, posted, retried, settled};

/// Nothing that was answered is lost, nothing that was under way is decided twice, and the events arrive.
#[tokio::test]
async fn a_stack_that_is_killed_has_lost_nothing_that_it_answered() {
    let data = tempfile::tempdir().unwrap();
    // A lease of two seconds, which callers can wait for.
    let args = [
        "--concurrency",
        "4",
        "--env",
        "LEASE_CAP_MS=1000",
        "--data",
        data.path().to_str().unwrap(),
    ];
    let mut stack = Stack::start(&args).await;
    let mut answered: Vec<(String, Answer)> = Vec::new();
    for number in 0..20 {
        // The last ten are not delivered before the end.
        if number == 10 {
            settled(&stack).await;
            stack.sink("down").await;
        }
        let key = fresh_key();
        let answer = post(&stack, &key).send().await.expect(201);
        answered.push((key, answer));
    }
    let delivered = ids(&stack.events().await);
    assert_eq!(delivered.len(), 10);
    let under_way: Vec<_> = (0..8).map(|_| fresh_key()).collect();
    let calls: Vec<_> = under_way.iter().map(|key| posted(&stack, key)).collect();
    stack.crash();
    for call in calls {
        call.abort();
    }

    let stack = Stack::start(&args).await;
    for (key, first) in &answered {
        let replayed = post(&stack, key).send().await.expect(200);
        assert_eq!(replayed.body, first.body);
    }
    let mut expected: BTreeSet<_> = answered
        .iter()
        .flat_map(|(_, answer)| announced(answer))
        .collect();
    for key in &under_way {
        expected.extend(announced(&retried(&stack, key).await));
    }
    let events = ids(&settled(&stack).await);
    assert_eq!(events[..10], delivered, "acknowledged before, kept");
    assert_eq!(BTreeSet::from_iter(events), expected);
    assert_eq!(Tables::of(&stack).await.decisions().await.len(), 28);
}
