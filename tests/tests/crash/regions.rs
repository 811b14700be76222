//! Two regions with the same tables: two endpoints, each of which would accept every condition by itself.

use std::path::Path;

use decide_once::names::REGION;
use decide_once_tests::{Stack, binary, stack::run};

use crate::support::{Tables, fresh_key, post};

/// A stack of one process a function on the tables in `data`.
fn at<'a>(data: &'a Path, home: &'a str) -> [&'a str; 6] {
    let data = data.to_str().unwrap();
    ["--concurrency", "1", "--data", data, "--env", home]
}

/// The replica has not heard of the decision at home. That it would have decided again, were it taken for the home, shows that it is the
/// refusal which keeps the promise.
#[tokio::test]
async fn d11_a_request_in_the_region_that_stands_by_is_not_accepted() {
    let (here, elsewhere) = (format!("HOME_REGION={REGION}"), "HOME_REGION=eu-west-1");
    let (home, replica) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let stack = Stack::start(&at(home.path(), &here)).await;
    let key = fresh_key();
    let first = post(&stack, &key).send().await.expect(201);

    // Every function says why, and the stack has no address then.
    let stands_by = run(&binary::decide_once(), &at(replica.path(), elsewhere));
    let said = String::from_utf8_lossy(&stands_by.stderr).into_owned();
    assert_eq!(stands_by.status.code(), Some(1), "{said}");
    for told in [
        "HOME_REGION is eu-west-1",
        REGION,
        "send requests to eu-west-1",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }

    // The retry goes home, and nothing was accepted elsewhere.
    let retried = post(&stack, &key).send().await.expect(200);
    assert_eq!(retried.body, first.body);
    let misled = Stack::start(&at(replica.path(), &here)).await;
    let tables = Tables::of(&misled).await;
    assert_eq!(tables.decisions().await.len(), 0);
    let second = post(&misled, &key).send().await.expect(201);
    assert_ne!(second.body, first.body, "two regions that write both win");
    assert_eq!(tables.decisions_of(&key).await.len(), 1);
}
