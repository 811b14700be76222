//! What is printed, by the stack and by every function process: one line for each request, and nothing of what callers sent or were told.

use std::{collections::BTreeMap, fs};

use decide_once_tests::{Answer, Request, Stack, eventually};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Decides whatever is light, has nothing to say of anything else, and tells all that it knows.
const POLICY: &str = r#"policy: parcel
version: 1
input:
  type: object
  required: [memo, weight, parcel]
  properties:
    memo: { type: string, maxLength: 9000 }
    weight: { type: integer }
    volume: { type: number }
    parcel: { type: string, maxLength: 60 }
unique: { parcel: [/parcel] }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - id: light
    when: facts.weight < 90000000
    then: { decision: z0q-outcome, memo: "${facts.memo}", twice: "${facts.weight * 2}" }
events: [{ type: com.example.parcel.decided, when: "true", data: { memo: "${facts.memo}", weight: "${facts.weight}" } }]
"#;

/// What must not be found: the mark of all texts that callers send or are told (no id in base32 or hexadecimal has it by chance), numbers, tokens,
/// tenants.
const SECRETS: [&str; 8] = [
    "z0q",
    "84619731",
    "169239462",
    "7312849",
    "tok-alpha",
    "tok-beta",
    "t-alpha",
    "t-beta",
];

/// A request's line, as far as it is looked at.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    outcome: String,
    status: Option<u64>,
}

/// A stack, and what its log should say.
struct Run {
    stack: Stack,
    expected: BTreeMap<String, Line>,
    _policies: TempDir,
}

fn policies() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("parcel")).unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("parcel/1.yaml", POLICY);
    write("active.yaml", "parcel: 1\n");
    write("lock", "");
    directory
}

fn body(number: u32, memo: &str) -> String {
    format!(
        r#"{{"policy":"parcel","subject":"z0q-subject","facts":{{"memo":"{memo}","weight":84619731,"volume":0.7312849,"parcel":"z0q-parcel-{number}"}}}}"#
    )
}

impl Run {
    async fn start(args: &[&str], variables: &[(&str, &str)]) -> Self {
        let policies = policies();
        let path = policies.path().to_str().unwrap().to_owned();
        let args = [&["--policies", &path], args].concat();
        Self {
            stack: Stack::start_with(&args, variables).await,
            expected: BTreeMap::new(),
            _policies: policies,
        }
    }

    /// `POST /v1/decisions` under a key of its own; the memo is `z0q-memo`.
    fn post(&self, number: u32) -> Request {
        self.post_body(number, &body(number, "z0q-memo"))
    }

    fn post_body(&self, number: u32, body: &str) -> Request {
        let request = self.stack.decide(&format!("z0q-key-{number}"), body);
        request.token("tok-alpha").header("x-note", "z0q-header")
    }

    fn get(&self, path: &str) -> Request {
        self.stack.get(path).token("tok-alpha")
    }

    /// Sends a request whose line says this.
    async fn told(&mut self, request: Request, status: u16, outcome: &str) -> Answer {
        let answer = request.send().await.expect(status);
        self.expect(&answer, Some(status), outcome);
        answer
    }

    fn expect(&mut self, answer: &Answer, status: Option<u16>, outcome: &str) {
        let id = answer.header("apigw-requestid").unwrap().to_owned();
        let line = Line {
            outcome: outcome.to_owned(),
            status: status.map(u64::from),
        };
        assert!(self.expected.insert(id, line).is_none());
    }

    /// Every line of this kind so far.
    fn logged(&self, message: &str) -> Vec<Value> {
        let mut lines = self.stack.lines();
        lines.retain(|line| line["message"] == message);
        lines
    }

    /// Returns all requests' lines, once there is one for each request.
    async fn all_logged(&self) -> Vec<Value> {
        eventually("a line for each request", async || {
            let lines = self.logged("request");
            (lines.len() >= self.expected.len()).then_some(lines)
        })
        .await
    }

    /// Each request has its one line; nothing that was printed tells anything.
    async fn check(&self) {
        let mut lines = BTreeMap::new();
        for line in self.all_logged().await {
            assert_eq!(line["level"], "INFO", "{line}");
            for effort in ["round_trips", "total_us", "store_us", "evaluate_us"] {
                assert!(line[effort].is_u64(), "{line}");
            }
            assert!(line["invocation"].is_string(), "{line}");
            let id = line["request"].as_str().unwrap().to_owned();
            let outcome = line["outcome"].as_str().unwrap().to_owned();
            let status = line["status"].as_u64();
            let second = lines.insert(id, Line { outcome, status });
            assert_eq!(second, None, "two lines for one request");
        }
        assert_eq!(lines, self.expected);
        let output = self.stack.output().to_lowercase();
        for secret in SECRETS {
            let found = output.lines().find(|line| line.contains(secret));
            assert_eq!(found, None, "{secret} was printed");
        }
    }

    /// The round trips that the lines tell are those that reached the store.
    async fn check_round_trips(&self) {
        let told: u64 = self
            .all_logged()
            .await
            .iter()
            .map(|line| line["round_trips"].as_u64().unwrap())
            .sum();
        let metrics = self.stack.metrics().await;
        let counted = metrics["dynamodbByFunction"]["decide"].as_object().unwrap();
        let counted = counted
            .values()
            .map(|calls| calls["calls"].as_u64().unwrap());
        assert_eq!(told, counted.sum::<u64>());
    }

    async fn refusals(&mut self) {
        self.told(
            self.stack.decide("z0q key", &body(1, "z0q-memo")),
            400,
            "key-invalid",
        )
        .await;
        let keyless = self
            .stack
            .post("/v1/decisions")
            .json_text(body(1, "z0q-memo"));
        self.told(keyless, 400, "key-missing").await;
        self.told(
            self.post_body(1, r#"{"policy":"parcel","facts":{"memo":"z0q"#),
            400,
            "body-invalid",
        )
        .await;
        let binary = self
            .stack
            .post("/v1/decisions")
            .key("z0q-binary")
            .json_text(&b"{\"z0q\":\"\xff\"}"[..]);
        self.told(binary, 400, "body-invalid").await;
        let text = self
            .stack
            .post("/v1/decisions")
            .key("z0q-text")
            .header("content-type", "text/z0q");
        self.told(text.body("z0q"), 415, "media-type-unsupported")
            .await;
        self.told(
            self.post_body(1, &"z0q".repeat(40_000)),
            413,
            "body-too-large",
        )
        .await;
        self.told(self.get("/v1/policies?z0q=z0q-query"), 400, "query-invalid")
            .await;
        self.told(self.get("/z0q-path"), 404, "route-unknown").await;
        let delete = self
            .stack
            .request(Method::DELETE, "/v1/decisions")
            .token("tok-alpha");
        self.told(delete, 405, "method-not-allowed").await;
        let odd = self
            .stack
            .request(Method::from_bytes(b"Z0Q").unwrap(), "/v1/decisions");
        self.told(odd.token("tok-alpha"), 405, "method-not-allowed")
            .await;
        let reader = self
            .stack
            .decide("z0q-key", &body(1, "z0q-memo"))
            .token("tok-alpha-read");
        self.told(reader, 403, "forbidden").await;
        let number = body(1, "z0q-memo").replace("84619731", "\"z0q-84619731\"");
        self.told(self.post_body(1, &number), 422, "facts-invalid")
            .await;
        let unknown = body(1, "z0q-memo").replace("parcel", "z0q-policy");
        self.told(self.post_body(1, &unknown), 422, "policy-unknown")
            .await;
        // The gateway refuses it; the function never sees it.
        let stolen = self.stack.get("/v1/policies").token("z0q-token");
        let _ = stolen.send().await.expect(401);
    }

    async fn decisions(&mut self) {
        let first = self.told(self.post(1), 201, "decided").await;
        self.told(self.post(1), 200, "replayed").await;
        let other = body(1, "z0q-other");
        self.told(self.post_body(1, &other), 409, "key-reused")
            .await;
        self.told(self.post_body(1, &other), 409, "key-reused")
            .await;
        self.told(self.post_body(1, &other), 429, "too-many-mismatches")
            .await;
        let heavy = body(2, "z0q-memo").replace("84619731", "98461973");
        self.told(self.post_body(2, &heavy), 422, "decision-failed")
            .await;
        self.told(self.post_body(2, &heavy), 422, "decision-failed")
            .await;
        // Too large for the record: the replay reads the decision.
        let large = body(3, &"z0q".repeat(2_000));
        self.told(self.post_body(3, &large), 201, "decided").await;
        self.told(self.post_body(3, &large), 200, "replayed").await;
        let taken = body(4, "z0q-memo").replace("z0q-parcel-4", "z0q-parcel-1");
        self.told(self.post_body(4, &taken), 409, "already-decided")
            .await;

        let queued = self
            .told(
                self.post(5).header("prefer", "respond-async"),
                202,
                "queued",
            )
            .await;
        let location = queued.header("location").unwrap().to_owned();
        loop {
            let status = self.told(self.get(&location), 200, "read").await.json();
            if status["state"] == "SUCCEEDED" {
                break;
            }
        }
        self.told(self.post(5), 200, "replayed").await;
        let resumed = eventually("its line", async || {
            let lines = self.logged("operation resumed");
            assert!(lines.len() < 2, "{lines:?}");
            lines.into_iter().next()
        })
        .await;
        let (outcome, operation) = (&resumed["outcome"], &resumed["operation"]);
        assert_eq!(
            (outcome, operation),
            (&json!("decided"), &queued.json()["operationId"])
        );
        // The strong read, the takeover, the commit.
        assert_eq!(
            (&resumed["round_trips"], &resumed["attempt"]),
            (&json!(3), &json!(1))
        );

        let (decision, operation) = (
            first.json()["decisionId"].clone(),
            first.json()["operationId"].clone(),
        );
        let decision = format!("/v1/decisions/{}", decision.as_str().unwrap());
        let operation = format!("/v1/operations/{}", operation.as_str().unwrap());
        for path in [
            &decision,
            &operation,
            "/v1/policies",
            "/v1/policies/parcel/1",
            "/openapi.json",
            "/health",
        ] {
            self.told(self.get(path), 200, "read").await;
            let head = self.stack.request(Method::HEAD, path).token("tok-alpha");
            assert!(self.told(head, 200, "read").await.body.is_empty());
        }
        self.told(self.get("/v1/decisions/z0q-id"), 404, "not-found")
            .await;
        self.told(self.get("/v1/policies/z0q-policy/1"), 404, "not-found")
            .await;
        self.told(
            self.stack.get(&operation).token("tok-beta"),
            404,
            "not-found",
        )
        .await;
        self.check_round_trips().await;

        self.stack.advance(25 * 3_600).await;
        self.told(self.post(1), 409, "result-expired").await;
        self.told(self.get(&operation), 410, "result-gone").await;
    }

    async fn faults(&mut self) {
        self.stack
            .arm(&json!({ "call": "PutItem", "fault": "throttle", "times": 3 }))
            .await;
        self.told(self.post(10), 503, "unavailable").await;
        // A panic: the process lives on, and the key is held until its lease lapses.
        self.stack
            .arm(&json!({ "point": "before_commit", "action": "panic" }))
            .await;
        let panicked = self.post(11).send().await;
        assert!(panicked.status.is_server_error());
        self.expect(&panicked, None, "interrupted");
        self.told(self.post(11).header("prefer", "wait=0"), 202, "in-progress")
            .await;
        self.told(
            self.post(11).header("prefer", "wait=1, z0q=z0q"),
            202,
            "in-progress",
        )
        .await;
        // A kill: whoever dies writes nothing; what it has committed stands.
        self.stack
            .arm(&json!({ "point": "after_commit", "action": "kill" }))
            .await;
        assert!(self.post(12).send().await.status.is_server_error());
        self.told(self.post(12), 200, "replayed").await;
        self.stack.advance(31).await;
        self.told(self.post(11), 201, "decided").await;
    }

    async fn publishing(&mut self) {
        let counted = |run: &Self, what: &str| -> u64 {
            let batches = run.logged("batch published");
            batches
                .iter()
                .filter_map(|batch| batch[what].as_u64())
                .sum()
        };
        self.stack.sink("down").await;
        let failed = counted(self, "not_delivered");
        self.told(self.post(20), 201, "decided").await;
        eventually("an event that is not taken", async || {
            (counted(self, "not_delivered") > failed).then_some(())
        })
        .await;
        assert_eq!(counted(self, "quarantined"), 0);
        self.stack.sink("poison").await;
        eventually("a quarantined event", async || {
            (counted(self, "quarantined") > 0).then_some(())
        })
        .await;
        self.stack.sink("up").await;
        self.told(self.post(21), 201, "decided").await;
        eventually("an event", async || {
            (!self.stack.events().await.is_empty()).then_some(())
        })
        .await;
    }
}

async fn mixed(variables: &[(&str, &str)]) {
    let args = ["--concurrency", "1", "--env", "MISMATCH_BUDGET=2"];
    let mut run = Run::start(&args, variables).await;
    run.refusals().await;
    run.decisions().await;
    run.faults().await;
    run.publishing().await;
    run.check().await;
}

#[tokio::test]
async fn each_request_has_one_line_and_nothing_that_was_sent_or_told_is_printed() {
    mixed(&[]).await;
}

#[tokio::test]
async fn nothing_that_was_sent_or_told_is_printed_at_the_most_talkative_level() {
    mixed(&[("RUST_LOG", "trace")]).await;
}

#[tokio::test]
async fn a_caller_that_no_authorizer_names_has_its_line_too() {
    let args = ["--concurrency", "1", "--env", "TENANT_CLAIM=z0q-claim"];
    let mut run = Run::start(&args, &[]).await;
    run.told(run.post(1), 401, "unauthenticated").await;
    run.told(run.get("/v1/policies"), 401, "unauthenticated")
        .await;
    run.check().await;
}
