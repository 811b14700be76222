//! The function's variables.

use std::path::PathBuf;

use decide_once_dynamodb::TableNames;
use decide_once_protocol::scope::{NameError, Tenant};
use decide_once_service::policies;
use decide_once_service::settings::Settings;
use decide_once_service::variables::{Url, VariableError, optional, required};

/// What the function is told by its environment.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `POLICIES_DIR`: where the policies are packaged.
    pub(crate) policies: PathBuf,
    /// `OPERATIONS_TABLE`, `DECISIONS_TABLE`, `OUTBOX_TABLE`.
    pub(crate) tables: TableNames,
    /// The variables of [`Settings::from_env`], the same as in `decide`.
    pub(crate) settings: Settings,
    /// `INTAKE_TENANT`: whose requests come from this queue or bus. Who may send there is a matter of its policy; what a message says of itself
    /// is believed by nobody.
    pub(crate) tenant: Tenant,
    /// `INTAKE_KEY_POINTER`: where the key of a bus's event is in its detail; without it the event's own id is the key.
    pub(crate) key_pointer: Option<String>,
    /// `DEAD_LETTER_QUEUE_URL`: where refused messages go, with their Problem Details.
    pub(crate) dead_letters: String,
}

/// A variable is missing or wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    Variable(#[from] VariableError),
    #[error(
        "the variable INTAKE_TENANT cannot be used: {0}; set it to the tenant whose requests come from here"
    )]
    Tenant(#[from] NameError),
    #[error(
        "the variable INTAKE_KEY_POINTER is not a JSON Pointer, which begins with /; leave it out for the event's own id"
    )]
    KeyPointer,
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, ConfigError> {
        let key_pointer: Option<String> = optional("INTAKE_KEY_POINTER", "a JSON Pointer")?;
        if key_pointer
            .as_ref()
            .is_some_and(|pointer| !pointer.starts_with('/'))
        {
            return Err(ConfigError::KeyPointer);
        }
        Ok(Self {
            policies: required("POLICIES_DIR", policies::WANTED)?,
            tables: TableNames::from_env()?,
            settings: Settings::from_env()?,
            tenant: Tenant::parse(&required::<String>(
                "INTAKE_TENANT",
                "the tenant whose requests come from here",
            )?)?,
            key_pointer,
            dead_letters: required::<Url>("DEAD_LETTER_QUEUE_URL", Url::WANTED)?.0,
        })
    }
}
