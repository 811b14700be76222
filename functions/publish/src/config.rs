//! The function's variables.

use decide_once_dynamodb::client::CALL_TIMEOUT;
use decide_once_dynamodb::{TableName, TableNames};
use decide_once_service::publish::Pace;
use decide_once_service::variables::{VariableError, required};
use decide_once_sinks::{ConfigError as SinkConfigError, SinkConfig};

/// What the function is told by its environment.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `OUTBOX_TABLE`. The other tables are none of this function's, and it has no permission for them.
    pub(crate) tables: TableNames,
    /// `SINK`, and what that kind of sink needs: docs/sinks.md.
    pub(crate) sink: SinkConfig,
    /// `SINK_CONCURRENCY`, `SINK_ATTEMPTS`, `SINK_COOL_DOWN_MS`; each has a default.
    pub(crate) pace: Pace,
}

/// A variable is missing or wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    Variable(#[from] VariableError),
    #[error(transparent)]
    Sink(#[from] SinkConfigError),
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, ConfigError> {
        let tables = TableNames {
            outbox: required::<TableName>("OUTBOX_TABLE", TableName::WANTED)?.0,
            ..TableNames::default()
        };
        let sink = SinkConfig::from_env()?;
        Ok(Self {
            tables,
            pace: Pace::from_env(sink.timeout + CALL_TIMEOUT)?,
            sink,
        })
    }
}
