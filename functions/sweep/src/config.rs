//! The function's variables.

use std::path::PathBuf;
use std::time::Duration;

use decide_once_dynamodb::TableNames;
use decide_once_dynamodb::client::CALL_TIMEOUT;
use decide_once_service::policies;
use decide_once_service::publish::Pace;
use decide_once_service::settings::Settings;
use decide_once_service::sweep::MARGIN;
use decide_once_service::variables::{VariableError, millis, required};
use decide_once_sinks::{ConfigError as SinkConfigError, SinkConfig};

/// What the function is told by its environment: what evaluate and publish are told, and its own.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `POLICIES_DIR`: where the policies are packaged.
    pub(crate) policies: PathBuf,
    /// `OPERATIONS_TABLE`, `DECISIONS_TABLE`, `OUTBOX_TABLE`.
    pub(crate) tables: TableNames,
    /// The variables of [`Settings::from_env`], the same as in `decide`.
    pub(crate) settings: Settings,
    /// `SINK`, and what that kind of sink needs: docs/sinks.md.
    pub(crate) sink: SinkConfig,
    /// `SINK_CONCURRENCY`, `SINK_ATTEMPTS`, `SINK_COOL_DOWN_MS`; each has a default.
    pub(crate) pace: Pace,
    /// `SWEEP_MARGIN_MS`: how old something is before it is taken up; a minute by default.
    pub(crate) margin: Duration,
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
        let policies = required("POLICIES_DIR", policies::WANTED)?;
        let tables = TableNames::from_env()?;
        let sink = SinkConfig::from_env()?;
        Ok(Self {
            policies,
            tables,
            settings: Settings::from_env()?,
            pace: Pace::from_env(sink.timeout + CALL_TIMEOUT)?,
            sink,
            margin: millis("SWEEP_MARGIN_MS", MARGIN)?,
        })
    }
}
