//! A place where a call waits until a test lets it go on.

use std::sync::Arc;

use tokio::sync::watch;

/// Closed at first; once it is open it stays so.
#[derive(Debug, Clone)]
pub struct Gate(Arc<State>);

#[derive(Debug)]
struct State {
    arrived: watch::Sender<usize>,
    open: watch::Sender<bool>,
    finished: watch::Sender<usize>,
}

impl Gate {
    /// A closed gate.
    pub fn closed() -> Self {
        Self(Arc::new(State {
            arrived: watch::Sender::new(0),
            open: watch::Sender::new(false),
            finished: watch::Sender::new(0),
        }))
    }

    /// Lets everybody through.
    pub fn open(&self) {
        self.0.open.send_replace(true);
    }

    /// Returns once somebody has come to the gate.
    pub async fn reached(&self) {
        at_least_one(&self.0.arrived).await;
    }

    /// Returns once what somebody wanted to do behind the gate is done.
    pub async fn done(&self) {
        at_least_one(&self.0.finished).await;
    }

    /// Waits, then does what is to be done behind the gate.
    pub async fn pass<T>(&self, then: impl Future<Output = T>) -> T {
        self.0.arrived.send_modify(|arrived| *arrived += 1);
        // The sender is `self`'s own.
        let _ = self.0.open.subscribe().wait_for(|open| *open).await;
        let result = then.await;
        self.0.finished.send_modify(|finished| *finished += 1);
        result
    }
}

async fn at_least_one(count: &watch::Sender<usize>) {
    let _ = count.subscribe().wait_for(|count| *count > 0).await;
}
