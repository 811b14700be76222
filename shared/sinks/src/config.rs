//! Which sink it is, from the variables: read at the start, with an error that names the one that is missing or wrong.

use std::num::NonZeroU64;
use std::time::Duration;

use decide_once_service::destination::Destination;
#[cfg(feature = "eventbridge")]
use decide_once_service::destination::event_bridge_source;
#[cfg(feature = "sns")]
use decide_once_service::variables::Arn;
use decide_once_service::variables::{Url, VariableError, optional, required};

use crate::http::Secrets;
#[cfg(feature = "aws")]
use crate::requests::Limits;

/// How long a sink may take to answer, unless its operator says otherwise: some tens of times what a healthy one takes,
/// and short enough that a batch meets a dead one without running into the function's own timeout.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// A sink, as the environment names it.
#[derive(Clone, Debug)]
pub struct SinkConfig {
    /// `SINK_TIMEOUT_MS`: how long a request may take.
    pub timeout: Duration,
    pub(crate) kind: Kind,
}

/// What each kind of sink needs.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// `SINK_URL`, and `SINK_WEBHOOK_SECRETS` if requests are to be signed.
    Http {
        url: String,
        secrets: Option<Secrets>,
    },
    /// `SINK_EVENT_BUS`, a name or an ARN, and `SINK_EVENT_SOURCE`, which has a default.
    #[cfg(feature = "eventbridge")]
    EventBridge {
        bus: String,
        source: String,
        limits: Limits,
    },
    /// `SINK_TOPIC_ARN`.
    #[cfg(feature = "sns")]
    Sns { topic: String, limits: Limits },
    /// `SINK_QUEUE_URL`.
    #[cfg(feature = "sqs")]
    Sqs { queue: String, limits: Limits },
    /// `SINK_BROKERS`, as `host:port` apart by commas, and `SINK_TOPIC`.
    #[cfg(feature = "kafka")]
    Kafka { brokers: String, topic: String },
}

/// The variables name no sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// One is missing or wrong.
    #[error(transparent)]
    Variable(#[from] VariableError),
    /// It is not in this binary.
    #[error("SINK names {0}, which is not in this binary; build it with the feature {0}")]
    NotBuiltIn(&'static str),
}

impl SinkConfig {
    /// What `SINK` and the variables of that kind say.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn from_env() -> Result<Self, ConfigError> {
        let kind = match Destination::from_env()? {
            Destination::Http => Kind::Http {
                url: required::<Url>("SINK_URL", Url::WANTED)?.0,
                secrets: optional("SINK_WEBHOOK_SECRETS", "whsec_ secrets, apart by spaces")?,
            },
            #[cfg(feature = "eventbridge")]
            Destination::EventBridge => Kind::EventBridge {
                bus: required("SINK_EVENT_BUS", "the name or the ARN of an event bus")?,
                source: event_bridge_source()?,
                limits: Limits::from_env()?,
            },
            #[cfg(not(feature = "eventbridge"))]
            Destination::EventBridge => return Err(ConfigError::NotBuiltIn("eventbridge")),
            #[cfg(feature = "sns")]
            Destination::Sns => Kind::Sns {
                topic: required::<Arn>("SINK_TOPIC_ARN", Arn::WANTED)?.0,
                limits: Limits::from_env()?,
            },
            #[cfg(not(feature = "sns"))]
            Destination::Sns => return Err(ConfigError::NotBuiltIn("sns")),
            #[cfg(feature = "sqs")]
            Destination::Sqs => Kind::Sqs {
                queue: required::<Url>("SINK_QUEUE_URL", Url::WANTED)?.0,
                limits: Limits::from_env()?,
            },
            #[cfg(not(feature = "sqs"))]
            Destination::Sqs => return Err(ConfigError::NotBuiltIn("sqs")),
            #[cfg(feature = "kafka")]
            Destination::Kafka => Kind::Kafka {
                brokers: required("SINK_BROKERS", "host:port, apart by commas")?,
                topic: required("SINK_TOPIC", "the name of a topic")?,
            },
            #[cfg(not(feature = "kafka"))]
            Destination::Kafka => return Err(ConfigError::NotBuiltIn("kafka")),
        };
        // A sink that may take no time at all could acknowledge nothing.
        let millis = "a number of milliseconds above 0";
        let timeout: Option<NonZeroU64> = optional("SINK_TIMEOUT_MS", millis)?;
        let timeout = timeout.map_or(DEFAULT_TIMEOUT, |timeout| {
            Duration::from_millis(timeout.get())
        });
        Ok(Self { timeout, kind })
    }
}
