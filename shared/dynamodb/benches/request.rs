//! What a first request costs this process, the policy's share of it, and what a replay costs beside it, asked of the store or remembered:
//! `cargo bench -p decide-once-dynamodb`.
//!
//! Three runs of the whole decide path under a policy of 20 rules whose last one hits: over the SDK with its real serialising, signing and
//! parsing, whose connector answers at once; over a store that only says yes; and the policy alone. The difference of the first two is the
//! client's part, so that network and DynamoDB count for nothing. CPU time of this thread, not time on the wall. Ends with 1 if the policy
//! takes a tenth of the client's part or more.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]

use std::{hint::black_box, process::ExitCode, time::Duration};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use decide_once_dynamodb::{DynamoStore, TableNames, client, items};
use decide_once_policy::{Evaluation, Policy, PolicySet};
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::writes::{Answer, Commit, Existing, Reserve, Transition};
use decide_once_service::limits::{Limits, Window};
use decide_once_service::memory::MemoryStore;
use decide_once_service::ports::{Clock as _, Mismatches, Read, Store, StoreError};
use decide_once_service::reply::{Outcome, Reply};
use decide_once_service::settings::Settings;
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Budget, Call, Decider};
use decide_once_tests::fixtures;
use serde_json::json;
use tokio::runtime::Runtime;

/// The kernel's count moves in steps of milliseconds: each run takes a hundred or more.
const REQUESTS: u32 = 2_000;
const EVALUATIONS: u32 = 50_000;
const BODY: &str =
    r#"{"policy":"p","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (sdk, yes) = (over(dynamodb(200, "{}")), over(Yes));
    let set = twenty_rules();
    let policy = only(&set);
    let facts = fixtures::call("t", "k", BODY).request.facts;
    let subject = Subject::parse("acct-42").unwrap();
    let normalised = policy.normalise(&facts).unwrap();
    let evaluate = || match policy.evaluate(&normalised, &subject, fixtures::START) {
        Evaluation::Decided { rule, .. } => assert_eq!(rule, "standard"),
        failed @ Evaluation::Failed { .. } => panic!("{failed:?}"),
    };

    // In turns, the best of each: what else runs on the machine only ever adds.
    let mut best = [Duration::MAX; 4];
    for _ in 0..5 {
        let means = [
            mean(REQUESTS, |round| decide(&runtime, &sdk, round)),
            mean(5 * REQUESTS, |round| decide(&runtime, &yes, round)),
            mean(EVALUATIONS, |_| policy.normalise(&facts).unwrap()),
            mean(EVALUATIONS, |_| evaluate()),
        ];
        for (best, mean) in best.iter_mut().zip(means) {
            *best = mean.min(*best);
        }
    }
    let [whole, without, normalise, evaluate] = best;
    let client = whole.saturating_sub(without);
    let share = |part: Duration, of: Duration| 100.0 * part.as_secs_f64() / of.as_secs_f64();
    println!("a first request, CPU of this process          {whole:>12.2?}");
    println!("  the client: PutItem and TransactWriteItems  {client:>12.2?}");
    println!("  all else                                    {without:>12.2?}");
    println!("    the policy, 20 rules: normalise           {normalise:>12.2?}");
    println!("    the policy, 20 rules: evaluate            {evaluate:>12.2?}");
    let of_client = share(evaluate, client);
    println!("evaluate / client                             {of_client:>10.1} % (limit 10 %)");
    let of_whole = share(normalise + evaluate, whole);
    println!("(normalise + evaluate) / whole request        {of_whole:>10.1} %");
    replays(&runtime);
    ExitCode::from(u8::from(of_client >= 10.0))
}

/// A replay that the store refuses with its record, and one that the instance remembers. Neither time has the network in it.
fn replays(runtime: &Runtime) {
    let memory = MemoryStore::new();
    decide(runtime, &over(memory.clone()), 0);
    let [record] = <[_; 1]>::try_from(memory.operations()).unwrap();
    let item = serde_dynamo::Item::from(items::operation::encode(&record));
    let refused = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "The conditional request failed",
        "Item": item,
    });
    let asking = over(dynamodb(400, &refused.to_string()));
    let remembering = Decider {
        answers: Answers::holding(1),
        ..over(dynamodb(400, &refused.to_string()))
    };
    let first = ask(runtime, &remembering, 0);
    assert!(!first.recalled);
    let mut best = [Duration::MAX; 2];
    for _ in 0..5 {
        let means = [
            mean(REQUESTS, |_| {
                let told = ask(runtime, &asking, 0);
                assert!(told.effort.round_trips == 1, "{told:?}");
            }),
            mean(REQUESTS, |_| {
                assert!(ask(runtime, &remembering, 0).recalled)
            }),
        ];
        for (best, mean) in best.iter_mut().zip(means) {
            *best = mean.min(*best);
        }
    }
    let [asked, remembered] = best;
    println!("a replay, asked of the store                  {asked:>12.2?}");
    println!("a replay, remembered                          {remembered:>12.2?}");
    let share = 100.0 * remembered.as_secs_f64() / asked.as_secs_f64();
    println!("remembered / asked                            {share:>10.1} %");
}

/// One decision under a key of its own.
fn decide<S: Store + Mismatches>(
    runtime: &Runtime,
    decider: &Decider<S, SystemClock, SystemIds>,
    round: u32,
) -> Reply {
    let outcome = ask(runtime, decider, round);
    assert!(
        matches!(
            outcome.reply,
            Reply::Decided {
                replayed: false,
                ..
            }
        ),
        "{outcome:?}"
    );
    outcome.reply
}

fn ask<S: Store + Mismatches>(
    runtime: &Runtime,
    decider: &Decider<S, SystemClock, SystemIds>,
    round: u32,
) -> Outcome {
    let call: Call = fixtures::call("t-alpha", &format!("order-{round}"), BODY);
    let budget = Budget {
        deadline: decider.clock.now().plus(Duration::from_secs(29)),
        wait: Duration::ZERO,
    };
    runtime.block_on(decider.decide(&call, budget))
}

/// Nanoseconds that this thread has run, from the kernel's scheduler (Linux).
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanos = stat.split_whitespace().next().unwrap().parse().unwrap();
    Duration::from_nanos(nanos)
}

fn mean<T>(rounds: u32, mut run: impl FnMut(u32) -> T) -> Duration {
    let start = cpu();
    for round in 0..rounds {
        black_box(run(round));
    }
    (cpu() - start) / rounds
}

fn over<S>(store: S) -> Decider<S, SystemClock, SystemIds> {
    Decider {
        store,
        clock: SystemClock,
        ids: SystemIds,
        policies: twenty_rules(),
        settings: Settings::default(),
        limits: Limits::default(),
        answers: Answers::default(),
    }
}

fn twenty_rules() -> PolicySet {
    let rules = (0..19).map(|number| {
        let limit = 1_000_000 + number;
        format!("  - {{ id: r{number}, when: 'facts.currency == \"USD\" && facts.amount > {limit}', then: {{ decision: refer }} }}\n")
    });
    let text = format!(
        "policy: p
version: 1
input:
  type: object
  properties:
    amount: {{ type: integer }}
    currency: {{ type: string, maxLength: 3 }}
retention: {{ result: 24h, key: 72h, decision: 400d }}
rules:
{}  - {{ id: standard, when: 'true', then: {{ decision: approve, limit: '${{facts.amount * 2}}' }} }}
events: [{{ type: com.example.decided, data: {{ decision: '${{outcome.decision}}' }} }}]
",
        rules.collect::<String>()
    );
    fixtures::policies(&[("p", 1, &text)], "p: 1")
}

fn only(set: &PolicySet) -> &Policy {
    let (id, version) = (
        PolicyId::parse("p").unwrap(),
        PolicyVersion::new(1).unwrap(),
    );
    set.get(&id, version)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The real client, whose every request is answered so before it is sent.
fn dynamodb(status: u16, body: &str) -> DynamoStore {
    let at_once = SharedHttpConnector::new(AtOnce {
        status,
        body: body.to_owned(),
    });
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("id", "secret", None, None, "bench"))
        .http_client(http_client_fn(move |_, _| at_once.clone()));
    let config = client::limited(config).build();
    DynamoStore::new(Client::from_conf(config), TableNames::default())
}

#[derive(Debug)]
struct AtOnce {
    status: u16,
    body: String,
}

impl HttpConnector for AtOnce {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        let body = SdkBody::from(self.body.as_str());
        let answer = HttpResponse::new(self.status.try_into().unwrap(), body);
        HttpConnectorFuture::ready(Ok(answer))
    }
}

/// A store that says yes and keeps nothing.
#[derive(Debug)]
struct Yes;

impl Store for Yes {
    async fn reserve(&self, _: &Reserve) -> Answer {
        Answer::Applied
    }

    async fn transition(&self, _: &Transition) -> Answer {
        Answer::Applied
    }

    async fn commit(&self, _: &Commit) -> Answer {
        Answer::Applied
    }

    async fn read_operation(&self, _: &OperationId) -> Result<Existing, StoreError> {
        Ok(Existing::Absent)
    }

    async fn read_decision(&self, _: &DecisionId) -> Result<Read<DecisionItem>, StoreError> {
        Ok(Read::Absent)
    }
}

impl Mismatches for Yes {
    async fn add_mismatches(&self, _: &Tenant, _: Window, _: u32) -> Result<u32, StoreError> {
        Ok(0)
    }
}
