//! The function's variables.

use std::env;
use std::time::Duration;

use decide_once_dynamodb::TableNames;
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
    #[error("the variable {0} is not set")]
    Missing(&'static str),
    #[error("the variable {0} is not a number of milliseconds above 0")]
    NotMillis(&'static str),
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
            sink_timeout: millis("SINK_TIMEOUT_MS", DEFAULT_TIMEOUT)?,
        })
    }
}

fn required(name: &'static str) -> Result<String, ConfigError> {
    env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .ok_or(ConfigError::Missing(name))
}

fn millis(name: &'static str, default: Duration) -> Result<Duration, ConfigError> {
    match env::var(name) {
        Err(_) => Ok(default),
        Ok(text) => text
            .parse()
            .ok()
            .filter(|millis| *millis > 0)
            .map(Duration::from_millis)
            .ok_or(ConfigError::NotMillis(name)),
    }
}
