//! The function's variables.

use std::time::Duration;

use decide_once_client::{EndpointError, HttpTransport};
use decide_once_dynamodb::TableName;
use decide_once_protocol::inbox::{ConsumerName, MarkRetention, TooShort};
use decide_once_protocol::scope::NameError;
use decide_once_service::variables::{NUMBER, VariableError, optional, required};

/// How long the desk may take. Its answer is awaited within a claim.
const DESK_TIMEOUT: Duration = Duration::from_secs(5);

/// What the function is told by its environment.
#[derive(Debug)]
pub(crate) struct Config {
    /// `INBOX_TABLE`: the marks.
    pub(crate) inbox: String,
    /// `BALANCES_TABLE`: what the effects change.
    pub(crate) balances: String,
    /// `CONSUMER_NAME`. Another name is another consumer, to which every event is new.
    pub(crate) name: ConsumerName,
    /// `MARK_RETENTION_HOURS`, not less than `LONGEST_REDRIVE_HOURS`; both have a default.
    pub(crate) retention: MarkRetention,
    /// `REVIEW_DESK_URL`: who is told of reviews. Without it nobody is.
    pub(crate) desk: Option<HttpTransport>,
}

/// A variable is missing or wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    Variable(#[from] VariableError),
    #[error("the variable CONSUMER_NAME cannot be used: {0}")]
    Name(#[from] NameError),
    #[error("MARK_RETENTION_HOURS is less than LONGEST_REDRIVE_HOURS: {0}")]
    Retention(#[from] TooShort),
    #[error("the variable REVIEW_DESK_URL cannot be used: {0}")]
    Desk(#[from] EndpointError),
}

impl Config {
    pub(crate) fn from_env() -> Result<Self, ConfigError> {
        let name: Option<String> = optional("CONSUMER_NAME", "a name")?;
        let desk: Option<String> = optional("REVIEW_DESK_URL", "an URL")?;
        let desk = desk.filter(|url| !url.is_empty());
        Ok(Self {
            inbox: required::<TableName>("INBOX_TABLE", TableName::WANTED)?.0,
            balances: required::<TableName>("BALANCES_TABLE", TableName::WANTED)?.0,
            name: ConsumerName::parse(name.as_deref().unwrap_or("balances"))?,
            retention: retention()?,
            desk: desk
                .map(|url| HttpTransport::new(&url, DESK_TIMEOUT))
                .transpose()?,
        })
    }
}

fn retention() -> Result<MarkRetention, ConfigError> {
    let redrive = hours("LONGEST_REDRIVE_HOURS")?.unwrap_or(MarkRetention::LONGEST_REDRIVE);
    let kept = hours("MARK_RETENTION_HOURS")?.unwrap_or(MarkRetention::DEFAULT.kept());
    Ok(MarkRetention::new(kept, redrive)?)
}

fn hours(name: &'static str) -> Result<Option<Duration>, VariableError> {
    let hours: Option<u32> = optional(name, NUMBER)?;
    Ok(hours.map(|hours| Duration::from_secs(u64::from(hours) * 3_600)))
}
