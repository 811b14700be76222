//! design.md §2 as a table: every stored state, each kind of request, both profiles. Each cell says status, kind of body, headers, and what was asked of the
//! store; and nothing is written but where it says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_protocol::record::{EXPIRY_MARGIN, MAX_ATTEMPTS};
use decide_once_protocol::writes::{Answer, NotApplied, Unreadable};
use decide_once_service::limits::Limits;
use decide_once_service::memory::{Foreign, MemoryStore};
use decide_once_service::ports::Clock as _;
use decide_once_service::profile::Profile;
use decide_once_service::settings::{QUEUE_PATIENCE, Settings};
use decide_once_service::{Answers, Budget, Call, Decider, Respond};
use decide_once_tests::faulty::{Fault, Faulty, StoreCall};
use decide_once_tests::fixtures::{self, CountingIds, ManualClock};
use decide_once_tests::gate::Gate;
use serde_json::json;

use crate::app::App;
use crate::caller::Authority;
use crate::tests::{Told, ask, event};

const KEY: &str = "7b6f0c1e-2f5a-4a57-9f0e-0a4d1c9b6e11";
const HOUR: Duration = Duration::from_secs(3_600);
/// Past every lease.
const LEASE: Duration = Duration::from_secs(31);

type Worker = Arc<App<Faulty<MemoryStore>, ManualClock, CountingIds>>;

#[derive(Clone, Copy, Debug)]
enum Stored {
    Nothing,
    /// A moment ago.
    Queued,
    /// Longer than callers leave to the queue.
    QueuedLong,
    /// Longer than any key is kept.
    QueuedForever,
    LiveLease,
    LapsedLease,
    FailedRetryable,
    /// As often as an operation is attempted.
    LapsedForTheLastTime,
    Succeeded,
    FailedFinal,
    /// As another operation with the same natural key was decided before.
    AlreadyDecided,
    Retired,
    RetiredFailure,
    Freed,
    Newer,
    Corrupt,
}

impl Stored {
    const EVERY: [Self; 16] = [
        Self::Nothing,
        Self::Queued,
        Self::QueuedLong,
        Self::QueuedForever,
        Self::LiveLease,
        Self::LapsedLease,
        Self::FailedRetryable,
        Self::LapsedForTheLastTime,
        Self::Succeeded,
        Self::FailedFinal,
        Self::AlreadyDecided,
        Self::Retired,
        Self::RetiredFailure,
        Self::Freed,
        Self::Newer,
        Self::Corrupt,
    ];
}

#[derive(Clone, Copy, Debug)]
enum Asked {
    /// The stored operation's request.
    Same,
    /// The same, by a caller that does not wait.
    Later,
    /// Another one.
    Other,
    /// Another one, that no policy would take.
    Invalid,
}

impl Asked {
    const EVERY: [Self; 4] = [Self::Same, Self::Later, Self::Other, Self::Invalid];
}

/// What the body is.
#[derive(Clone, Copy, Debug)]
enum Class {
    Decision {
        replayed: bool,
    },
    /// Queued by this call, as its caller wanted.
    Accepted,
    Status,
    Problem(&'static str),
}

/// What a request comes to.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// By default, and under `ietf`.
    statuses: [u64; 2],
    class: Class,
    calls: &'static [StoreCall],
    /// Whether what is stored is another thing afterwards.
    writes: bool,
}

#[derive(Default)]
struct World {
    store: MemoryStore,
    time: ManualClock,
    ids: CountingIds,
}

impl World {
    fn worker(&self, profile: Profile) -> Worker {
        self.worker_that_remembers(profile, 0)
    }

    fn worker_that_remembers(&self, profile: Profile, answers: u32) -> Worker {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
        let decider = Decider {
            store: Faulty::new(self.store.clone()),
            clock: self.time.clone(),
            ids: self.ids.clone(),
            policies: PolicySet::load(&policies).unwrap(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::holding(answers),
        };
        Arc::new(App {
            decider,
            authority: Authority::with_scopes(),
            profile,
        })
    }

    /// Brings the store into a state.
    async fn bring(&self, stored: Stored) {
        let worker = self.worker(Profile::Default);
        let call = match stored {
            Stored::Queued | Stored::QueuedLong | Stored::QueuedForever => Call {
                respond: Respond::Later,
                ..call(stored, Asked::Same)
            },
            _ => call(stored, Asked::Same),
        };
        let store = &worker.decider.store;
        let mut later = Duration::ZERO;
        match stored {
            Stored::Nothing => return,
            Stored::LiveLease => return self.die(StoreCall::Reserve, call).await,
            Stored::LapsedLease | Stored::LapsedForTheLastTime => {
                self.die(StoreCall::Reserve, call.clone()).await;
                self.time.advance(LEASE);
                if matches!(stored, Stored::LapsedForTheLastTime) {
                    for _ in 1..MAX_ATTEMPTS {
                        self.die(StoreCall::Transition, call.clone()).await;
                        self.time.advance(LEASE);
                    }
                }
                return;
            }
            Stored::AlreadyDecided => {
                let before = body(stored, Asked::Same);
                let before = fixtures::call("t-alpha", "another-key", &before);
                decide(&worker, &before).await;
            }
            Stored::FailedRetryable => {
                let throttled = Fault::Says(Answer::NotApplied(NotApplied::Unavailable));
                store.always(StoreCall::Commit, throttled);
            }
            Stored::Queued | Stored::Succeeded | Stored::FailedFinal => {}
            Stored::QueuedLong => later = QUEUE_PATIENCE,
            Stored::QueuedForever => later = 1_000 * HOUR,
            Stored::Retired | Stored::RetiredFailure => later = 24 * HOUR,
            Stored::Freed => later = 72 * HOUR + EXPIRY_MARGIN,
            Stored::Newer | Stored::Corrupt => {
                let why = match stored {
                    Stored::Newer => Unreadable::Newer { version: 99 },
                    _ => Unreadable::Corrupt {
                        attribute: "lease".to_owned(),
                    },
                };
                self.store
                    .plant(Foreign::Operation(call.scope.operation_id(), why));
                return;
            }
        }
        decide(&worker, &call).await;
        self.time.advance(later);
    }

    /// A worker that takes the key by this call to the store, and is not heard of any more.
    async fn die(&self, claim: StoreCall, call: Call) {
        let worker = self.worker(Profile::Default);
        let gate = Gate::closed();
        let reply = Fault::ReplyHeld(gate.clone());
        worker.decider.store.on(claim, 1, reply);
        let dead = tokio::spawn(async move { decide(&worker, &call).await });
        gate.reached().await;
        dead.abort();
    }

    /// What a worker answers.
    async fn ask(&self, worker: &Worker, stored: Stored, asked: Asked) -> Told {
        let mut event = event("http-api-jwt");
        event["body"] = json!(body(stored, asked));
        event["headers"]["prefer"] = json!(match asked {
            Asked::Later => "respond-async, wait=0",
            Asked::Same | Asked::Other | Asked::Invalid => "wait=0",
        });
        ask(worker, &event).await
    }
}

async fn decide(worker: &Worker, call: &Call) {
    let budget = Budget {
        deadline: worker.decider.clock.now().plus(Duration::from_secs(29)),
        wait: Duration::ZERO,
    };
    worker.decider.decide(call, budget).await;
}

fn body(stored: Stored, asked: Asked) -> String {
    let (policy, facts) = match (asked, stored) {
        // No rule of the policy has a say on this currency.
        (Asked::Same | Asked::Later, Stored::FailedFinal | Stored::RetiredFailure) => {
            ("credit-limit", r#"{"amount":1,"currency":"XTS"}"#)
        }
        (Asked::Same | Asked::Later, Stored::AlreadyDecided) => (
            "refund-approval",
            r#"{"orderId":"o-1","line":1,"amount":1,"paid":1,"currency":"USD","purchasedAt":"2026-11-01T00:00:00Z","reason":"other"}"#,
        ),
        (Asked::Same | Asked::Later, _) => ("credit-limit", r#"{"amount":12500,"currency":"USD"}"#),
        (Asked::Other, _) => ("credit-limit", r#"{"amount":12501,"currency":"USD"}"#),
        (Asked::Invalid, _) => ("credit-limit", r#"{"amount":-1}"#),
    };
    format!(r#"{{"policy":"{policy}","subject":"acct-42","facts":{facts}}}"#)
}

fn call(stored: Stored, asked: Asked) -> Call {
    fixtures::call("t-alpha", KEY, &body(stored, asked))
}

#[track_caller]
fn assert_told(told: &Told, class: Class, profile: Profile, cell: &str) {
    let header = |name: &str| told.headers.get(name).map(String::as_str);
    let body: serde_json::Value = serde_json::from_str(&told.body).unwrap();
    assert_eq!(header("cache-control"), Some("no-store"), "{cell}");
    match class {
        Class::Decision { replayed } => {
            let location = format!("/v1/decisions/{}", body["decisionId"].as_str().unwrap());
            assert_eq!(header("location"), Some(location.as_str()), "{cell}");
            assert_eq!(header("content-type"), Some("application/json"), "{cell}");
            assert!(header("content-digest").is_some(), "{cell}");
            let marker = if replayed { "true" } else { "false" };
            assert_eq!(header("idempotent-replayed"), Some(marker), "{cell}");
            let original = header("idempotent-original-status");
            assert_eq!(original, replayed.then_some("201"), "{cell}");
            assert_eq!(header("retry-after"), None, "{cell}");
        }
        Class::Accepted => {
            let location = header("location").unwrap();
            assert!(location.starts_with("/v1/operations/"), "{cell}");
            assert_eq!(header("retry-after"), Some("1"), "{cell}");
            let applied = header("preference-applied");
            assert_eq!(applied, Some("respond-async"), "{cell}");
            assert_eq!(body["state"], "PROCESSING", "{cell}");
            assert_eq!(body["attempts"], 0, "{cell}");
            assert!(body["outcome"].is_null(), "{cell}");
        }
        Class::Status => {
            assert_eq!(header("preference-applied"), None, "{cell}");
            assert!(
                header("location").unwrap().starts_with("/v1/operations/"),
                "{cell}"
            );
            assert!(header("retry-after").is_some(), "{cell}");
            assert!(
                body["outcome"].is_null() && body["decisionId"].is_null(),
                "{cell}"
            );
            assert_eq!(body["retry"], "same-key", "{cell}");
            if profile == Profile::Ietf {
                assert_eq!(
                    body["type"], "urn:decide-once:problem:in-progress",
                    "{cell}"
                );
            } else {
                assert_eq!(body["state"], "PROCESSING", "{cell}");
            }
        }
        Class::Problem(code) => {
            assert_eq!(
                body["type"],
                format!("urn:decide-once:problem:{code}"),
                "{cell}"
            );
            assert_eq!(body["status"], told.status, "{cell}");
            assert_eq!(
                header("content-type"),
                Some("application/problem+json"),
                "{cell}"
            );
            let same_key = body["retry"] == "same-key";
            assert_eq!(header("retry-after").is_some(), same_key, "{cell}");
            let recorded = ["decision-failed", "already-decided", "attempts-exhausted"];
            let marked = header("idempotent-replayed").is_some();
            assert_eq!(marked, recorded.contains(&code), "{cell}");
            let tells = ["already-decided", "result-expired"].contains(&code);
            assert!(tells || body["decisionId"].is_null(), "{cell}");
        }
    }
}

/// What is to be told of a stored state to each kind of request, in the order of [`Asked::EVERY`].
fn cells(stored: Stored) -> [Cell; 4] {
    use StoreCall::{Commit, ReadOperation, Reserve, Transition};

    const fn cell(statuses: [u64; 2], class: Class, calls: &'static [StoreCall]) -> Cell {
        Cell {
            statuses,
            class,
            calls,
            writes: matches!(class, Class::Decision { replayed: false } | Class::Accepted),
        }
    }
    const NEW: Class = Class::Decision { replayed: false };
    const DECIDED: Cell = cell([201, 201], NEW, &[Reserve, Commit]);
    const TAKEN_OVER: Cell = cell([201, 201], NEW, &[Reserve, Transition, Commit]);
    const ACCEPTED: Cell = cell([202, 202], Class::Accepted, &[Reserve]);
    const BUSY: Cell = cell([202, 409], Class::Status, &[Reserve]);
    const REPLAYED: Cell = cell([200, 201], Class::Decision { replayed: true }, &[Reserve]);
    const fn refused(statuses: [u64; 2], code: &'static str) -> Cell {
        cell(statuses, Class::Problem(code), &[Reserve])
    }
    // What cannot be reserved is not tried to be: the record is read.
    const fn read(statuses: [u64; 2], code: &'static str) -> Cell {
        cell(statuses, Class::Problem(code), &[ReadOperation])
    }
    const OTHER: Cell = refused([409, 422], "key-reused");
    const INVALID: Cell = read([409, 422], "key-reused");
    const FAILED: Cell = refused([422, 422], "decision-failed");
    const TAKEN: Cell = refused([409, 422], "already-decided");
    const EXPIRED: Cell = refused([409, 422], "result-expired");
    const UNREADABLE: Cell = refused([503, 503], "unavailable");
    const USED_UP: Cell = Cell {
        calls: &[Reserve, Transition],
        writes: true,
        ..refused([422, 422], "attempts-exhausted")
    };
    match stored {
        Stored::Nothing | Stored::Freed => [
            DECIDED,
            ACCEPTED,
            DECIDED,
            read([422, 422], "facts-invalid"),
        ],
        Stored::Queued | Stored::LiveLease => [BUSY, BUSY, OTHER, INVALID],
        Stored::QueuedLong
        | Stored::QueuedForever
        | Stored::LapsedLease
        | Stored::FailedRetryable => [TAKEN_OVER, TAKEN_OVER, OTHER, INVALID],
        Stored::LapsedForTheLastTime => [USED_UP, USED_UP, OTHER, INVALID],
        Stored::Succeeded => [REPLAYED, REPLAYED, OTHER, INVALID],
        Stored::FailedFinal => [FAILED, FAILED, OTHER, INVALID],
        Stored::AlreadyDecided => [TAKEN, TAKEN, OTHER, INVALID],
        Stored::Retired | Stored::RetiredFailure => [EXPIRED, EXPIRED, OTHER, INVALID],
        Stored::Newer | Stored::Corrupt => [
            UNREADABLE,
            UNREADABLE,
            UNREADABLE,
            read([503, 503], "unavailable"),
        ],
    }
}

#[tokio::test]
async fn every_cell() {
    for stored in Stored::EVERY {
        for (asked, cell) in Asked::EVERY.into_iter().zip(cells(stored)) {
            let profiles = [Profile::Default, Profile::Ietf];
            for (profile, status) in profiles.into_iter().zip(cell.statuses) {
                let name = format!("{stored:?}, {asked:?}, {profile:?}");
                let world = World::default();
                world.bring(stored).await;
                let before = (world.store.operations(), world.store.decisions());

                let worker = world.worker(profile);
                let told = world.ask(&worker, stored, asked).await;

                assert_eq!(told.status, status, "{name}: {told:?}");
                assert_told(&told, cell.class, profile, &name);
                assert_eq!(worker.decider.store.calls(), cell.calls, "{name}");
                let after = (world.store.operations(), world.store.decisions());
                assert_eq!(before != after, cell.writes, "{name}");
            }
        }
    }
}

#[tokio::test]
async fn what_an_instance_remembers_it_answers_as_the_store_would_have_it() {
    for stored in [
        Stored::Succeeded,
        Stored::FailedFinal,
        Stored::AlreadyDecided,
    ] {
        for asked in Asked::EVERY {
            for profile in [Profile::Default, Profile::Ietf] {
                let world = World::default();
                world.bring(stored).await;
                let asking = world.worker(profile);
                let told = world.ask(&asking, stored, asked).await;

                let remembering = world.worker_that_remembers(profile, 1);
                world.ask(&remembering, stored, Asked::Same).await;
                let seen = remembering.decider.store.calls();
                let recalled = world.ask(&remembering, stored, asked).await;
                assert_eq!(recalled, told, "{stored:?}, {asked:?}, {profile:?}");
                assert_eq!(remembering.decider.store.calls(), seen, "nothing was asked");
            }
        }
    }
}
