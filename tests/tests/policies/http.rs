//! What HTTP shows of policies, asked of real function processes over DynamoDB's API.

use std::{
    fs,
    path::{Path, PathBuf},
};

use decide_once_tests::{Answer, Stack};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::texts::{LOAN_1, LOAN_2, loan};

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../policies");

/// A problem with its code and its advice.
#[track_caller]
fn problem(answer: Answer, status: u16, code: &str, retry: &str) -> Value {
    let answer = answer.expect(status);
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    let body = answer.json();
    assert_eq!(body["type"], format!("urn:decide-once:problem:{code}"));
    assert_eq!(body["retry"], retry);
    body
}

#[tokio::test]
async fn the_packaged_versions_are_listed_and_each_can_be_read() {
    let stack = Stack::start(&["--policies", SHIPPED, "--concurrency", "1"]).await;
    let list = stack.get("/v1/policies").send().await.expect(200);
    assert_eq!(list.header("cache-control"), Some("no-store"));
    let list = list.json();
    let listed: Vec<String> = list["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let active = if one["active"] == true { " active" } else { "" };
            format!(
                "{}/{}{active}",
                one["policy"].as_str().unwrap(),
                one["version"]
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            "credit-limit/1",
            "credit-limit/2",
            "credit-limit/3 active",
            "inventory-reservation/1 active",
            "refund-approval/1 active"
        ]
    );

    // The digests are those that the lock has: of the files' bytes.
    let lock = fs::read_to_string(Path::new(SHIPPED).join("lock")).unwrap();
    for one in list["policies"].as_array().unwrap() {
        let digest = one["digest"]
            .as_str()
            .unwrap()
            .strip_prefix("sha256:")
            .unwrap();
        let file = format!(
            "{}/{}.yaml",
            one["policy"].as_str().unwrap(),
            one["version"]
        );
        assert!(lock.contains(&format!("{digest}  {file}\n")), "{file}");
    }

    let body = r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500}}"#;
    let decision = stack.decide("K1", body).send().await.expect(201).json();
    let version = stack
        .get("/v1/policies/credit-limit/3")
        .send()
        .await
        .expect(200)
        .json();
    assert_eq!(version["active"], true);
    assert_eq!(version["digest"], decision["policy"]["digest"]);
    assert_eq!(version["input"]["properties"]["amount"]["minimum"], 0);
    assert_eq!(
        version["retention"],
        json!({"result": "24h", "key": "72h", "decision": "400d"})
    );
    let rules = version["rules"].as_array().unwrap();
    assert!(
        rules.iter().any(|rule| rule["id"] == decision["rule"]),
        "the rule that hit: {decision}"
    );
    let older = stack
        .get("/v1/policies/credit-limit/1")
        .send()
        .await
        .expect(200)
        .json();
    assert_eq!(older["active"], false);
    assert_eq!(older["rules"][0]["when"], "facts.amount > 1000000");
}

#[tokio::test]
async fn what_is_not_packaged_is_not_found_and_readers_are_authorised() {
    let stack = Stack::start(&["--concurrency", "1", "--auth", "required"]).await;
    for path in ["/v1/policies", "/v1/policies/credit-limit/3"] {
        assert_eq!(stack.get(path).send().await.status, 401);
        let reader = stack.get(path).token("tok-alpha-read").send().await;
        assert_eq!(reader.status, 200);
    }

    let stack = Stack::start(&["--policies", SHIPPED, "--concurrency", "1"]).await;
    for path in [
        "credit-limit/4",
        "credit-limit/0",
        "credit-limit/03",
        "nope/1",
        "Nope/1",
    ] {
        let answer = stack.get(&format!("/v1/policies/{path}")).send().await;
        problem(answer, 404, "not-found", "never");
    }
    let answer = stack.get("/v1/policies/credit-limit").send().await;
    problem(answer, 404, "route-unknown", "never");
    let answer = stack.post("/v1/policies").send().await;
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    problem(answer, 405, "method-not-allowed", "never");
    let answer = stack.get("/v1/policies?active=true").send().await;
    problem(answer, 400, "query-invalid", "never");
}

/// Three deployments of one service, one after the other over durable tables: before version 2, with it, with it active.
#[tokio::test]
async fn a_pin_outlives_the_deployments_that_package_and_activate_a_newer_version() {
    let data = tempfile::tempdir().unwrap();
    let releases = tempfile::tempdir().unwrap();
    let first = release(&releases, "first", &[LOAN_1], 1);
    let packaged = release(&releases, "packaged", &[LOAN_1, LOAN_2], 1);
    let activated = release(&releases, "activated", &[LOAN_1, LOAN_2], 2);
    let start = async |policies: &PathBuf| {
        let (data, policies) = (data.path().to_str().unwrap(), policies.to_str().unwrap());
        Stack::start(&["--data", data, "--policies", policies, "--concurrency", "1"]).await
    };
    let large = loan(r#"{"amount":20000}"#);
    let respelled = loan(r#"{"currency":"USD","amount":2e4,"client_ts":"later"}"#);

    let mut stack = start(&first).await;
    let decided = stack.decide("K1", &large).send().await.expect(201);
    assert_eq!(decided.json()["policy"]["version"], 1);
    assert_eq!(stack.interrupt().await, Some(0));

    let mut stack = start(&packaged).await;
    let replay = stack.decide("K1", &respelled).send().await.expect(200);
    assert_eq!(replay.body, decided.body);
    let unnamed = stack
        .decide("K2", &loan(r#"{"amount":7}"#))
        .send()
        .await
        .expect(201);
    assert_eq!(unnamed.json()["outcome"]["under"], 1);
    assert_eq!(stack.interrupt().await, Some(0));

    let stack = start(&activated).await;
    for body in [&large, &respelled] {
        let replay = stack.decide("K1", body).send().await.expect(200);
        assert_eq!(
            replay.body, decided.body,
            "though version 2 would refuse the amount"
        );
        assert_eq!(replay.header("idempotent-replayed"), Some("true"));
    }
    let fresh = stack.decide("K3", &large).send().await;
    let fresh = problem(fresh, 422, "facts-invalid", "never");
    assert_eq!(fresh["pointers"], json!(["/facts/amount"]));
    let fresh = stack
        .decide("K3", &loan(r#"{"amount":7}"#))
        .send()
        .await
        .expect(201);
    assert_eq!(fresh.json()["outcome"]["under"], 2);
    let other = loan(r#"{"amount":20000}"#).replace(r#""subject""#, r#""version":2,"subject""#);
    let other = problem(
        stack.decide("K1", &other).send().await,
        409,
        "key-reused",
        "never",
    );
    assert_eq!(other["pointers"], json!(["/version"]));
}

/// The same facts of one order under two keys: the second operation is told the first decision, and told so again.
#[tokio::test]
async fn a_second_operation_for_an_order_is_refused_by_the_store_itself() {
    let stack = Stack::start(&["--policies", SHIPPED, "--concurrency", "1"]).await;
    let order = |id: &str| {
        format!(
            r#"{{"policy":"inventory-reservation","subject":"shop","facts":{{"orderId":{id},"lines":[{{"sku":"tea","quantity":1,"available":9}}]}}}}"#
        )
    };
    let first = stack
        .decide("K1", &order(r#""A-1""#))
        .send()
        .await
        .expect(201)
        .json();
    let refused = stack.decide("K2", &order(r#""A-1""#)).send().await;
    assert_eq!(refused.header("idempotent-replayed"), Some("false"));
    let told = problem(refused, 409, "already-decided", "never");
    assert_eq!(told["decisionId"], first["decisionId"]);
    let again = stack.decide("K2", &order(r#""A-1""#)).send().await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(problem(again, 409, "already-decided", "never"), told);
    for part in ["null", r#""""#] {
        let refused = stack.decide("K3", &order(part)).send().await;
        let refused = problem(refused, 422, "facts-invalid", "never");
        assert_eq!(refused["pointers"], json!(["/facts/orderId"]));
    }
    let corrected = stack.decide("K3", &order(r#""A-2""#)).send().await;
    assert_eq!(corrected.status, 201);
}

fn release(parent: &TempDir, name: &str, versions: &[&str], active: u32) -> PathBuf {
    let directory = parent.path().join(name);
    fs::create_dir_all(directory.join("loan")).unwrap();
    for (number, text) in (1..).zip(versions) {
        fs::write(directory.join(format!("loan/{number}.yaml")), text).unwrap();
    }
    fs::write(directory.join("active.yaml"), format!("loan: {active}\n")).unwrap();
    directory
}
