//! The function's variables.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use decide_once_dynamodb::TableNames;
use decide_once_service::limits::Rate;
use decide_once_service::profile::Profile;
use decide_once_service::settings::Settings;

use crate::caller::Authority;

/// What the function is told by its environment.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `POLICIES_DIR`: where the policies are packaged.
    pub(crate) policies: PathBuf,
    /// `OPERATIONS_TABLE`, `DECISIONS_TABLE`, `OUTBOX_TABLE`.
    pub(crate) tables: TableNames,
    /// How callers are known, and what they must be allowed.
    pub(crate) authority: Authority,
    /// `CONTRACT_PROFILE`: `default`, which is the default, or `ietf`.
    pub(crate) profile: Profile,
    /// `DEFAULT_WAIT_MS`, `LEASE_CAP_MS`, `EVENT_SOURCE`, `MISMATCH_BUDGET` (a tenant and minute; 0 is none); each has a default. `RATE_PER_SECOND` and
    /// `RATE_BURST` (an instance; the burst is twice the rate by default) are off without.
    pub(crate) settings: Settings,
}

/// A variable is missing or wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("the variable {0} is not set")]
    Missing(&'static str),
    #[error("the variable {0} is not a number of milliseconds")]
    NotMillis(&'static str),
    #[error("the variable {0} is not a whole number; leave it out for its default")]
    NotNumber(&'static str),
    #[error("the variable CONTRACT_PROFILE is neither default nor ietf")]
    NotProfile,
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, ConfigError> {
        let defaults = Settings::default();
        Ok(Self {
            policies: required("POLICIES_DIR")?.into(),
            tables: TableNames {
                operations: required("OPERATIONS_TABLE")?,
                decisions: required("DECISIONS_TABLE")?,
                outbox: required("OUTBOX_TABLE")?,
            },
            authority: Authority::from_env(),
            profile: profile()?,
            settings: Settings {
                lease_cap: millis("LEASE_CAP_MS", defaults.lease_cap)?,
                default_wait: millis("DEFAULT_WAIT_MS", defaults.default_wait)?,
                mismatch_budget: number("MISMATCH_BUDGET")?.unwrap_or(defaults.mismatch_budget),
                rate: rate()?,
                event_source: env::var("EVENT_SOURCE").unwrap_or(defaults.event_source),
            },
        })
    }
}

fn required(name: &'static str) -> Result<String, ConfigError> {
    env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .ok_or(ConfigError::Missing(name))
}

fn profile() -> Result<Profile, ConfigError> {
    match env::var("CONTRACT_PROFILE") {
        Err(_) => Ok(Profile::Default),
        Ok(name) => Profile::parse(&name).ok_or(ConfigError::NotProfile),
    }
}

fn rate() -> Result<Option<Rate>, ConfigError> {
    let burst = number("RATE_BURST")?;
    Ok(number("RATE_PER_SECOND")?.map(|per_second| Rate {
        per_second,
        burst: burst.unwrap_or_else(|| per_second.saturating_mul(2)),
    }))
}

fn number(name: &'static str) -> Result<Option<u32>, ConfigError> {
    match env::var(name) {
        Err(_) => Ok(None),
        Ok(text) => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(ConfigError::NotNumber(name)),
        },
    }
}

fn millis(name: &'static str, default: Duration) -> Result<Duration, ConfigError> {
    match env::var(name) {
        Err(_) => Ok(default),
        Ok(text) => text
            .parse()
            .map(Duration::from_millis)
            .map_err(|_| ConfigError::NotMillis(name)),
    }
}
