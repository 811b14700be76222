//! Instances of the decide function over one store, each with the policies of its own deployment.

use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_protocol::{
    decision::{DecisionItem, NaturalClaim},
    outbox::OutboxRow,
    record::Record,
};
use decide_once_service::{
    problem::Problem,
    profile::Profile,
    reply::{Outcome, Reply},
};
use decide_once_tests::{
    faulty::{Fault, StoreCall},
    fixtures::call,
    gate::Gate,
    world::{Worker, World},
};
use serde_json::Value;

/// Longer than any lease: a worker that is gone is gone by then.
const LEASE: Duration = Duration::from_secs(60);

/// Everything that is stored.
pub(crate) type Contents = (
    Vec<Record>,
    Vec<DecisionItem>,
    Vec<NaturalClaim>,
    Vec<OutboxRow>,
);

pub(crate) trait Deployments {
    /// A process of the function that was deployed with these policies.
    fn instance(&self, policies: PolicySet) -> Instance;
    /// What stands PROCESSING now is left by its owner.
    fn leases_lapse(&self);
    fn contents(&self) -> Contents;
}

impl Deployments for World {
    fn instance(&self, policies: PolicySet) -> Instance {
        Instance(self.worker_under(policies))
    }

    fn leases_lapse(&self) {
        self.time.advance(LEASE);
    }

    fn contents(&self) -> Contents {
        let store = &self.store;
        (
            store.operations(),
            store.decisions(),
            store.claims(),
            store.rows(),
        )
    }
}

#[derive(Debug)]
pub(crate) struct Instance(Worker);

impl Instance {
    /// A request of the tenant `t-alpha`.
    pub(crate) async fn post(&self, key: &str, body: &str) -> Told {
        self.post_as("t-alpha", key, body).await
    }

    pub(crate) async fn post_as(&self, tenant: &str, key: &str, body: &str) -> Told {
        Told(self.0.decide(&call(tenant, key, body)).await)
    }

    /// The process dies after it has reserved and evaluated, before it commits.
    pub(crate) async fn post_and_die(&self, key: &str, body: &str) {
        let commit = Gate::closed();
        let store = self.0.store();
        store.always(StoreCall::Commit, Fault::Held(commit.clone()));
        tokio::select! {
            told = self.post(key, body) => panic!("it lived to say {told:?}"),
            () = commit.reached() => {}
        }
        store.heal();
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
                    (problem.kind.status(Profile::Default), problem.kind.code(),),
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
