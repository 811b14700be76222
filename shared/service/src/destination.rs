//! Which kind of sink events go to: what the functions that make events and those that send them must agree on.

use std::num::NonZeroUsize;
use std::str::FromStr;

use decide_once_protocol::envelope::{Envelope, EventLimit};

use crate::variables::{VariableError, optional};

/// The `Source` of EventBridge's entries, unless the operator names another. The CloudEvents source, which names the tenant,
/// is in the event.
pub const EVENT_BRIDGE_SOURCE: &str = "decide-once";

/// A kind of sink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    /// A POST for each event.
    #[default]
    Http,
    /// An event bus.
    EventBridge,
    /// A topic of SNS.
    Sns,
    /// A queue of SQS.
    Sqs,
    /// A topic of Kafka, in binaries that are built with it.
    Kafka,
}

/// A name that no sink has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such sink; use http, eventbridge, sns, sqs or kafka")]
pub struct UnknownSink;

impl FromStr for Destination {
    type Err = UnknownSink;

    fn from_str(name: &str) -> Result<Self, UnknownSink> {
        match name {
            "http" => Ok(Self::Http),
            "eventbridge" => Ok(Self::EventBridge),
            "sns" => Ok(Self::Sns),
            "sqs" => Ok(Self::Sqs),
            "kafka" => Ok(Self::Kafka),
            _ => Err(UnknownSink),
        }
    }
}

impl Destination {
    /// What `SINK` names; HTTP without.
    ///
    /// # Errors
    /// It names none.
    pub fn from_env() -> Result<Self, VariableError> {
        let named = optional("SINK", "one of http, eventbridge, sns, sqs, kafka")?;
        Ok(named.unwrap_or_default())
    }

    /// What goes around an event there; `source` is that of EventBridge's entries.
    #[must_use]
    pub const fn envelope(self, source: &str) -> Envelope {
        match self {
            Self::EventBridge => Envelope::EventBridge {
                source: source.len(),
            },
            Self::Sns | Self::Sqs => Envelope::Message,
            Self::Http | Self::Kafka => Envelope::None,
        }
    }
}

/// `SINK_EVENT_SOURCE`: the `Source` of EventBridge's entries.
///
/// # Errors
/// It is set to something that EventBridge takes from nobody but AWS's own services, or not at all.
pub fn event_bridge_source() -> Result<String, VariableError> {
    let wanted = "up to 256 of A-Z a-z 0-9 / . - _, not beginning with aws.";
    let named: Option<EntrySource> = optional("SINK_EVENT_SOURCE", wanted)?;
    Ok(named.map_or_else(|| EVENT_BRIDGE_SOURCE.to_owned(), |EntrySource(name)| name))
}

/// `EVENT_LIMIT_BYTES`: how large an event may be in the envelope of `SINK`.
///
/// # Errors
/// A variable is wrong.
pub fn event_limit() -> Result<EventLimit, VariableError> {
    let bytes: Option<NonZeroUsize> = optional("EVENT_LIMIT_BYTES", "a number of bytes above 0")?;
    Ok(EventLimit {
        bytes: bytes.map_or(EventLimit::DEFAULT_BYTES, NonZeroUsize::get),
        envelope: Destination::from_env()?.envelope(&event_bridge_source()?),
    })
}

/// Length and characters as of <https://docs.aws.amazon.com/scheduler/latest/APIReference/API_EventBridgeParameters.html>;
/// the prefix `aws.` is of AWS's services alone.
struct EntrySource(String);

impl FromStr for EntrySource {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let legal = (1..=256).contains(&name.len())
            && !name.starts_with("aws.")
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/.-_".contains(&byte));
        if legal {
            Ok(Self(name.to_owned()))
        } else {
            Err(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sink_has_one_name() {
        assert_eq!("eventbridge".parse(), Ok(Destination::EventBridge));
        assert_eq!("SQS".parse::<Destination>(), Err(UnknownSink));
        assert_eq!("".parse::<Destination>(), Err(UnknownSink));
    }

    #[test]
    fn a_source_that_event_bridge_refuses_is_none() {
        let longest = "s".repeat(256);
        for legal in ["decide-once", "com.example/orders_v1", &longest] {
            assert!(legal.parse::<EntrySource>().is_ok(), "{legal}");
        }
        let too_long = "s".repeat(257);
        for illegal in ["", "aws.events", "urn:decide-once", "ü", &too_long] {
            assert!(illegal.parse::<EntrySource>().is_err(), "{illegal}");
        }
    }
}
