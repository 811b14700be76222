//! The event source mapping of Lambda for DynamoDB streams, run locally by AWS's documented rules.
//!
//! No Lambda emulator has one that reports partial failures, retries within limits, bisects and tells a destination
//! (design.md §6). This one does, over the streams API of the engine:
//!
//! ```text
//!   checkpoint ──► GetRecords ──► filters ──► batch ──► function
//!       ▲                           │                      │
//!       ├── passed over ◄───────────┘                      │
//!       ├── done: all, or those before the lowest failed ◄─┤
//!       │                                                  ├─► failed: again, after a wait, in halves if `bisect`
//!       └── given up, on-failure destination told ◄────────┘   until a limit is reached
//! ```
//!
//! Delivery is at least once, in order, one batch at a time. The rules themselves ([`filter`], `answer`, `retry`,
//! `batch`) are pure; `driver` only carries them out.

mod answer;
mod batch;
mod checkpoint;
mod config;
mod destination;
mod driver;
pub mod filter;
mod invoke;
mod reader;
mod record;
mod retry;
mod state;
mod stream;

use http::Uri;
use tokio::sync::watch;

pub use checkpoint::CheckpointStore;
pub use config::{Backoff, InvalidMapping, PumpConfig, StartingPosition};
pub use destination::{BatchInfo, DestinationRecord, RequestContext, ResponseContext};
pub use filter::{FilterError, Filters};
pub use invoke::{Invoke, InvokeError, NoDestination, OnFailure};
pub use retry::RetryPolicy;
pub use state::{PumpHandle, PumpState};

use driver::Driver;
use state::Progress;
use stream::StreamClient;

/// Why a pump cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PumpError {
    /// A setting is out of AWS's limits.
    #[error(transparent)]
    InvalidMapping(#[from] InvalidMapping),
    /// A filter is none.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The endpoint is not a URL.
    #[error("`{0}` is not an endpoint; give it as http://127.0.0.1:PORT")]
    Endpoint(String),
}

/// Starts to feed `function` from the table's stream, which `endpoint` serves. Must be called within a Tokio runtime.
///
/// The table need not be there yet: the pump looks again until it is, and says so in [`PumpState::trouble`].
///
/// # Errors
/// A setting is out of AWS's limits, or the endpoint is not a URL.
pub fn spawn(
    config: PumpConfig,
    endpoint: &str,
    function: impl Invoke,
    on_failure: impl OnFailure,
) -> Result<PumpHandle, PumpError> {
    config.check()?;
    let uri = endpoint
        .parse::<Uri>()
        .ok()
        .filter(|uri| uri.authority().is_some() && uri.scheme().is_some())
        .ok_or_else(|| PumpError::Endpoint(endpoint.to_owned()))?;
    let (progress, watched) = watch::channel(Progress::default());
    let clock = config.clock.clone();
    let client = StreamClient::new(uri, &config.region);
    let driver = Driver {
        config,
        client,
        function,
        on_failure,
        progress,
    };
    Ok(PumpHandle {
        progress: watched,
        clock,
        task: tokio::spawn(driver.run()),
    })
}
