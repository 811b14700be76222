//! A loopback proxy before the engine: it counts calls by API operation and, when armed, answers as a store in trouble
//! would.
//!
//! The engine itself neither counts nor fails (design.md §6). The proxy speaks plain HTTP/1.1 on both sides and knows
//! only the `X-Amz-Target` header, so that any AWS SDK runs against it unchanged; what the SDK retries, it retries here
//! as well.

mod answer;
mod armed;
mod counts;
mod cut;
mod door;
mod fault;
mod forward;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::task::JoinHandle;

pub use armed::ImpossibleFault;
pub use counts::{Call, Calls, Counted, Mark};
pub use fault::{ApiCall, Fault, StoreFault};

use armed::Armed;
use counts::Counts;
use door::Door;
use forward::Upstream;

/// A running proxy. Dropping it closes its port and every connection.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

/// What every connection shares.
#[derive(Debug)]
struct State {
    upstream: Upstream,
    counts: Counts,
    armed: Armed,
    door: Door,
}

impl Proxy {
    /// Starts a proxy on a free loopback port, before the engine at `upstream` (as `http://127.0.0.1:41234`).
    ///
    /// # Errors
    /// No loopback port is free, or `upstream` is not a URL with host and port.
    pub async fn start(upstream: &str) -> io::Result<Self> {
        let upstream = Upstream::new(upstream)?;
        let door = Door::new()?;
        let address = door.address()?;
        // At once: whoever is told the endpoint finds it open.
        let listener = door.listen()?;
        let state = Arc::new(State {
            upstream,
            counts: Counts::default(),
            armed: Armed::default(),
            door,
        });
        let accepting = tokio::spawn(forward::accept(listener, Arc::clone(&state)));
        Ok(Self {
            address,
            state,
            accepting,
        })
    }

    /// Base URL for the SDK's endpoint setting.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes the next matching calls fail. Faults apply in the order in which they were armed.
    ///
    /// # Errors
    /// DynamoDB cannot answer this call with this fault.
    pub fn arm(&self, fault: StoreFault) -> Result<(), ImpossibleFault> {
        self.state.armed.arm(fault)
    }

    /// Disarms everything that has not been used up.
    pub fn clear(&self) {
        self.state.armed.clear();
    }

    /// How many matching calls the armed faults still wait for.
    pub fn pending_faults(&self) -> u64 {
        self.state.armed.pending()
    }

    /// Goes away: connections break off, in the middle of their calls too, and new ones are refused. Or comes back.
    pub fn set_away(&self, away: bool) {
        self.state.door.set_open(!away);
    }

    /// A point in time to count from.
    pub fn mark(&self) -> Mark {
        self.state.counts.mark()
    }

    /// The calls that arrived after `mark`.
    pub fn since(&self, mark: &Mark) -> Calls {
        self.state.counts.since(mark)
    }

    /// The calls that arrived since the start.
    pub fn since_start(&self) -> Calls {
        self.state.counts.since(&Mark::default())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // The connections belong to the accepting task and end with it.
        self.accepting.abort();
    }
}
