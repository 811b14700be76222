//! Workers on one store, and what must hold of them at the end.

use std::{path::Path, sync::Arc, time::Duration};

use decide_once_policy::PolicySet;
use decide_once_protocol::{
    decision::DecisionItem,
    record::{Record, State},
    scope::OperationId,
    writes::{Answer, NotApplied},
};
use decide_once_service::{
    Answers, Budget, Call, Decider, Respond,
    limits::Limits,
    memory::MemoryStore,
    ports::Clock,
    problem::Problem,
    reply::{Outcome, Reply},
    resume::Resumed,
    settings::Settings,
};
use tokio::task::JoinHandle;

use crate::{
    faulty::{Fault, Faulty, StoreCall},
    fixtures::{self, CountingIds, ManualClock},
};

/// The first key of the cases.
pub const K1: &str = "7b6f0c1e-2f5a-4a57-9f0e-0a4d1c9b6e11";
/// The second one.
pub const K2: &str = "0d9a5b52-58c4-4a0b-8f0b-5a1d54f6f1c2";
/// Their body.
pub const B0: &str =
    r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}"#;

/// As Lambda's would be under an HTTP API.
pub const INVOCATION: Duration = Duration::from_secs(29);

/// A span.
pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A span.
pub const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A span.
pub const fn hours(hours: u64) -> Duration {
    Duration::from_secs(hours * 3_600)
}

/// A call of tenant alpha.
pub fn call(key: &str, body: &str) -> Call {
    fixtures::call("t-alpha", key, body)
}

/// A call of tenant alpha that does not wait.
pub fn call_later(key: &str, body: &str) -> Call {
    Call {
        respond: Respond::Later,
        ..call(key, body)
    }
}

/// One store and one time, shared by all workers.
#[derive(Debug, Default)]
pub struct World {
    /// What is stored.
    pub store: MemoryStore,
    /// Stands until a test moves it.
    pub time: ManualClock,
    ids: CountingIds,
}

/// A process of the function, with its own way to the store.
#[derive(Clone, Debug)]
pub struct Worker {
    decider: Arc<Decider<Faulty<MemoryStore>, ManualClock, CountingIds>>,
    wait: Duration,
    invocation: Duration,
}

impl World {
    /// A worker with the shipped policies.
    pub fn worker(&self) -> Worker {
        self.worker_with(self.time.clone(), shipped(), Settings::default())
    }

    /// One whose clock is ahead of the others'.
    pub fn worker_ahead(&self, by: Duration) -> Worker {
        self.worker_with(self.time.ahead(by), shipped(), Settings::default())
    }

    /// One that has these policies.
    pub fn worker_under(&self, policies: PolicySet) -> Worker {
        self.worker_with(self.time.clone(), policies, Settings::default())
    }

    /// One whose operator has set this.
    pub fn worker_with_settings(&self, settings: Settings) -> Worker {
        self.worker_with(self.time.clone(), shipped(), settings)
    }

    /// One that remembers so many answers.
    pub fn worker_that_remembers(&self, answers: u32) -> Worker {
        self.worker_under_that_remembers(shipped(), answers)
    }

    /// One that has these policies, and remembers so many answers.
    pub fn worker_under_that_remembers(&self, policies: PolicySet, answers: u32) -> Worker {
        let answers = Answers::holding(answers);
        self.worker_of(self.time.clone(), policies, Settings::default(), answers)
    }

    fn worker_with(&self, clock: ManualClock, policies: PolicySet, settings: Settings) -> Worker {
        self.worker_of(clock, policies, settings, Answers::default())
    }

    fn worker_of(
        &self,
        clock: ManualClock,
        policies: PolicySet,
        settings: Settings,
        answers: Answers,
    ) -> Worker {
        let decider = Decider {
            store: Faulty::new(self.store.clone()),
            clock,
            ids: self.ids.clone(),
            policies,
            settings,
            limits: Limits::default(),
            answers,
        };
        Worker {
            decider: Arc::new(decider),
            wait: Duration::ZERO,
            invocation: INVOCATION,
        }
    }

    /// The one record.
    ///
    /// # Panics
    /// There is none, or more than one.
    #[track_caller]
    pub fn record(&self) -> Record {
        let [record] = <[_; 1]>::try_from(self.store.operations()).unwrap();
        record
    }

    /// The one decision, after [`check`](Self::check).
    #[track_caller]
    pub fn decision(&self) -> DecisionItem {
        self.check();
        let [decision] = <[_; 1]>::try_from(self.store.decisions()).unwrap();
        decision
    }

    /// What holds after every case: a decision exists exactly with a record that succeeded, under the record's name, with the recorded
    /// digest, and with its own events and no others.
    #[track_caller]
    pub fn check(&self) {
        let (records, decisions) = (self.store.operations(), self.store.decisions());
        for record in &records {
            let State::Succeeded { answer, .. } = &record.state else {
                continue;
            };
            let decision = decisions
                .iter()
                .find(|decision| decision.id == record.decision);
            assert_eq!(
                decision.unwrap().render().digest,
                answer.digest,
                "{record:?}"
            );
        }
        let mut expected = Vec::new();
        for decision in &decisions {
            let mut of_it = records
                .iter()
                .filter(|record| record.operation == decision.operation);
            let record = of_it.next().unwrap();
            assert_eq!(record.decision, decision.id);
            assert!(
                matches!(record.state, State::Succeeded { .. }),
                "{record:?}"
            );
            let events = (0..).zip(&decision.verdict.event_types);
            expected.extend(events.map(|(index, _)| decision.id.event(index)));
        }
        let mut rows: Vec<_> = self
            .store
            .rows()
            .into_iter()
            .map(|row| row.event.id)
            .collect();
        rows.sort();
        expected.sort();
        assert_eq!(rows, expected);
    }
}

impl Worker {
    /// Waits for another worker as long as this.
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Has this much time for each call.
    pub fn with_time(self, invocation: Duration) -> Self {
        Self { invocation, ..self }
    }

    /// Its `nth` call of this kind meets a fault.
    pub fn on(self, call: StoreCall, nth: usize, fault: Fault) -> Self {
        self.store().on(call, nth, fault);
        self
    }

    /// Its way to the store.
    pub fn store(&self) -> &Faulty<MemoryStore> {
        &self.decider.store
    }

    /// What a caller is told.
    pub async fn decide(&self, call: &Call) -> Outcome {
        let budget = Budget {
            deadline: self.decider.clock.now().plus(self.invocation),
            wait: self.wait,
        };
        self.decider.decide(call, budget).await
    }

    /// Goes on with an operation, as those do who look after the queue.
    pub async fn resume(&self, id: &OperationId) -> Resumed {
        let deadline = self.decider.clock.now().plus(self.invocation);
        self.decider.resume(id, deadline).await
    }

    /// Decides while the test goes on.
    pub fn start(&self, call: &Call) -> JoinHandle<Outcome> {
        let (worker, call) = (self.clone(), call.clone());
        tokio::spawn(async move { worker.decide(&call).await })
    }
}

/// The policies of the repository.
pub fn shipped() -> PolicySet {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
    PolicySet::load(&policies).unwrap()
}

/// Not applied, for certain, because of this.
pub const fn says(why: NotApplied) -> Fault {
    Fault::Says(Answer::NotApplied(why))
}

/// What a caller was told, as far as tests look at it.
pub trait Told {
    /// 201: the body.
    fn created(&self) -> String;
    /// 200: the body.
    fn replayed(&self) -> String;
    /// 202: queued by this very call; when to ask again.
    fn queued(&self) -> Duration;
    /// 202, or what stands for it: when to ask again.
    fn in_progress(&self) -> Duration;
    /// The code and all the rest of a problem.
    fn problem(&self, code: &str) -> Problem;
}

impl Told for Outcome {
    #[track_caller]
    fn created(&self) -> String {
        match &self.reply {
            Reply::Decided {
                body,
                replayed: false,
                ..
            } => String::from_utf8(body.bytes.clone()).unwrap(),
            _ => panic!("not a first answer: {self:?}"),
        }
    }

    #[track_caller]
    fn replayed(&self) -> String {
        match &self.reply {
            Reply::Decided {
                body,
                replayed: true,
                ..
            } => String::from_utf8(body.bytes.clone()).unwrap(),
            _ => panic!("not a replay: {self:?}"),
        }
    }

    #[track_caller]
    fn queued(&self) -> Duration {
        match &self.reply {
            Reply::InProgress {
                retry_after,
                accepted: true,
                ..
            } => *retry_after,
            _ => panic!("not queued: {self:?}"),
        }
    }

    #[track_caller]
    fn in_progress(&self) -> Duration {
        match &self.reply {
            Reply::InProgress { retry_after, .. } => *retry_after,
            _ => panic!("not in progress: {self:?}"),
        }
    }

    #[track_caller]
    fn problem(&self, code: &str) -> Problem {
        match &self.reply {
            Reply::Problem(problem) if problem.kind.code() == code => problem.clone(),
            _ => panic!("not {code}: {self:?}"),
        }
    }
}
