//! A function whose answers a test decides, and a destination that remembers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use decide_once::engine::Engine;
use decide_once::pump::{
    self, Backoff, DestinationRecord, InvokeError, OnFailure, PumpConfig, PumpHandle, PumpState,
};
use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::support::OUTBOX;

/// What the function does with a batch.
pub(crate) enum Does {
    Succeeds,
    /// Reports the rows with these keys.
    Reports(Vec<String>),
    Fails,
    StaysAway,
}

/// What happened, shared with the running pump.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    events: Arc<Mutex<Vec<Vec<Value>>>>,
    discarded: Arc<Mutex<Vec<Value>>>,
}

impl Seen {
    /// The keys of each invocation's rows, in order.
    pub(crate) fn invocations(&self) -> Vec<Vec<String>> {
        let events = self.events.lock().unwrap();
        events.iter().map(|e| e.iter().map(key).collect()).collect()
    }

    /// All records that the function was given, in order.
    pub(crate) fn records(&self) -> Vec<Value> {
        self.events.lock().unwrap().concat()
    }

    /// What the on-failure destination was told, as JSON.
    pub(crate) fn discarded(&self) -> Vec<Value> {
        self.discarded.lock().unwrap().clone()
    }
}

impl OnFailure for Seen {
    async fn discarded(&self, record: DestinationRecord) {
        let record = serde_json::to_value(record).unwrap();
        self.discarded.lock().unwrap().push(record);
    }
}

/// The row's key.
pub(crate) fn key(record: &Value) -> String {
    record["dynamodb"]["Keys"]["event"]["S"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// AWS's defaults for the outbox, with waits for impatient tests.
pub(crate) fn config(engine: &Engine) -> PumpConfig {
    let mut config = PumpConfig::new(OUTBOX, "publish", engine.clock());
    config.report_batch_item_failures = true;
    config.poll_every = Duration::from_millis(2);
    config.backoff = Backoff {
        first: Duration::from_millis(1),
        longest: Duration::from_millis(8),
    };
    config
}

/// Starts a pump whose function does as `script` says, given the number of the invocation (from 1) and its rows' keys.
pub(crate) fn spawn(
    config: PumpConfig,
    endpoint: &str,
    script: impl Fn(usize, &[String]) -> Does + Send + Sync + 'static,
) -> (PumpHandle, Seen) {
    let seen = Seen::default();
    let function = {
        let seen = seen.clone();
        move |event: Bytes| {
            let answer = run(&seen, &event, &script);
            async move { answer }
        }
    };
    let pump = pump::spawn(config, endpoint, function, seen.clone()).unwrap();
    (pump, seen)
}

/// Waits for a state, but not for ever.
pub(crate) async fn until(pump: &PumpHandle, reached: impl FnMut(&PumpState) -> bool) -> PumpState {
    let waiting = pump.wait_until(reached);
    match tokio::time::timeout(Duration::from_secs(60), waiting).await {
        Ok(state) => state,
        Err(_) => panic!("the pump never got there: {:?}", pump.state()),
    }
}

fn run(
    seen: &Seen,
    event: &[u8],
    script: &impl Fn(usize, &[String]) -> Does,
) -> Result<Bytes, InvokeError> {
    let mut event: Value = serde_json::from_slice(event).unwrap();
    let records: Vec<Value> = serde_json::from_value(event["Records"].take()).unwrap();
    let sequence: HashMap<String, Value> = records
        .iter()
        .map(|record| (key(record), record["dynamodb"]["SequenceNumber"].clone()))
        .collect();
    let keys: Vec<_> = records.iter().map(key).collect();
    let number = {
        let mut events = seen.events.lock().unwrap();
        events.push(records);
        events.len()
    };
    match script(number, &keys) {
        Does::Succeeds => Ok(Bytes::from_static(b"{\"batchItemFailures\":[]}")),
        Does::Reports(failed) => {
            let failures: Vec<_> = failed
                .iter()
                .map(|key| json!({ "itemIdentifier": sequence[key] }))
                .collect();
            let answer = json!({ "batchItemFailures": failures });
            Ok(Bytes::from(answer.to_string()))
        }
        Does::Fails => Err(InvokeError::Failed),
        Does::StaysAway => Err(InvokeError::NotInvoked),
    }
}
