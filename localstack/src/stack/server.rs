//! The HTTP servers of the stack: on loopback, and with an end.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use axum::Router;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

/// An HTTP server. Dropping it stops it after the requests that are under way.
#[derive(Debug)]
pub(super) struct Server {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Server {
    pub(super) fn start(listener: TcpListener, router: Router) -> Self {
        let (stop, stopping) = oneshot::channel();
        let task = tokio::spawn(async move {
            let served = axum::serve(listener, router).with_graceful_shutdown(async {
                let _ = stopping.await; // dropped or sent, it is the end
            });
            if let Err(error) = served.await {
                tracing::error!(%error, "an HTTP server of the stack ended");
            }
        });
        Self { stop, task }
    }

    /// Accepts no more and gives what is under way this long.
    pub(super) async fn stop(self, limit: Duration) {
        let _ = self.stop.send(());
        let task = self.task.abort_handle();
        if tokio::time::timeout(limit, self.task).await.is_err() {
            task.abort();
        }
    }
}

/// On loopback only.
pub(super) async fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}
