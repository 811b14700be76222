//! Who works on which call: every function's queue, its instances and what each is busy with.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::body::Bytes;
use serde::Serialize;
use tokio::sync::{Notify, oneshot, watch};
use uuid::Uuid;

use super::{
    InvokeError, InvokeResult,
    call::{Call, InFlight},
};

/// Calls that may wait for a free instance of one function. Lambda would scale out instead, to 1,000 at once by default.
const MAX_QUEUED: usize = 1_000;

/// One process of a function. Never used twice: a restarted process is another instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u64);

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What the Lambda service must know of a function.
#[derive(Debug, Clone)]
pub struct FunctionSpec {
    /// The name, as in `decide-once function <name>`.
    pub name: &'static str,
    /// How long one invocation may take, before its process is killed.
    pub timeout: Duration,
}

/// What an instance got to work on.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) request_id: Uuid,
    pub(super) payload: Bytes,
    pub(super) timeout: Duration,
}

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

/// All functions of the stack.
#[derive(Debug)]
pub struct Functions {
    by_name: HashMap<&'static str, Function>,
    next_instance: AtomicU64,
}

#[derive(Debug)]
struct Function {
    timeout: Duration,
    work: Notify,
    state: Mutex<State>,
    /// Becomes true when the first instance asks for work, and stays so.
    ready: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Call>,
    started: u64,
    instances: HashMap<InstanceId, Instance>,
}

#[derive(Debug)]
struct Instance {
    kill: Arc<Notify>,
    asked_for_work: bool,
    init_error: Option<String>,
    in_flight: Option<InFlight>,
}

impl Functions {
    /// Functions without instances yet: calls queue up until [`register`](Self::register)ed instances ask for them.
    pub fn new(specs: &[FunctionSpec]) -> Arc<Self> {
        let by_name = specs
            .iter()
            .map(|spec| (spec.name, Function::new(spec.timeout)))
            .collect();
        Arc::new(Self {
            by_name,
            next_instance: AtomicU64::new(1),
        })
    }

    /// Announces a process that is about to start. Dropping the registration says that it is gone.
    ///
    /// # Errors
    /// [`InvokeError::UnknownFunction`].
    pub fn register(self: &Arc<Self>, function: &str) -> Result<Registration, InvokeError> {
        let id = InstanceId(self.next_instance.fetch_add(1, Ordering::Relaxed));
        let kill = Arc::new(Notify::new());
        let (name, entry) = self
            .by_name
            .get_key_value(function)
            .ok_or(InvokeError::UnknownFunction)?;
        entry.lock().instances.insert(
            id,
            Instance {
                kill: Arc::clone(&kill),
                asked_for_work: false,
                init_error: None,
                in_flight: None,
            },
        );
        Ok(Registration {
            functions: Arc::clone(self),
            function: name,
            id,
            kill,
        })
    }

    /// Resolves once an instance of `function` has asked for work: from then on, a request would be answered.
    ///
    /// # Errors
    /// [`InvokeError::UnknownFunction`].
    pub async fn ready(&self, function: &str) -> Result<(), InvokeError> {
        let mut ready = self.get(function)?.ready.subscribe();
        // The sender lives as long as `self`.
        let _ = ready.wait_for(|ready| *ready).await;
        Ok(())
    }

    /// How busy each function is.
    pub fn load(&self) -> BTreeMap<&'static str, Load> {
        self.by_name
            .iter()
            .map(|(name, function)| (*name, function.lock().load()))
            .collect()
    }

    pub(super) fn enqueue(
        &self,
        function: &str,
        payload: Bytes,
    ) -> Result<oneshot::Receiver<InvokeResult>, InvokeError> {
        let function = self.get(function)?;
        let (call, answer) = Call::new(payload);
        {
            let mut state = function.lock();
            state.queue.retain(|call| !call.is_abandoned());
            if state.queue.len() >= MAX_QUEUED {
                return Err(InvokeError::Throttled);
            }
            state.queue.push_back(call);
        }
        function.work.notify_one();
        Ok(answer)
    }

    /// Waits for work for `instance`. `None`: there is no such instance (any longer), so its process must not work.
    pub(super) async fn next(
        self: &Arc<Self>,
        function: &str,
        instance: InstanceId,
    ) -> Option<Assignment> {
        let entry = self.get(function).ok()?;
        loop {
            {
                let mut state = entry.lock();
                let State {
                    queue,
                    instances,
                    started,
                } = &mut *state;
                let Some(free) = instances.get_mut(&instance) else {
                    entry.work.notify_one(); // another may have to do what woke this one
                    return None;
                };
                free.asked_for_work = true;
                entry.ready.send_replace(true);
                // An instance that asks for more has dropped what it had: that call ends here.
                free.in_flight = None;
                while let Some(call) = queue.pop_front() {
                    if call.is_abandoned() {
                        continue;
                    }
                    let (in_flight, payload) = call.start(|request| {
                        self.start_timer(function, instance, request, entry.timeout)
                    });
                    let request_id = in_flight.request_id;
                    free.in_flight = Some(in_flight);
                    *started += 1;
                    if !queue.is_empty() {
                        entry.work.notify_one(); // one wake-up may stand for several calls
                    }
                    return Some(Assignment {
                        request_id,
                        payload,
                        timeout: entry.timeout,
                    });
                }
            }
            entry.work.notified().await;
        }
    }

    /// Ends the call that `instance` works on. False: it does not work on `request` (any longer), the answer came too late.
    pub(super) fn finish(
        &self,
        function: &str,
        instance: InstanceId,
        request: Uuid,
        result: InvokeResult,
    ) -> bool {
        let Ok(entry) = self.get(function) else {
            return false;
        };
        let mut state = entry.lock();
        let in_flight = state.instances.get_mut(&instance).and_then(|instance| {
            instance
                .in_flight
                .take_if(|in_flight| in_flight.request_id == request)
        });
        drop(state);
        match in_flight {
            Some(in_flight) => {
                in_flight.finish(result);
                true
            }
            None => false,
        }
    }

    /// Keeps why `instance` says that it cannot start.
    pub(super) fn init_failed(&self, function: &str, instance: InstanceId, message: String) {
        if let Ok(entry) = self.get(function)
            && let Some(instance) = entry.lock().instances.get_mut(&instance)
        {
            instance.init_error = Some(message);
        }
    }

    fn start_timer(
        self: &Arc<Self>,
        function: &str,
        instance: InstanceId,
        request: Uuid,
        timeout: Duration,
    ) -> tokio::task::AbortHandle {
        let functions = Arc::clone(self);
        let function = function.to_owned();
        let timer = async move {
            tokio::time::sleep(timeout).await;
            if functions.finish(&function, instance, request, Err(InvokeError::TimedOut)) {
                functions.kill(&function, instance);
            }
        };
        tokio::spawn(timer).abort_handle()
    }

    fn kill(&self, function: &str, instance: InstanceId) {
        if let Ok(entry) = self.get(function)
            && let Some(instance) = entry.lock().instances.get(&instance)
        {
            instance.kill.notify_one();
        }
    }

    fn get(&self, function: &str) -> Result<&Function, InvokeError> {
        self.by_name
            .get(function)
            .ok_or(InvokeError::UnknownFunction)
    }
}

impl State {
    fn load(&self) -> Load {
        Load {
            queued: self
                .queue
                .iter()
                .filter(|call| !call.is_abandoned())
                .count(),
            in_flight: self
                .instances
                .values()
                .filter(|instance| instance.in_flight.is_some())
                .count(),
            started: self.started,
        }
    }
}

impl Function {
    fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            work: Notify::new(),
            state: Mutex::default(),
            ready: watch::Sender::new(false),
        }
    }

    /// A panic elsewhere leaves the maps usable: each change is one insertion or removal.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The life of one instance, held by whoever runs its process.
#[derive(Debug)]
pub struct Registration {
    functions: Arc<Functions>,
    function: &'static str,
    /// The instance.
    pub id: InstanceId,
    kill: Arc<Notify>,
}

impl Registration {
    /// Resolves when the process must be killed, as Lambda does after a timeout.
    pub async fn killed(&self) {
        self.kill.notified().await;
    }

    /// Whether the instance got as far as to ask for work.
    pub fn asked_for_work(&self) -> bool {
        self.with_instance(|instance| instance.asked_for_work)
            .unwrap_or_default()
    }

    /// Why the instance said that it could not start.
    pub fn init_error(&self) -> Option<String> {
        self.with_instance(|instance| instance.init_error.clone())
            .flatten()
    }

    fn with_instance<T>(&self, read: impl FnOnce(&Instance) -> T) -> Option<T> {
        let function = self.functions.get(self.function).ok()?;
        function.lock().instances.get(&self.id).map(read)
    }
}

impl Drop for Registration {
    /// The process is gone: the call that it worked on, if any, fails now.
    fn drop(&mut self) {
        if let Ok(function) = self.functions.get(self.function) {
            function.lock().instances.remove(&self.id);
        }
    }
}
