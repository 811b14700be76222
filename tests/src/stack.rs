//! A stack for one test.

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Child, Command, Stdio},
};

use bytes::Bytes;
use http::Method;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::{Answer, Request, Tables, binary, output::Output, request::HttpClient, signal, wait};

/// A running `decide-once`. Dropping it ends it and all its processes; if the test is failing, what it printed is shown.
#[derive(Debug)]
pub struct Stack {
    child: Child,
    url: String,
    output: Output,
    client: HttpClient,
    /// Its temporary files, which it cannot remove itself when it is killed.
    _temporary: TempDir,
}

/// A process of a function, as `GET /_local/metrics` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StackProcess {
    /// The function.
    pub function: String,
    /// The process.
    pub pid: u32,
    /// How many it has replaced.
    pub restarts: u32,
}

impl Stack {
    /// Starts the binary that `cargo test --workspace` has built, with these arguments, on a free port.
    ///
    /// # Panics
    /// It does not get ready.
    pub async fn start(args: &[&str]) -> Self {
        Self::launch(&binary::decide_once(), args, &[]).await
    }

    /// As [`start`](Self::start), with further variables in its own environment.
    ///
    /// # Panics
    /// It does not get ready.
    pub async fn start_with(args: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::launch(&binary::decide_once(), args, variables).await
    }

    /// As [`start`](Self::start), for tests that Cargo tells where the binary is.
    ///
    /// # Panics
    /// It does not get ready.
    pub async fn start_binary(binary: &Path, args: &[&str]) -> Self {
        Self::launch(binary, args, &[]).await
    }

    async fn launch(binary: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let (ready, mut ready_seen) = watch::channel(None);
        let output = Output::default();
        let temporary = tempfile::tempdir().unwrap();
        let mut child = command(binary, args)
            .args(["--port", "0"])
            .envs(variables.iter().copied())
            .env("TMPDIR", temporary.path())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        output.collect(child.stdout.take().unwrap(), Some(ready));
        output.collect(child.stderr.take().unwrap(), None);
        let mut stack = Self {
            child,
            url: String::new(),
            output,
            // A connection belongs to the runtime that opened it, and tests that share a stack have one each.
            client: Client::builder(TokioExecutor::new())
                .pool_max_idle_per_host(0)
                .build_http(),
            _temporary: temporary,
        };
        let ready = tokio::time::timeout(wait::LIMIT, ready_seen.wait_for(Option::is_some)).await;
        match ready {
            Ok(Ok(url)) => stack.url = url.clone().unwrap(),
            Ok(Err(_)) => panic!("the stack ended before it was ready"),
            Err(_) => panic!("the stack was not ready in time"),
        }
        stack
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The stack's own process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Everything printed so far.
    pub fn output(&self) -> String {
        self.output.text()
    }

    /// Every line of JSON that a function has printed so far.
    pub fn lines(&self) -> Vec<Value> {
        let output = self.output();
        let lines = output.lines().filter_map(|line| {
            let (process, line) = line.split_once("] ")?;
            process.starts_with('[').then_some(line)
        });
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// Any request.
    pub fn request(&self, method: Method, path: &str) -> Request {
        Request::new(self.client.clone(), method, format!("{}{path}", self.url))
    }

    /// `GET path`.
    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    /// `POST path`.
    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    /// `POST /v1/decisions` with a key and a JSON body.
    pub fn decide(&self, key: &str, body: &str) -> Request {
        self.post("/v1/decisions")
            .key(key)
            .json_text(body.to_owned())
    }

    /// Lets time pass, for the functions and for the engine.
    ///
    /// # Panics
    /// The stack does not allow it (`--data`).
    pub async fn advance(&self, seconds: u64) {
        let _ = self
            .post("/_local/clock")
            .json(&json!({ "advanceSeconds": seconds }))
            .send()
            .await
            .expect(200);
    }

    /// Moves the time past what streams keep, and returns once the publisher is at none of it any more: what was not delivered is the sweeper's.
    /// For a stack whose sink is down; a call that is under way would deliver as soon as it is up.
    ///
    /// # Panics
    /// The stack does not answer, or the publisher does not come to an end.
    pub async fn streams_forget(&self) {
        self.advance(25 * 3_600).await;
        wait::eventually("the publisher's end", async || {
            let metrics = self.metrics().await;
            let idle = metrics["functions"]["publish"]["inFlight"] == 0
                && metrics["streams"]["publish"]["iteratorAgeMs"] == 0;
            idle.then_some(())
        })
        .await;
    }

    /// Makes the store's next calls fail, as `{"call":"PutItem","fault":"conflict","times":2}`.
    ///
    /// # Panics
    /// The stack does not know the fault.
    pub async fn arm(&self, fault: &Value) {
        let _ = self
            .post("/_local/faults")
            .json(fault)
            .send()
            .await
            .expect(200);
    }

    /// Sets the sink to `up`, `down` or `slow`.
    ///
    /// # Panics
    /// The stack does not know the state.
    pub async fn sink(&self, state: &str) {
        let _ = self
            .post("/_local/sink")
            .json(&json!({ "state": state }))
            .send()
            .await
            .expect(200);
    }

    /// A turn of the sweep's schedule: what the function answers.
    ///
    /// # Panics
    /// It fails.
    pub async fn sweep(&self) -> Value {
        let sweep = self.post("/_local/schedules/sweep");
        sweep.send().await.expect(200).json()
    }

    /// Its tables, past its functions.
    ///
    /// # Panics
    /// The stack does not answer.
    pub async fn tables(&self) -> Tables {
        let store = self.local("/_local/store").await.json();
        Tables::new(self.client.clone(), &store)
    }

    /// The CloudEvents that the sink has received.
    ///
    /// # Panics
    /// The stack does not answer.
    pub async fn events(&self) -> Vec<Value> {
        self.local("/_local/events").await.read()
    }

    /// What the shipped consumer has made of the events, by subject.
    ///
    /// # Panics
    /// The stack does not answer, or a subject is of two tenants.
    pub async fn balances(&self) -> BTreeMap<String, Value> {
        let all: Vec<Value> = self.local("/_local/balances").await.read();
        let count = all.len();
        let by_subject: BTreeMap<_, _> = all
            .into_iter()
            .map(|balance| (balance["subject"].as_str().unwrap().to_owned(), balance))
            .collect();
        assert_eq!(by_subject.len(), count);
        by_subject
    }

    /// What the review desk was asked for.
    ///
    /// # Panics
    /// The stack does not answer.
    pub async fn reviews(&self) -> Vec<Value> {
        self.local("/_local/reviews").await.read()
    }

    /// Puts a message into a queue.
    ///
    /// # Panics
    /// The stack does not take it.
    pub async fn put(&self, queue: &str, body: impl Into<Bytes>) {
        let sent = self.post(&format!("/_local/queues/{queue}")).body(body);
        let _ = sent.send().await.expect(202);
    }

    /// The messages of a queue.
    ///
    /// # Panics
    /// There is no such queue.
    pub async fn messages(&self, queue: &str) -> Vec<Value> {
        self.local(&format!("/_local/queues/{queue}")).await.read()
    }

    /// How a queue stands.
    ///
    /// # Panics
    /// There is no such queue.
    pub async fn queue(&self, queue: &str) -> Value {
        let queues = self.local("/_local/queues").await.json();
        assert!(queues[queue].is_object(), "{queue}");
        queues[queue].clone()
    }

    /// Returns once a queue is empty.
    ///
    /// # Panics
    /// It is not within the time that anything may take.
    pub async fn drained(&self, queue: &str) {
        wait::eventually("an empty queue", async || {
            self.messages(queue).await.is_empty().then_some(())
        })
        .await;
    }

    /// `GET /_local/metrics`.
    ///
    /// # Panics
    /// The stack does not answer.
    pub async fn metrics(&self) -> Value {
        self.local("/_local/metrics").await.json()
    }

    /// The function processes.
    ///
    /// # Panics
    /// The stack does not answer.
    pub async fn processes(&self) -> Vec<StackProcess> {
        let metrics = self.metrics().await;
        serde_json::from_value(metrics["processes"].clone()).unwrap()
    }

    /// Ends it as a crash would, and waits for its end. Its function processes follow by themselves.
    ///
    /// # Panics
    /// It cannot be waited for.
    pub fn crash(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it as Ctrl-C does, and returns its exit code.
    ///
    /// # Panics
    /// It cannot be waited for.
    pub async fn interrupt(&mut self) -> Option<i32> {
        signal::send("INT", self.pid());
        wait::eventually("the stack's end", async || self.child.try_wait().unwrap())
            .await
            .code()
    }

    async fn local(&self, path: &str) -> Answer {
        self.get(path).send().await.expect(200)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- what the stack printed ---\n{}", self.output.text());
        }
    }
}

/// A run of the command to its end, for those that are not to get ready.
///
/// # Panics
/// It cannot be run.
pub fn run(binary: &Path, args: &[&str]) -> std::process::Output {
    command(binary, args).output().unwrap()
}

fn command(binary: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
