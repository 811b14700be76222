//! design.md §2 as a table: every stored state, each kind of request, both profiles. Each cell says status, kind of body, headers, and what was asked of the
//! store; and nothing is written but where it says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_protocol::record::EXPIRY_MARGIN;
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
    Succeeded,
    FailedFinal,
    Retired,
    RetiredFailure,
    Freed,
    Newer,
    Corrupt,
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

#[derive(Default)]
struct World {
    store: MemoryStore,
    time: ManualClock,
    ids: CountingIds,
}

impl World {
    fn worker(&self, profile: Profile) -> Worker {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
        let decider = Decider {
            store: Faulty::new(self.store.clone()),
            clock: self.time.clone(),
            ids: self.ids.clone(),
            policies: PolicySet::load(&policies).unwrap(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::default(),
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
            Stored::LiveLease | Stored::LapsedLease => {
                let gate = Gate::closed();
                store.on(StoreCall::Reserve, 1, Fault::ReplyHeld(gate.clone()));
                let dying = Arc::clone(&worker);
                let dead = tokio::spawn(async move { decide(&dying, &call).await });
                gate.reached().await;
                dead.abort();
                if matches!(stored, Stored::LapsedLease) {
                    self.time.advance(Duration::from_secs(31));
                }
                return;
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
}

async fn decide(worker: &Worker, call: &Call) {
    let budget = Budget {
        deadline: worker.decider.clock.now().plus(Duration::from_secs(29)),
        wait: Duration::ZERO,
    };
    worker.decider.decide(call, budget).await;
}

fn body(stored: Stored, asked: Asked) -> String {
    let facts = match (asked, stored) {
        // No rule of the policy has a say on this currency.
        (Asked::Same | Asked::Later, Stored::FailedFinal | Stored::RetiredFailure) => {
            r#"{"amount":1,"currency":"XTS"}"#
        }
        (Asked::Same | Asked::Later, _) => r#"{"amount":12500,"currency":"USD"}"#,
        (Asked::Other, _) => r#"{"amount":12501,"currency":"USD"}"#,
        (Asked::Invalid, _) => r#"{"amount":-1}"#,
    };
    format!(r#"{{"policy":"credit-limit","subject":"acct-42","facts":{facts}}}"#)
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
            let recorded = code == "decision-failed";
            assert_eq!(header("idempotent-replayed").is_some(), recorded, "{cell}");
        }
    }
}

#[tokio::test]
async fn every_cell() {
    use Asked::{Invalid, Later, Other, Same};
    use Class::{Accepted, Decision, Problem, Status};
    use StoreCall::{Commit, ReadOperation, Reserve, Transition};
    use Stored::*;

    const FRESH: &[StoreCall] = &[Reserve, Commit];
    const TAKEN_OVER: &[StoreCall] = &[Reserve, Transition, Commit];
    const REFUSED: &[StoreCall] = &[Reserve];
    const READ: &[StoreCall] = &[ReadOperation];
    const NEW: Class = Decision { replayed: false };
    const REPLAY: Class = Decision { replayed: true };
    const MISMATCH: Class = Problem("key-reused");

    // Stored, asked: status by default, status under `ietf`, body, calls to the store.
    let table = [
        (Nothing, Same, 201, 201, NEW, FRESH),
        (Nothing, Other, 201, 201, NEW, FRESH),
        (Nothing, Invalid, 422, 422, Problem("facts-invalid"), READ),
        (Nothing, Later, 202, 202, Accepted, REFUSED),
        (Queued, Same, 202, 409, Status, REFUSED),
        (Queued, Later, 202, 409, Status, REFUSED),
        (Queued, Other, 409, 422, MISMATCH, REFUSED),
        (Queued, Invalid, 409, 422, MISMATCH, READ),
        (QueuedLong, Same, 201, 201, NEW, TAKEN_OVER),
        (QueuedLong, Later, 201, 201, NEW, TAKEN_OVER),
        (QueuedLong, Other, 409, 422, MISMATCH, REFUSED),
        (QueuedLong, Invalid, 409, 422, MISMATCH, READ),
        (QueuedForever, Same, 201, 201, NEW, TAKEN_OVER),
        (QueuedForever, Other, 409, 422, MISMATCH, REFUSED),
        (LiveLease, Same, 202, 409, Status, REFUSED),
        (LiveLease, Later, 202, 409, Status, REFUSED),
        (LapsedLease, Later, 201, 201, NEW, TAKEN_OVER),
        (FailedRetryable, Later, 201, 201, NEW, TAKEN_OVER),
        (Succeeded, Later, 200, 201, REPLAY, REFUSED),
        (
            FailedFinal,
            Later,
            422,
            422,
            Problem("decision-failed"),
            REFUSED,
        ),
        (Retired, Later, 409, 422, Problem("result-expired"), REFUSED),
        (Freed, Later, 202, 202, Accepted, REFUSED),
        (Corrupt, Later, 503, 503, Problem("unavailable"), REFUSED),
        (LiveLease, Other, 409, 422, MISMATCH, REFUSED),
        (LiveLease, Invalid, 409, 422, MISMATCH, READ),
        (LapsedLease, Same, 201, 201, NEW, TAKEN_OVER),
        (LapsedLease, Other, 409, 422, MISMATCH, REFUSED),
        (LapsedLease, Invalid, 409, 422, MISMATCH, READ),
        (FailedRetryable, Same, 201, 201, NEW, TAKEN_OVER),
        (FailedRetryable, Other, 409, 422, MISMATCH, REFUSED),
        (FailedRetryable, Invalid, 409, 422, MISMATCH, READ),
        (Succeeded, Same, 200, 201, REPLAY, REFUSED),
        (Succeeded, Other, 409, 422, MISMATCH, REFUSED),
        (Succeeded, Invalid, 409, 422, MISMATCH, READ),
        (
            FailedFinal,
            Same,
            422,
            422,
            Problem("decision-failed"),
            REFUSED,
        ),
        (FailedFinal, Other, 409, 422, MISMATCH, REFUSED),
        (FailedFinal, Invalid, 409, 422, MISMATCH, READ),
        (Retired, Same, 409, 422, Problem("result-expired"), REFUSED),
        (Retired, Other, 409, 422, MISMATCH, REFUSED),
        (Retired, Invalid, 409, 422, MISMATCH, READ),
        (
            RetiredFailure,
            Same,
            409,
            422,
            Problem("result-expired"),
            REFUSED,
        ),
        (RetiredFailure, Other, 409, 422, MISMATCH, REFUSED),
        (Freed, Same, 201, 201, NEW, FRESH),
        (Freed, Other, 201, 201, NEW, FRESH),
        (Freed, Invalid, 422, 422, Problem("facts-invalid"), READ),
        (Newer, Same, 503, 503, Problem("unavailable"), REFUSED),
        (Newer, Other, 503, 503, Problem("unavailable"), REFUSED),
        (Newer, Invalid, 503, 503, Problem("unavailable"), READ),
        (Corrupt, Same, 503, 503, Problem("unavailable"), REFUSED),
        (Corrupt, Invalid, 503, 503, Problem("unavailable"), READ),
    ];
    for (stored, asked, default, ietf, class, calls) in table {
        for (profile, status) in [(Profile::Default, default), (Profile::Ietf, ietf)] {
            let cell = format!("{stored:?}, {asked:?}, {profile:?}");
            let world = World::default();
            world.bring(stored).await;
            let before = (world.store.operations(), world.store.decisions());

            let worker = world.worker(profile);
            let mut event = event("http-api-jwt");
            event["body"] = json!(body(stored, asked));
            event["headers"]["prefer"] = json!(match asked {
                Later => "respond-async, wait=0",
                Same | Other | Invalid => "wait=0",
            });
            let told = ask(&worker, &event).await;

            assert_eq!(told.status, status, "{cell}: {told:?}");
            assert_told(&told, class, profile, &cell);
            assert_eq!(worker.decider.store.calls(), calls, "{cell}");
            let after = (world.store.operations(), world.store.decisions());
            let writes = matches!(class, Decision { replayed: false } | Accepted);
            assert_eq!(before != after, writes, "{cell}");
        }
    }
}
