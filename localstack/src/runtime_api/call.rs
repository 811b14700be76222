//! One call, from the queue to its answer.

use axum::body::Bytes;
use tokio::{sync::oneshot, task::AbortHandle};
use uuid::Uuid;

use super::{InvokeError, InvokeResult};

/// A call that waits for a free instance.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) payload: Bytes,
    reply: oneshot::Sender<InvokeResult>,
}

impl Call {
    pub(super) fn new(payload: Bytes) -> (Self, oneshot::Receiver<InvokeResult>) {
        let (reply, answer) = oneshot::channel();
        (Self { payload, reply }, answer)
    }

    /// Whether nobody waits for it any longer. Lambda would have started it at once or never, so it never starts.
    pub(super) fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Turns it into the work of an instance. `timer` is what ends the work when the function's time is up.
    pub(super) fn start(self, timer: impl FnOnce(Uuid) -> AbortHandle) -> (InFlight, Bytes) {
        let request_id = Uuid::new_v4();
        let in_flight = InFlight {
            request_id,
            reply: Some(self.reply),
            timer: timer(request_id),
        };
        (in_flight, self.payload)
    }
}

/// A call that an instance works on.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) request_id: Uuid,
    reply: Option<oneshot::Sender<InvokeResult>>,
    timer: AbortHandle,
}

impl InFlight {
    /// Ends the call. A caller that has gone away does not mind.
    pub(super) fn finish(mut self, result: InvokeResult) {
        if let Some(reply) = self.reply.take() {
            let _ = reply.send(result);
        }
    }
}

impl Drop for InFlight {
    /// However a call ends, its timer ends, and its caller hears of it.
    fn drop(&mut self) {
        self.timer.abort();
        if let Some(reply) = self.reply.take() {
            let _ = reply.send(Err(InvokeError::InstanceDied));
        }
    }
}
