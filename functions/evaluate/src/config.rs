//! The function's variables.

use std::env;
use std::path::PathBuf;

use decide_once_dynamodb::TableNames;
use decide_once_service::settings::Settings;
use decide_once_service::variables::{VariableError, millis, required};

/// What the function is told by its environment.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `POLICIES_DIR`: where the policies are packaged.
    pub(crate) policies: PathBuf,
    /// `OPERATIONS_TABLE`, `DECISIONS_TABLE`, `OUTBOX_TABLE`.
    pub(crate) tables: TableNames,
    /// `LEASE_CAP_MS`, `EVENT_SOURCE`; each has a default, and the same value as in `decide`.
    pub(crate) settings: Settings,
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, VariableError> {
        let defaults = Settings::default();
        Ok(Self {
            policies: required("POLICIES_DIR")?.into(),
            tables: TableNames {
                operations: required("OPERATIONS_TABLE")?,
                decisions: required("DECISIONS_TABLE")?,
                outbox: required("OUTBOX_TABLE")?,
            },
            settings: Settings {
                lease_cap: millis("LEASE_CAP_MS", defaults.lease_cap)?,
                event_source: env::var("EVENT_SOURCE").unwrap_or(defaults.event_source),
                ..Settings::default()
            },
        })
    }
}
