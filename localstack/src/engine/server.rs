//! Serves the engine on a thread of its own.
//!
//! The engine blocks its thread for as long as a call runs, and runs one call at a time; on the stack's own runtime
//! that would hold up requests that have nothing to do with the store.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dynoxide::Database;
use tokio::runtime;
use tokio::sync::oneshot;

use super::error::EngineError;

/// How often expired items are deleted without being asked: often enough to watch it happen, rare enough not to matter.
pub const TTL_SWEEP_EVERY: Duration = Duration::from_secs(10);

/// How long running calls may take to finish at a shutdown: a client that has sent half a request must not hold it for
/// ever.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(3);

/// The serving thread.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    stop: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
}

impl Server {
    pub(super) fn start(db: Database) -> Result<Self, EngineError> {
        Self::spawn(db).map_err(EngineError::Serve)
    }

    fn spawn(db: Database) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (stop, stop_asked) = oneshot::channel();
        let (report_stopped, stopped) = oneshot::channel();
        thread::Builder::new()
            .name("dynamodb-engine".into())
            .spawn(move || {
                runtime.block_on(serve(listener, db, stop_asked));
                runtime.shutdown_timeout(SHUTDOWN_LIMIT);
                let _ = report_stopped.send(());
            })?;
        Ok(Self {
            address,
            running: Mutex::new(Some(Running { stop, stopped })),
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) async fn stop(&self) {
        let running = self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(Running { stop, stopped }) = running {
            // Either side may be gone already: then it has stopped.
            let _ = stop.send(());
            let _ = stopped.await;
        }
    }
}

/// Serves until `stop_asked` resolves, also because its sender was dropped with the `Server`.
async fn serve(listener: TcpListener, db: Database, stop_asked: oneshot::Receiver<()>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(%error, "the embedded database cannot be served");
            return;
        }
    };
    let sweeps = tokio::spawn(sweep_periodically(db.clone()));
    let (stopping, stop_seen) = oneshot::channel();
    let serving = dynoxide::server::serve_with_shutdown(listener, db, async {
        let _ = stop_asked.await;
        let _ = stopping.send(());
    });
    tokio::select! {
        result = serving => if let Err(error) = result {
            tracing::error!(%error, "the embedded database stopped serving");
        },
        () = async {
            let _ = stop_seen.await;
            tokio::time::sleep(SHUTDOWN_LIMIT).await;
        } => tracing::warn!("a call to the embedded database did not finish before the shutdown"),
    }
    sweeps.abort();
}

async fn sweep_periodically(db: Database) {
    loop {
        tokio::time::sleep(TTL_SWEEP_EVERY).await;
        let db = db.clone();
        match tokio::task::spawn_blocking(move || db.sweep_ttl()).await {
            Ok(Ok(deleted)) => tracing::debug!(deleted, "swept items past their TTL"),
            Ok(Err(error)) => {
                tracing::warn!(%error, "items past their TTL stay until the next sweep")
            }
            Err(error) => tracing::error!(%error, "the TTL sweep panicked"),
        }
    }
}
