//! Processes of the sweep function, and of those that give it something to do.

use std::time::Duration;

use decide_once_protocol::{record::Record, scope::OperationId};
use decide_once_service::{
    Answers, Budget, Call, Decider, Respond,
    limits::Limits,
    memory::MemoryStore,
    ports::{Clock as _, Store},
    settings::Settings,
    sweep::{MARGIN, Sweeper, Swept},
};
use decide_once_tests::{
    fixtures::{self, CountingIds, ManualClock},
    world::{B0, shipped},
};

use crate::support::{INVOCATION, PACE, ScriptedSink, World};

type Sweeps = Sweeper<MemoryStore, ScriptedSink, ManualClock, CountingIds>;

impl World {
    /// A process of the sweep function.
    pub(crate) fn sweeper(&self) -> Sweeps {
        let publisher = self.publisher(self.store.clone(), PACE);
        Sweeper::new(self.decider(), publisher, MARGIN)
    }

    /// What a new process of it sees and does.
    pub(crate) async fn sweep(&self) -> Swept {
        self.sweep_by(&self.sweeper()).await
    }

    /// What this process of it sees and does.
    pub(crate) async fn sweep_by(&self, sweeper: &Sweeps) -> Swept {
        let deadline = self.time.now().plus(INVOCATION);
        sweeper.sweep(deadline).await.unwrap()
    }

    /// A process that decides.
    pub(crate) fn decider(&self) -> Decider<MemoryStore, ManualClock, CountingIds> {
        self.decider_over(self.store.clone())
    }

    /// One with another way to the store.
    pub(crate) fn decider_over<S: Store>(&self, store: S) -> Decider<S, ManualClock, CountingIds> {
        Decider {
            store,
            clock: self.time.clone(),
            ids: self.ids.clone(),
            policies: shipped(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::default(),
        }
    }

    /// What a call has: an invocation, and no wait.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            deadline: self.time.now().plus(INVOCATION),
            wait: Duration::ZERO,
        }
    }

    /// Queues a request.
    pub(crate) async fn queue(&self, key: &str) -> Record {
        let call = Call {
            respond: Respond::Later,
            ..fixtures::call("t-alpha", key, B0)
        };
        let told = self.decider().decide(&call, self.budget()).await;
        self.record(&told.operation)
    }

    /// What stands under an id.
    pub(crate) fn record(&self, id: &OperationId) -> Record {
        let mut records = self.store.operations().into_iter();
        records.find(|record| record.operation == *id).unwrap()
    }
}
