//! One function: its queue, its instances and what each is busy with.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::body::Bytes;
use serde::Serialize;
use tokio::{
    sync::{Notify, oneshot, watch},
    task::AbortHandle,
};
use uuid::Uuid;

use super::{
    InstanceId, InvokeError, InvokeResult,
    call::{Call, InFlight},
};

/// Calls that may wait for a free instance of one function. Lambda would scale out instead, to 1,000 at once by default.
const MAX_QUEUED: usize = 1_000;

/// How busy a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Load {
    /// Calls that wait for a free instance.
    pub queued: usize,
    /// Calls that an instance works on.
    pub in_flight: usize,
    /// Calls that an instance ever got.
    pub started: u64,
}

/// What an instance got to work on.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) request_id: Uuid,
    pub(super) payload: Bytes,
    pub(super) timeout: Duration,
}

/// What an instance that asks for work gets.
pub(super) enum Work {
    Assigned(Assignment),
    NothingYet,
    /// It does not count (any longer).
    NotForIt,
}

#[derive(Debug)]
pub(super) struct Function {
    timeout: Duration,
    state: Mutex<State>,
    /// Wakes one instance that waits for work.
    pub(super) work: Notify,
    /// Becomes true when the first instance asks for work, and stays so.
    pub(super) ready: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Call>,
    started: u64,
    instances: HashMap<InstanceId, Instance>,
}

/// What is known of a process.
#[derive(Debug, Default)]
pub(super) struct Instance {
    /// Told when the process must be killed.
    pub(super) kill: Arc<Notify>,
    pub(super) asked_for_work: bool,
    /// Why it said that it could not start.
    pub(super) init_error: Option<String>,
    in_flight: Option<InFlight>,
}

impl Function {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            state: Mutex::default(),
            work: Notify::new(),
            ready: watch::Sender::new(false),
        }
    }

    pub(super) fn enqueue(
        &self,
        payload: Bytes,
    ) -> Result<oneshot::Receiver<InvokeResult>, InvokeError> {
        let (call, answer) = Call::new(payload);
        let mut state = self.lock();
        state.queue.retain(|call| !call.is_abandoned());
        if state.queue.len() >= MAX_QUEUED {
            return Err(InvokeError::Throttled);
        }
        state.queue.push_back(call);
        self.work.notify_one();
        Ok(answer)
    }

    /// The next call for `id`, if there is one. `timer` starts what ends the call when the function's time is up.
    pub(super) fn take(
        &self,
        id: InstanceId,
        timer: impl FnOnce(Uuid, Duration) -> AbortHandle,
    ) -> Work {
        let mut state = self.lock();
        let State {
            queue,
            started,
            instances,
        } = &mut *state;
        let Some(instance) = instances.get_mut(&id) else {
            self.work.notify_one(); // another may have to do what woke this one
            return Work::NotForIt;
        };
        instance.asked_for_work = true;
        self.ready.send_replace(true);
        // An instance that asks for more has dropped what it had: that call ends here.
        instance.in_flight = None;

        while queue.front().is_some_and(Call::is_abandoned) {
            queue.pop_front();
        }
        let Some(call) = queue.pop_front() else {
            return Work::NothingYet;
        };
        if !queue.is_empty() {
            self.work.notify_one(); // one wake-up may stand for several calls
        }
        let (in_flight, payload) = call.start(|request| timer(request, self.timeout));
        let request_id = in_flight.request_id;
        instance.in_flight = Some(in_flight);
        *started += 1;
        Work::Assigned(Assignment {
            request_id,
            payload,
            timeout: self.timeout,
        })
    }

    /// Ends the call that `id` works on. False: it does not work on `request` (any longer), the answer came too late.
    pub(super) fn finish(&self, id: InstanceId, request: Uuid, result: InvokeResult) -> bool {
        let in_flight = self.with_instance(id, |instance| {
            instance
                .in_flight
                .take_if(|in_flight| in_flight.request_id == request)
        });
        match in_flight.flatten() {
            Some(in_flight) => {
                in_flight.finish(result);
                true
            }
            None => false,
        }
    }

    pub(super) fn add(&self, id: InstanceId, instance: Instance) {
        self.lock().instances.insert(id, instance);
    }

    /// The call that it worked on, if any, fails now.
    pub(super) fn remove(&self, id: InstanceId) {
        self.lock().instances.remove(&id);
    }

    pub(super) fn with_instance<T>(
        &self,
        id: InstanceId,
        with: impl FnOnce(&mut Instance) -> T,
    ) -> Option<T> {
        self.lock().instances.get_mut(&id).map(with)
    }

    pub(super) fn load(&self) -> Load {
        let state = self.lock();
        Load {
            queued: state
                .queue
                .iter()
                .filter(|call| !call.is_abandoned())
                .count(),
            in_flight: state
                .instances
                .values()
                .filter(|instance| instance.in_flight.is_some())
                .count(),
            started: state.started,
        }
    }

    /// A panic elsewhere leaves the maps usable: each change is one insertion or removal.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
