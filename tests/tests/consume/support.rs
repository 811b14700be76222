//! A consumer with a network that fails where it is told to, and a provider that remembers what it was asked for.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use decide_once_protocol::{
    inbox::{
        Claim, CloudEvent, ConsumerName, DownstreamKey, Finish, FoundMark, Keep, MarkAnswer,
        MarkId, MarkRetention, Release, Together,
    },
    time::Timestamp,
    writes::NotApplied,
};
use decide_once_service::{
    consume::{Consumer, EffectError, Handled},
    memory::{Change, MemoryStore},
    ports::{Clock as _, Effects, Inbox, StoreError},
};
use decide_once_tests::{
    fixtures::{CountingIds, ManualClock},
    gate::Gate,
};
use futures_util::FutureExt as _;

/// As Lambda's would be.
const INVOCATION: Duration = Duration::from_secs(5);

/// What happens to a write.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// It does not arrive, and nobody can tell.
    RequestLost,
    /// It is applied, and nobody can tell.
    ReplyLost,
    /// It is applied, the reply is lost, and the SDK sends it again and hands out the second answer.
    SentTwice,
    /// Another transaction was there.
    Conflict,
    /// It waits at the gate, then is applied and answered.
    Held(Gate),
}

/// A store behind a network: the next writes meet these faults, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    pub(crate) store: MemoryStore,
    faults: Arc<Mutex<VecDeque<Option<Fault>>>>,
}

impl Network {
    /// The writes that follow meet these; `None` meets none.
    pub(crate) fn next(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.faults.lock().unwrap().extend(faults);
    }

    async fn write<A: Send>(
        &self,
        apply: impl Fn() -> A + Send + Sync,
        unknown: A,
        not_applied: impl FnOnce(NotApplied) -> A + Send,
    ) -> A {
        let fault = self.faults.lock().unwrap().pop_front().flatten();
        match fault {
            None => apply(),
            Some(Fault::RequestLost) => unknown,
            Some(Fault::ReplyLost) => {
                drop(apply());
                unknown
            }
            Some(Fault::SentTwice) => {
                drop(apply());
                apply()
            }
            Some(Fault::Conflict) => not_applied(NotApplied::Conflict),
            Some(Fault::Held(gate)) => gate.pass(async { apply() }).await,
        }
    }
}

/// The store in memory never waits.
fn at_once<T>(call: impl Future<Output = T>) -> T {
    call.now_or_never().unwrap()
}

impl Inbox for Network {
    async fn claim(&self, write: &Claim) -> MarkAnswer {
        let apply = || at_once(self.store.claim(write));
        self.write(apply, MarkAnswer::Unknown, MarkAnswer::NotApplied)
            .await
    }

    async fn finish(&self, write: &Finish) -> MarkAnswer {
        let apply = || at_once(self.store.finish(write));
        self.write(apply, MarkAnswer::Unknown, MarkAnswer::NotApplied)
            .await
    }

    async fn release(&self, write: &Release) -> MarkAnswer {
        let apply = || at_once(self.store.release(write));
        self.write(apply, MarkAnswer::Unknown, MarkAnswer::NotApplied)
            .await
    }

    async fn read_mark(&self, id: &MarkId) -> Result<FoundMark, StoreError> {
        self.store.read_mark(id).await
    }
}

impl Effects for Network {
    type Effect = Change;

    async fn have(&self, effect: &Change, keep: &Keep) -> Together {
        let apply = || at_once(self.store.have(effect, keep));
        self.write(apply, Together::Unknown, Together::NotApplied)
            .await
    }
}

/// One store and one time, shared by all workers.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) network: Network,
    pub(crate) time: ManualClock,
    ids: CountingIds,
}

/// A process of the consumer.
pub(crate) type Worker = Consumer<Network, ManualClock, CountingIds>;

impl World {
    pub(crate) fn worker(&self) -> Worker {
        Consumer {
            name: ConsumerName::parse("balances").unwrap(),
            inbox: self.network.clone(),
            clock: self.time.clone(),
            ids: self.ids.clone(),
            retention: MarkRetention::DEFAULT,
        }
    }

    /// As long as an invocation has from now on.
    pub(crate) fn deadline(&self) -> Timestamp {
        self.time.now().plus(INVOCATION)
    }

    /// Past every claim.
    pub(crate) fn lapse(&self) {
        self.time.advance(INVOCATION + Duration::from_secs(2));
    }

    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.network.store.number(name)
    }

    /// `"amount" += 5`, with its mark.
    pub(crate) async fn add(&self, event: &CloudEvent) -> Handled {
        let effect = || async {
            Ok(Change::Add {
                name: "amount".to_owned(),
                by: 5,
            })
        };
        let worker = self.worker();
        worker.together(event, self.deadline(), effect).await
    }
}

/// An event that came into being when the clock was started.
pub(crate) fn event(id: &str) -> CloudEvent {
    let text = format!(
        r#"{{"specversion":"1.0","id":"{id}","source":"urn:decide-once:t-alpha","type":"t","subject":"acct-42","time":"2026-12-01T00:00:00Z"}}"#
    );
    CloudEvent::parse(&text).unwrap()
}

/// Somebody else's system, which knows a repetition by its key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Provider {
    calls: Arc<Mutex<BTreeMap<DownstreamKey, u32>>>,
}

impl Provider {
    pub(crate) async fn withdraw(&self, key: DownstreamKey) -> Result<(), EffectError> {
        *self.calls.lock().unwrap().entry(key).or_default() += 1;
        Ok(())
    }

    /// How often it was called, by key.
    pub(crate) fn calls(&self) -> Vec<u32> {
        self.calls.lock().unwrap().values().copied().collect()
    }
}
