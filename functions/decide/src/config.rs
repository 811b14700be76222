//! The function's variables.

use std::path::PathBuf;
use std::str::FromStr;

use decide_once_dynamodb::TableNames;
use decide_once_service::policies;
use decide_once_service::profile::Profile;
use decide_once_service::settings::Settings;
use decide_once_service::variables::{Malformed, NUMBER, VariableError, optional, required};

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
    /// The variables of [`Settings::from_env`].
    pub(crate) settings: Settings,
    /// `ANSWER_CACHE_ENTRIES`: how many finished operations an instance remembers; none by default.
    pub(crate) answer_cache: u32,
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, VariableError> {
        Ok(Self {
            policies: required("POLICIES_DIR", policies::WANTED)?,
            tables: TableNames::from_env()?,
            authority: Authority::from_env()?,
            profile: profile()?,
            settings: Settings::from_env()?,
            answer_cache: optional("ANSWER_CACHE_ENTRIES", NUMBER)?.unwrap_or(0),
        })
    }
}

/// `CONTRACT_PROFILE`.
struct Named(Profile);

impl FromStr for Named {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        Profile::parse(text).map(Self).ok_or(Malformed)
    }
}

fn profile() -> Result<Profile, VariableError> {
    let named: Option<Named> = optional("CONTRACT_PROFILE", "`default` or `ietf`")?;
    Ok(named.map_or(Profile::Default, |Named(profile)| profile))
}
