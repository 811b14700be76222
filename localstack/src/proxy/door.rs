//! The proxy's port: open, or refusing connections as the port of a store does that is away.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

/// How many connections wait to be accepted.
const BACKLOG: u32 = 1_024;

/// A port that stays this proxy's whether anybody listens at it or not.
#[derive(Debug)]
pub(super) struct Door {
    /// Bound and never listening: with it nobody else is given the port, and without a listener beside it connections are refused.
    reserved: TcpSocket,
    is_open: watch::Sender<bool>,
}

impl Door {
    /// A free port, open.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            reserved: socket(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?,
            is_open: watch::Sender::new(true),
        })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.reserved.local_addr()
    }

    /// Whoever accepts at it listens until the door is to be shut.
    pub(super) fn listen(&self) -> io::Result<TcpListener> {
        socket(self.address()?)?.listen(BACKLOG)
    }

    /// Returns once it is open, or shut.
    pub(super) async fn is(&self, open: bool) {
        // It fails when the sender is gone, which is here.
        let _ = self.is_open.subscribe().wait_for(|now| *now == open).await;
    }

    pub(super) fn set_open(&self, open: bool) {
        self.is_open.send_replace(open);
    }
}

/// A socket that shares its address with this process's others.
fn socket(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    Ok(socket)
}
