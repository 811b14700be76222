//! The function's variables.

use std::path::PathBuf;

use decide_once_dynamodb::TableNames;
use decide_once_service::policies;
use decide_once_service::settings::Settings;
use decide_once_service::variables::{VariableError, required};

/// What the function is told by its environment.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `POLICIES_DIR`: where the policies are packaged.
    pub(crate) policies: PathBuf,
    /// `OPERATIONS_TABLE`, `DECISIONS_TABLE`, `OUTBOX_TABLE`.
    pub(crate) tables: TableNames,
    /// The variables of [`Settings::from_env`], the same as in `decide`.
    pub(crate) settings: Settings,
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, VariableError> {
        Ok(Self {
            policies: required("POLICIES_DIR", policies::WANTED)?,
            tables: TableNames::from_env()?,
            settings: Settings::from_env()?,
        })
    }
}
