//! All functions, by name, and their instances, by number.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::body::Bytes;
use tokio::{sync::oneshot, task::AbortHandle};
use uuid::Uuid;

use super::{
    InvokeError, InvokeResult, Load, Registration,
    function::{Assignment, Function, Instance, Work},
};

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

/// All functions of the stack.
#[derive(Debug)]
pub struct Functions {
    by_name: BTreeMap<&'static str, Function>,
    next_instance: AtomicU64,
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
        let (name, entry) = self
            .by_name
            .get_key_value(function)
            .ok_or(InvokeError::UnknownFunction)?;
        let id = InstanceId(self.next_instance.fetch_add(1, Ordering::Relaxed));
        let instance = Instance::default();
        let kill = Arc::clone(&instance.kill);
        entry.add(id, instance);
        Ok(Registration::new(Arc::clone(self), name, id, kill))
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
            .map(|(name, function)| (*name, function.load()))
            .collect()
    }

    pub(super) fn enqueue(
        &self,
        function: &str,
        payload: Bytes,
    ) -> Result<oneshot::Receiver<InvokeResult>, InvokeError> {
        self.get(function)?.enqueue(payload)
    }

    /// Waits for work for `instance`. `None`: there is no such instance (any longer), so its process must not work.
    pub(super) async fn next(
        self: &Arc<Self>,
        function: &str,
        instance: InstanceId,
    ) -> Option<Assignment> {
        let entry = self.get(function).ok()?;
        loop {
            let timer = |request, limit| self.start_timer(function, instance, request, limit);
            match entry.take(instance, timer) {
                Work::Assigned(assignment) => return Some(assignment),
                Work::NothingYet => entry.work.notified().await,
                Work::NotForIt => return None,
            }
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
        self.get(function)
            .is_ok_and(|function| function.finish(instance, request, result))
    }

    /// Keeps why `instance` says that it cannot start.
    pub(super) fn init_failed(&self, function: &str, instance: InstanceId, message: String) {
        if let Ok(function) = self.get(function) {
            function.with_instance(instance, |instance| instance.init_error = Some(message));
        }
    }

    fn start_timer(
        self: &Arc<Self>,
        function: &str,
        instance: InstanceId,
        request: Uuid,
        limit: Duration,
    ) -> AbortHandle {
        let functions = Arc::clone(self);
        let function = function.to_owned();
        let timer = async move {
            tokio::time::sleep(limit).await;
            let Ok(function) = functions.get(&function) else {
                return;
            };
            if function.finish(instance, request, Err(InvokeError::TimedOut)) {
                function.with_instance(instance, |instance| instance.kill.notify_one());
            }
        };
        tokio::spawn(timer).abort_handle()
    }

    pub(super) fn get(&self, function: &str) -> Result<&Function, InvokeError> {
        self.by_name
            .get(function)
            .ok_or(InvokeError::UnknownFunction)
    }
}
