//! The function's variables.

use std::env;
use std::path::PathBuf;

use decide_once_dynamodb::TableNames;
use decide_once_service::destination::event_limit;
use decide_once_service::limits::Rate;
use decide_once_service::profile::Profile;
use decide_once_service::settings::Settings;
use decide_once_service::variables::{VariableError, millis, optional, required};

use crate::caller::Authority;

const NUMBER: &str = "a whole number";

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
    /// `DEFAULT_WAIT_MS`, `LEASE_CAP_MS`, `QUEUE_PATIENCE_MS`, `EVENT_SOURCE`, `MISMATCH_BUDGET` (a tenant and minute; 0 is none); each has a default, and `EVENT_LIMIT_BYTES`, for the `SINK` that the
    /// publish function is given. `RATE_PER_SECOND` and
    /// `RATE_BURST` (an instance; the burst is twice the rate by default) are off without.
    pub(crate) settings: Settings,
    /// `ANSWER_CACHE_ENTRIES`: how many finished operations an instance remembers; none by default.
    pub(crate) answer_cache: u32,
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
            authority: Authority::from_env(),
            profile: profile()?,
            settings: Settings {
                lease_cap: millis("LEASE_CAP_MS", defaults.lease_cap)?,
                default_wait: millis("DEFAULT_WAIT_MS", defaults.default_wait)?,
                queue_patience: millis("QUEUE_PATIENCE_MS", defaults.queue_patience)?,
                mismatch_budget: optional("MISMATCH_BUDGET", NUMBER)?
                    .unwrap_or(defaults.mismatch_budget),
                rate: rate()?,
                event_source: env::var("EVENT_SOURCE").unwrap_or(defaults.event_source),
                event_limit: event_limit()?,
            },
            answer_cache: optional("ANSWER_CACHE_ENTRIES", NUMBER)?.unwrap_or(0),
        })
    }
}

fn profile() -> Result<Profile, VariableError> {
    let name = "CONTRACT_PROFILE";
    let unusable = VariableError::Unusable {
        name,
        wanted: "`default` or `ietf`",
    };
    match env::var(name) {
        Err(_) => Ok(Profile::Default),
        Ok(text) => Profile::parse(&text).ok_or(unusable),
    }
}

fn rate() -> Result<Option<Rate>, VariableError> {
    let burst: Option<u32> = optional("RATE_BURST", NUMBER)?;
    let per_second: Option<u32> = optional("RATE_PER_SECOND", NUMBER)?;
    Ok(per_second.map(|per_second| Rate {
        per_second,
        burst: burst.unwrap_or_else(|| per_second.saturating_mul(2)),
    }))
}
