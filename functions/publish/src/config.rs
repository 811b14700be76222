//! The function's variables.

use std::num::NonZeroU64;
use std::time::Duration;

use decide_once_dynamodb::TableNames;
use decide_once_service::variables::{VariableError, optional, required};
use decide_once_sinks::SinkError;
use decide_once_sinks::http::DEFAULT_TIMEOUT;

/// What the function is told by its environment.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `OUTBOX_TABLE`. The other tables are none of this function's, and it has no permission for them.
    pub(crate) tables: TableNames,
    /// `SINK_URL`: where events are posted to.
    pub(crate) sink_url: String,
    /// `SINK_TIMEOUT_MS`: how long the sink may take to answer; it has a default.
    pub(crate) sink_timeout: Duration,
}

/// A variable is missing or wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    Variable(#[from] VariableError),
    #[error("the variable SINK_URL cannot be used: {0}")]
    Sink(#[from] SinkError),
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            tables: TableNames {
                outbox: required("OUTBOX_TABLE")?,
                ..TableNames::default()
            },
            sink_url: required("SINK_URL")?,
            sink_timeout: sink_timeout()?,
        })
    }
}

/// A sink that may take no time at all could acknowledge nothing.
fn sink_timeout() -> Result<Duration, VariableError> {
    let (name, wanted) = ("SINK_TIMEOUT_MS", "a number of milliseconds above 0");
    let millis: Option<NonZeroU64> = optional(name, wanted)?;
    Ok(millis.map_or(DEFAULT_TIMEOUT, |millis| {
        Duration::from_millis(millis.get())
    }))
}
