//! A store that fails as its network would: requests and replies are lost, late, repeated or held up, call by call.
//!
//! Each worker of a test has its own in front of the store that all of them share, so that "the second commit of worker A" can be named.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use decide_once_protocol::{
    decision::DecisionItem,
    ids::DecisionId,
    scope::{OperationId, Tenant},
    writes::{Answer, Commit, Existing, Reserve, Transition},
};
use decide_once_service::limits::Window;
use decide_once_service::ports::{Mismatches, Read, Store, StoreError};

use crate::gate::Gate;

/// The calls of the store port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreCall {
    /// `PutItem`
    Reserve,
    /// `UpdateItem`: a takeover, a failure or a release.
    Transition,
    /// `TransactWriteItems`
    Commit,
    /// `GetItem` of an operation.
    ReadOperation,
    /// `GetItem` of a decision.
    ReadDecision,
    /// `UpdateItem` of a counter.
    CountMismatches,
}

/// What happens to a call.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The request does not arrive, and nobody can tell.
    RequestLost,
    /// It is applied, and nobody can tell.
    ReplyLost,
    /// It is applied, the reply is lost, the SDK sends it again and hands out the second answer.
    SentTwice,
    /// Nobody can tell; it is applied once the gate opens.
    ArrivesLate(Gate),
    /// It waits at the gate, then is applied and answered.
    Held(Gate),
    /// It is applied; the answer waits at the gate.
    ReplyHeld(Gate),
    /// The store answers this and does nothing. (A read fails.)
    Says(Answer),
    /// A read finds nothing, as one that is not strongly consistent might.
    Stale,
}

/// A store behind a network that fails where it is told to.
#[derive(Debug)]
pub struct Faulty<S> {
    store: S,
    script: Mutex<Script>,
}

#[derive(Debug, Default)]
struct Script {
    faults: HashMap<(StoreCall, usize), Fault>,
    always: HashMap<StoreCall, Fault>,
    calls: Vec<StoreCall>,
    commits: Vec<Commit>,
}

/// A write, to be applied now or later.
#[derive(Debug, Clone)]
enum Write {
    Reserve(Reserve),
    Transition(Transition),
    Commit(Box<Commit>),
}

impl<S> Faulty<S> {
    /// In front of `store`, without faults.
    pub fn new(store: S) -> Self {
        Self {
            store,
            script: Mutex::default(),
        }
    }

    /// The `nth` call of this kind, counted from 1, meets a fault.
    pub fn on(&self, call: StoreCall, nth: usize, fault: Fault) {
        self.script().faults.insert((call, nth), fault);
    }

    /// Every call of this kind meets a fault, from now on.
    pub fn always(&self, call: StoreCall, fault: Fault) {
        self.script().always.insert(call, fault);
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        let mut script = self.script();
        script.faults.clear();
        script.always.clear();
    }

    /// The calls so far, in order.
    pub fn calls(&self) -> Vec<StoreCall> {
        self.script().calls.clone()
    }

    /// The transactions that were sent so far, in order.
    pub fn commits(&self) -> Vec<Commit> {
        self.script().commits.clone()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call and returns the fault that it meets.
    fn meet(&self, call: StoreCall) -> Option<Fault> {
        let mut script = self.script();
        script.calls.push(call);
        let nth = script.calls.iter().filter(|made| **made == call).count();
        let once = script.faults.remove(&(call, nth));
        once.or_else(|| script.always.get(&call).cloned())
    }
}

impl<S: Store + Clone + 'static> Faulty<S> {
    async fn send(&self, call: StoreCall, write: Write) -> Answer {
        if let Write::Commit(commit) = &write {
            self.script().commits.push((**commit).clone());
        }
        match self.meet(call) {
            None | Some(Fault::Stale) => write.apply(&self.store).await,
            Some(Fault::RequestLost) => Answer::Unknown,
            Some(Fault::ReplyLost) => {
                let _ = write.apply(&self.store).await;
                Answer::Unknown
            }
            Some(Fault::SentTwice) => {
                let _ = write.apply(&self.store).await;
                write.apply(&self.store).await
            }
            Some(Fault::ArrivesLate(gate)) => {
                let store = self.store.clone();
                tokio::spawn(async move { gate.pass(write.apply(&store)).await });
                Answer::Unknown
            }
            Some(Fault::Held(gate)) => gate.pass(write.apply(&self.store)).await,
            Some(Fault::ReplyHeld(gate)) => {
                let answer = write.apply(&self.store).await;
                gate.pass(std::future::ready(answer)).await
            }
            Some(Fault::Says(answer)) => answer,
        }
    }

    async fn read<T>(
        &self,
        call: StoreCall,
        read: impl Future<Output = Result<T, StoreError>>,
        nothing: T,
    ) -> Result<T, StoreError> {
        match self.meet(call) {
            None | Some(Fault::SentTwice) => read.await,
            Some(Fault::Stale) => Ok(nothing),
            Some(Fault::Held(gate)) => gate.pass(read).await,
            Some(Fault::ReplyHeld(gate)) => {
                let found = read.await;
                gate.pass(std::future::ready(found)).await
            }
            Some(
                Fault::RequestLost | Fault::ReplyLost | Fault::ArrivesLate(_) | Fault::Says(_),
            ) => Err(StoreError::Unavailable("a fault".to_owned())),
        }
    }
}

impl Write {
    async fn apply(&self, store: &impl Store) -> Answer {
        match self {
            Self::Reserve(write) => store.reserve(write).await,
            Self::Transition(write) => store.transition(write).await,
            Self::Commit(write) => store.commit(write).await,
        }
    }
}

impl<S: Store + Clone + 'static> Store for Faulty<S> {
    async fn reserve(&self, write: &Reserve) -> Answer {
        self.send(StoreCall::Reserve, Write::Reserve(write.clone()))
            .await
    }

    async fn transition(&self, write: &Transition) -> Answer {
        self.send(StoreCall::Transition, Write::Transition(write.clone()))
            .await
    }

    async fn commit(&self, write: &Commit) -> Answer {
        self.send(StoreCall::Commit, Write::Commit(Box::new(write.clone())))
            .await
    }

    async fn read_operation(&self, id: &OperationId) -> Result<Existing, StoreError> {
        let read = self.store.read_operation(id);
        self.read(StoreCall::ReadOperation, read, Existing::Absent)
            .await
    }

    async fn read_decision(&self, id: &DecisionId) -> Result<Read<DecisionItem>, StoreError> {
        let read = self.store.read_decision(id);
        self.read(StoreCall::ReadDecision, read, Read::Absent).await
    }
}

impl<S: Store + Mismatches + Clone + 'static> Mismatches for Faulty<S> {
    async fn add_mismatches(
        &self,
        tenant: &Tenant,
        window: Window,
        count: u32,
    ) -> Result<u32, StoreError> {
        let added = self.store.add_mismatches(tenant, window, count);
        self.read(StoreCall::CountMismatches, added, 0).await
    }
}
