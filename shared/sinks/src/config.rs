//! Which sink it is, from the variables: read at the start, with an error that names the one that is missing or wrong.

use std::num::{NonZeroU64, NonZeroUsize};
use std::str::FromStr;
use std::time::Duration;

use decide_once_service::destination::{Destination, event_bridge_source};
use decide_once_service::variables::{VariableError, optional, required};

use crate::http::Secrets;
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
    EventBridge {
        bus: String,
        source: String,
        limits: Limits,
    },
    /// `SINK_TOPIC_ARN`.
    Sns { topic: String, limits: Limits },
    /// `SINK_QUEUE_URL`.
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
    #[error("SINK names kafka, which is not in this binary; build it with the feature kafka")]
    NoKafka,
}

impl SinkConfig {
    /// What `SINK` and the variables of that kind say.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn from_env() -> Result<Self, ConfigError> {
        let kind = match Destination::from_env()? {
            Destination::Http => Kind::Http {
                url: required("SINK_URL")?,
                secrets: optional("SINK_WEBHOOK_SECRETS", "whsec_ secrets, apart by spaces")?,
            },
            Destination::EventBridge => Kind::EventBridge {
                bus: required("SINK_EVENT_BUS")?,
                source: event_bridge_source()?,
                limits: limits()?,
            },
            Destination::Sns => Kind::Sns {
                topic: required("SINK_TOPIC_ARN")?,
                limits: limits()?,
            },
            Destination::Sqs => Kind::Sqs {
                queue: required("SINK_QUEUE_URL")?,
                limits: limits()?,
            },
            #[cfg(feature = "kafka")]
            Destination::Kafka => Kind::Kafka {
                brokers: required("SINK_BROKERS")?,
                topic: required("SINK_TOPIC")?,
            },
            #[cfg(not(feature = "kafka"))]
            Destination::Kafka => return Err(ConfigError::NoKafka),
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

/// `SINK_BATCH_ENTRIES` and `SINK_BATCH_BYTES`: what one request takes.
fn limits() -> Result<Limits, VariableError> {
    let defaults = Limits::default();
    let entries: Option<Entries> = optional("SINK_BATCH_ENTRIES", "a number from 1 to 10")?;
    let bytes: Option<NonZeroUsize> = optional("SINK_BATCH_BYTES", "a number of bytes above 0")?;
    Ok(Limits {
        entries: entries.map_or(defaults.entries, |Entries(entries)| entries),
        bytes: bytes.map_or(defaults.bytes, NonZeroUsize::get),
    })
}

/// As many as a request takes.
struct Entries(NonZeroUsize);

impl FromStr for Entries {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let entries: NonZeroUsize = text.parse().map_err(|_| ())?;
        if entries.get() > Limits::MOST_ENTRIES {
            return Err(());
        }
        Ok(Self(entries))
    }
}
