//! The life of one instance, as a value.

use std::sync::Arc;

use tokio::sync::Notify;

use super::{Functions, InstanceId, function::Instance};

/// The life of one instance, held by whoever runs its process. Dropping it says that the process is gone.
#[derive(Debug)]
pub struct Registration {
    functions: Arc<Functions>,
    function: &'static str,
    id: InstanceId,
    kill: Arc<Notify>,
}

impl Registration {
    pub(super) fn new(
        functions: Arc<Functions>,
        function: &'static str,
        id: InstanceId,
        kill: Arc<Notify>,
    ) -> Self {
        Self {
            functions,
            function,
            id,
            kill,
        }
    }

    /// The instance.
    pub fn id(&self) -> InstanceId {
        self.id
    }

    /// Resolves when the process must be killed, as Lambda does after a timeout.
    pub async fn killed(&self) {
        self.kill.notified().await;
    }

    /// Whether the instance got as far as to ask for work.
    pub fn asked_for_work(&self) -> bool {
        self.read(|instance| instance.asked_for_work)
            .unwrap_or_default()
    }

    /// Why the instance said that it could not start.
    pub fn init_error(&self) -> Option<String> {
        self.read(|instance| instance.init_error.clone()).flatten()
    }

    fn read<T>(&self, read: impl FnOnce(&Instance) -> T) -> Option<T> {
        let function = self.functions.get(self.function).ok()?;
        function.with_instance(self.id, |instance| read(instance))
    }
}

impl Drop for Registration {
    /// The call that the process worked on, if any, fails now.
    fn drop(&mut self) {
        if let Ok(function) = self.functions.get(self.function) {
            function.remove(self.id);
        }
    }
}
