//! A deploy in the middle of operations, both ways: two releases one after the other on the same data, with everything left half done, and a
//! newer release at work on what a worker of the older one still holds.

use std::{fs, path::PathBuf};

use decide_once_tests::{Stack, Tables, eventually, tables::key_of};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    LEASE_LAPSES, SOON, alarmed_as_newer, arm, credit, cut_off, has, held, key, let_go,
    of_the_next_release, only, refunded, stands, try_again,
};

/// A policy that says under which of its versions it decided.
fn loan(version: u32) -> String {
    format!(
        "policy: loan
version: {version}
input: {{ type: object, required: [amount], properties: {{ amount: {{ type: integer, minimum: 0 }} }} }}
retention: {{ result: 24h, key: 72h, decision: 400d }}
rules: [{{ id: any, when: 'true', then: {{ under: {version} }} }}]
events: [{{ type: com.example.loan.decided, data: {{ under: {version} }} }}]
"
    )
}

const REQUEST: &str = r#"{"policy":"loan","subject":"acct-42","facts":{"amount":500}}"#;

/// One set of tables, and the releases that are deployed over them in turn.
struct Deployment {
    data: TempDir,
    releases: TempDir,
}

impl Deployment {
    fn new() -> Self {
        let (data, releases) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let deployment = Self { data, releases };
        deployment.release("old", 1);
        deployment.release("new", 2);
        deployment
    }

    /// A release that packages the versions up to `active`.
    fn release(&self, name: &str, active: u32) {
        let directory = self.policies(name);
        fs::create_dir_all(directory.join("loan")).unwrap();
        for version in 1..=active {
            let file = directory.join(format!("loan/{version}.yaml"));
            fs::write(file, loan(version)).unwrap();
        }
        fs::write(directory.join("active.yaml"), format!("loan: {active}\n")).unwrap();
    }

    fn policies(&self, name: &str) -> PathBuf {
        self.releases.path().join(name)
    }

    /// No time is moved here: leases are short, and a sweep comes each second.
    async fn deploy(&self, release: &str) -> (Stack, Tables) {
        let policies = self.policies(release);
        let stack = Stack::start(&[
            "--concurrency",
            "1",
            "--sweep-every",
            "1",
            "--env",
            "LEASE_CAP_MS=1000",
            "--data",
            self.data.path().to_str().unwrap(),
            "--policies",
            policies.to_str().unwrap(),
        ])
        .await;
        let tables = stack.tables().await;
        (stack, tables)
    }
}

/// The decision of an operation that has one, by the release's own account.
async fn decided(stack: &Stack, key: &str) -> Value {
    let answer = stack.decide(key, REQUEST).send().await.expect(200);
    assert_eq!(answer.header("idempotent-replayed"), Some("true"));
    answer.json()
}

/// What a release leaves when it goes in the middle of its work: an operation that is finished and whose event nobody has sent, one whose
/// worker died, one that is queued. Their records, in this order.
async fn left_in_the_middle(stack: &Stack, tables: &Tables, by: &str) -> Vec<Value> {
    for function in ["publish", "evaluate", "sweep"] {
        cut_off(stack, function).await;
    }
    let mut records = Vec::new();
    let finished = stack.decide(&format!("{by}-finished"), REQUEST);
    let finished = finished.send().await.expect(201);
    let id = finished.json()["operationId"].as_str().unwrap().to_owned();
    records.push(tables.item("operations", &id).await);
    arm(stack, "after_reserve", "kill").await;
    let reserved = stack.decide(&format!("{by}-reserved"), REQUEST);
    let _ = reserved.send().await.expect(502);
    let known: Vec<_> = records.iter().map(|it| id_of(it).to_owned()).collect();
    let items = tables.scan("operations").await;
    let is_reserved = |item: &&Value| {
        let stands = item["stands"]["S"].as_str().unwrap();
        stands.starts_with("PROCESSING/1") && !known.contains(&id_of(item).to_owned())
    };
    records.push(items.iter().find(is_reserved).unwrap().clone());
    let queued = stack.decide(&format!("{by}-queued"), REQUEST);
    let queued = queued.header("prefer", "respond-async").send().await;
    let id = queued.expect(202).json()["operationId"]
        .as_str()
        .unwrap()
        .to_owned();
    records.push(tables.item("operations", &id).await);
    records
}

fn id_of(item: &Value) -> &str {
    key_of("operations", item)
}

/// Every row that there is has been delivered.
async fn all_delivered(tables: &Tables) {
    eventually("every delivery", async || {
        let rows = tables.scan("outbox").await;
        let is_delivered = |row: &Value| row.get("deliveredAt").is_some();
        (!rows.is_empty() && rows.iter().all(is_delivered)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_an_old_release_left_in_the_middle_the_new_one_finishes_as_it_was_begun() {
    let deployment = Deployment::new();
    let (mut old, tables) = deployment.deploy("old").await;
    let left = left_in_the_middle(&old, &tables, "old").await;
    assert_eq!(old.interrupt().await, Some(0));

    let (new, tables) = deployment.deploy("new").await;
    // Nobody asks again for what was queued, or for the event.
    let queued = stands(&tables, id_of(&left[2]), "SUCCEEDED/").await;
    assert_eq!(queued["pin"], left[2]["pin"]);
    // The lease of the worker that died has to lapse first.
    let reserved = eventually("a decision", async || {
        let answer = new.decide("old-reserved", REQUEST).send().await;
        (answer.status == 201).then(|| answer.json())
    })
    .await;
    for (decision, record) in [
        (decided(&new, "old-finished").await, &left[0]),
        (reserved, &left[1]),
        (decided(&new, "old-queued").await, &left[2]),
    ] {
        assert_eq!(decision["decisionId"], record["decision"]["S"]);
        assert_eq!(decision["outcome"]["under"], 1, "its pin's version");
    }
    let fresh = new.decide("new", REQUEST).send().await.expect(201).json();
    assert_eq!(fresh["outcome"]["under"], 2);
    all_delivered(&tables).await;
    assert_eq!(tables.scan("decisions").await.len(), 4);
    assert_eq!(tables.scan("outbox").await.len(), 4);
    assert!(!new.output().contains("record-"));
}

/// The old release lacks the version that the new one pinned: what it can do without it does, the rest waits, and is finished by the next
/// deploy as it was begun.
#[tokio::test]
async fn what_a_new_release_left_in_the_middle_outlives_the_rollback() {
    let deployment = Deployment::new();
    let (mut new, tables) = deployment.deploy("new").await;
    let left = left_in_the_middle(&new, &tables, "new").await;
    assert_eq!(new.interrupt().await, Some(0));

    let (mut old, tables) = deployment.deploy("old").await;
    assert_eq!(decided(&old, "new-finished").await["outcome"]["under"], 2);
    all_delivered(&tables).await;
    // In progress, until the lease of the worker that died has lapsed.
    let answer = eventually("the end of the lease", async || {
        let answer = old.decide("new-reserved", REQUEST).send().await;
        (answer.status != 202).then_some(answer)
    })
    .await;
    try_again(answer);
    let held_back = eventually("a sweep", async || {
        let swept = old.sweep().await;
        (swept["operations"]["notYet"] == 1).then_some(swept)
    })
    .await;
    assert!(
        held_back["oldestDueSeconds"].is_u64(),
        "what an alarm watches"
    );
    for record in &left[1..] {
        assert_eq!(&tables.item("operations", id_of(record)).await, record);
    }
    let fresh = old.decide("old", REQUEST).send().await.expect(201).json();
    assert_eq!(fresh["outcome"]["under"], 1);
    assert_eq!(old.interrupt().await, Some(0));

    let (new, tables) = deployment.deploy("new").await;
    let _ = stands(&tables, id_of(&left[2]), "SUCCEEDED/").await;
    let reserved = new.decide("new-reserved", REQUEST).send().await;
    for (decision, record) in [
        (reserved.expect(201).json(), &left[1]),
        (decided(&new, "new-queued").await, &left[2]),
    ] {
        assert_eq!(decision["decisionId"], record["decision"]["S"]);
        assert_eq!(decision["outcome"]["under"], 2);
    }
    assert_eq!(decided(&new, "old").await["outcome"]["under"], 1);
    all_delivered(&tables).await;
    assert_eq!(tables.scan("decisions").await.len(), 4);
    assert_eq!(tables.scan("outbox").await.len(), 4);
}

/// The newer release's worker took over under another layout while the older one's stood still: the fence holds across layouts.
#[tokio::test]
async fn an_old_worker_that_wakes_up_behind_a_newer_release_commits_nothing() {
    for state in ["PROCESSING/2", "SUCCEEDED/2"] {
        let stack = Stack::start(&["--concurrency", "2"]).await;
        let tables = stack.tables().await;
        arm(&stack, "before_commit", "hold").await;
        let body = credit("acct-42");
        let late = tokio::spawn(stack.decide("K1", &body).send());
        held(&stack, "before_commit").await;
        let operation = key(&tables, "operations").await;
        let mut next = of_the_next_release(&tables.item("operations", &operation).await);
        next["stands"] = json!({ "S": format!("{state}/AgICAgICAgICAgICAgICAg") });
        tables.put("operations", &next).await;
        let_go(&stack).await;

        try_again(late.await.unwrap());
        assert_eq!(only(&tables, "operations").await, next, "{state}");
        for table in ["decisions", "outbox"] {
            assert!(tables.scan(table).await.is_empty(), "{state}: {table}");
        }
        alarmed_as_newer(&stack, "decide").await;
    }
}

/// It gives the attempt up at the same moment: a release is fenced as well.
#[tokio::test]
async fn an_old_worker_that_gives_up_behind_a_newer_release_releases_nothing() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    let tables = stack.tables().await;
    arm(&stack, "before_commit", "hold").await;
    let throttle = json!({ "call": "TransactWriteItems", "fault": "throttle", "times": 3 });
    stack.arm(&throttle).await;
    let late = tokio::spawn(stack.decide("K1", &credit("acct-42")).send());
    held(&stack, "before_commit").await;
    let mut next = of_the_next_release(&only(&tables, "operations").await);
    next["stands"] = json!({ "S": "FAILED_FINAL/2/AgICAgICAgICAgICAgICAg" });
    tables.put("operations", &next).await;
    let_go(&stack).await;
    try_again(late.await.unwrap());
    assert_eq!(only(&tables, "operations").await, next);
}

/// The newer release has marked, redriven or removed the row meanwhile: the old publisher's mark is a no-op.
#[tokio::test]
async fn an_old_publisher_that_wakes_up_behind_a_newer_release_marks_nothing() {
    let stack = Stack::start(&["--concurrency", "1", "--sweep-every", "0"]).await;
    let tables = stack.tables().await;
    arm(&stack, "after_send", "hold").await;
    let decided = stack.decide("K1", &credit("acct-42")).send();
    let _ = decided.await.expect(201);
    held(&stack, "after_send").await;
    let mut next = of_the_next_release(&only(&tables, "outbox").await);
    next["undelivered"] = json!({ "S": "001796083201500.000" });
    tables.put("outbox", &next).await;
    let_go(&stack).await;
    let overtaken = |line: &str| line.starts_with("[publish ") && line.contains(r#""overtaken":1"#);
    eventually("the end of the batch", async || {
        stack.output().lines().any(overtaken).then_some(())
    })
    .await;
    assert_eq!(only(&tables, "outbox").await, next);
    assert_eq!(stack.events().await.len(), 1);
}

/// The newer release took the lapsed claim over and finished: the old consumer's finish is refused, and its message comes again.
#[tokio::test]
async fn an_old_consumer_that_wakes_up_behind_a_newer_release_finishes_nothing() {
    let stack = Stack::start(&[SOON[0], SOON[1], "--queue-receives", "1000"]).await;
    let tables = stack.tables().await;
    arm(&stack, "after_effect", "hold").await;
    let review = refunded("e.1").replace("refund.approved", "refund.review-requested");
    stack.put("consume", review).await;
    held(&stack, "after_effect").await;
    let claimed = only(&tables, "inbox").await;
    let mut next = of_the_next_release(&claimed);
    next["claim"] = json!({ "S": "AgICAgICAgICAgICAgICAg" });
    tables.put("inbox", &next).await;
    let_go(&stack).await;
    alarmed_as_newer(&stack, "consume").await;
    assert_eq!(only(&tables, "inbox").await, next);
    // The newer release's mark ends; whoever comes then may have the event, and its downstream key is that of before.
    stack.advance(LEASE_LAPSES).await;
    let id = key_of("inbox", &claimed).to_owned();
    let _ = has(&tables, "inbox", &id, "keptUntil").await;
    let reviews = stack.reviews().await;
    assert_eq!((reviews.len(), &reviews[0]["calls"]), (1, &json!(2)));
}
