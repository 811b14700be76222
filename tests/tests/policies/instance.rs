//! Instances of the decide function over one store, each with the policies of its own deployment.

use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_protocol::{
    decision::{DecisionItem, NaturalClaim},
    outbox::OutboxRow,
    record::Record,
};
use decide_once_service::{
    Budget, Decider,
    memory::MemoryStore,
    ports::Clock as _,
    problem::Problem,
    reply::{Outcome, Reply},
    settings::Settings,
};
use decide_once_tests::{
    faulty::{Fault, Faulty, StoreCall},
    fixtures::{CountingIds, ManualClock, call},
    gate::Gate,
};
use serde_json::Value;

/// Longer than any lease: a worker that is gone is gone by then.
const LEASE: Duration = Duration::from_secs(60);

/// One store, one time.
#[derive(Debug, Default)]
pub(crate) struct World {
    store: MemoryStore,
    clock: ManualClock,
    ids: CountingIds,
}

/// Everything that is stored.
pub(crate) type Contents = (
    Vec<Record>,
    Vec<DecisionItem>,
    Vec<NaturalClaim>,
    Vec<OutboxRow>,
);

impl World {
    /// A process of the function that was deployed with these policies.
    pub(crate) fn instance(&self, policies: PolicySet) -> Instance {
        Instance(Decider {
            store: Faulty::new(self.store.clone()),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            policies,
            settings: Settings::default(),
        })
    }

    /// The same time, with nothing stored; ids count on.
    pub(crate) fn with_an_empty_store(&self) -> Self {
        Self {
            store: MemoryStore::new(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }

    pub(crate) fn contents(&self) -> Contents {
        let store = &self.store;
        (
            store.operations(),
            store.decisions(),
            store.claims(),
            store.rows(),
        )
    }

    pub(crate) fn store(&self) -> &MemoryStore {
        &self.store
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// What stands PROCESSING now is left by its owner.
    pub(crate) fn leases_lapse(&self) {
        self.advance(LEASE);
    }
}

#[derive(Debug)]
pub(crate) struct Instance(Decider<Faulty<MemoryStore>, ManualClock, CountingIds>);

impl Instance {
    /// A request of the tenant `t-alpha`.
    pub(crate) async fn post(&self, key: &str, body: &str) -> Told {
        self.post_as("t-alpha", key, body).await
    }

    pub(crate) async fn post_as(&self, tenant: &str, key: &str, body: &str) -> Told {
        let call = call(tenant, key, body);
        Told(self.0.decide(&call, self.budget()).await)
    }

    /// The process dies after it has reserved and evaluated, before it commits.
    pub(crate) async fn post_and_die(&self, key: &str, body: &str) {
        let store = &self.0.store;
        let commit = Gate::closed();
        store.always(StoreCall::Commit, Fault::Held(commit.clone()));
        tokio::select! {
            told = self.post(key, body) => panic!("it lived to say {told:?}"),
            () = commit.reached() => {}
        }
        store.heal();
    }

    fn budget(&self) -> Budget {
        Budget {
            deadline: self.0.clock.now().plus(Duration::from_secs(29)),
            wait: Duration::ZERO,
        }
    }
}

/// What a caller was told.
#[derive(Debug)]
pub(crate) struct Told(Outcome);

impl Told {
    /// A decision of this very call.
    #[track_caller]
    pub(crate) fn created(&self) -> Value {
        self.decided(false)
    }

    /// A decision of before.
    #[track_caller]
    pub(crate) fn replayed(&self) -> Value {
        self.decided(true)
    }

    #[track_caller]
    fn decided(&self, before: bool) -> Value {
        match &self.0.reply {
            Reply::Decided { replayed, body, .. } if *replayed == before => {
                serde_json::from_slice(&body.bytes).unwrap()
            }
            other => panic!("{other:?}"),
        }
    }

    /// The body's bytes.
    #[track_caller]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.0.reply {
            Reply::Decided { body, .. } => body.bytes.clone(),
            Reply::Problem(problem) => problem.to_json().into_bytes(),
            Reply::InProgress { .. } => panic!("{:?}", self.0.reply),
        }
    }

    /// A problem of this status and code.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> &Problem {
        match &self.0.reply {
            Reply::Problem(problem) => {
                assert_eq!(
                    (problem.kind.status(), problem.kind.code()),
                    (status, code),
                    "{problem:?}"
                );
                problem
            }
            other => panic!("{other:?}"),
        }
    }

    /// 503: the same key may be tried again.
    #[track_caller]
    pub(crate) fn try_again(&self) {
        let problem = self.problem(503, "unavailable");
        assert_eq!(problem.kind.retry().as_str(), "same-key");
        assert!(problem.retry_after.is_some());
    }

    /// 409, with pointers into the body.
    #[track_caller]
    pub(crate) fn reused(&self) -> Vec<&str> {
        let problem = self.problem(409, "key-reused");
        problem.pointers.iter().map(String::as_str).collect()
    }

    pub(crate) fn attempt(&self) -> Option<u32> {
        self.0.attempt
    }
}
