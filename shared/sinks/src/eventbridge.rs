//! Events by EventBridge: an entry of `PutEvents` for each, whose `Detail` is the whole structured-mode CloudEvent.
//!
//! Rules match on `detail`: `{"detail": {"source": ["urn:decide-once:t-alpha"]}}`. The entry's `Source` is one and the same
//! for all, because it is limited in length and characters and a tenant's name is not; `DetailType` is the event's type.
//!
//! An answer lists its entries in the order of the request. One with more or fewer says nothing of any of them.

use std::num::NonZeroUsize;

use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_eventbridge::primitives::DateTime;
use aws_sdk_eventbridge::types::{PutEventsRequestEntry, PutEventsResultEntry};
use decide_once_protocol::envelope::Envelope;
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::{SendError, Sink};

use crate::aws::failure;
use crate::requests::{Batches, Entry, Limits, send_all};
use crate::verdict::{Verdict, all, untold};

/// Codes of an entry that are about the entry itself
/// (<https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html>). Its bus and its source
/// have been checked at the start, so an argument that is not valid is the event's own.
const POISON: [&str; 2] = ["InvalidArgument", "MalformedDetail"];

/// An event bus. Made once for a process: its client holds the connections.
#[derive(Clone, Debug)]
pub struct EventBridgeSink {
    client: Client,
    bus: String,
    source: String,
    limits: Limits,
}

/// The bus cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// It is not there. `PutEvents` would not say so.
    #[error("the event bus of SINK_EVENT_BUS does not exist in this account and region")]
    Missing,
    /// It is not known whether it is there.
    #[error(
        "the event bus of SINK_EVENT_BUS could not be looked at ({0}); the function needs events:DescribeEventBus"
    )]
    Unknown(String),
}

impl EventBridgeSink {
    /// A sink that puts entries of this `source` on this `bus`, a name or an ARN.
    #[must_use]
    pub const fn new(client: Client, bus: String, source: String, limits: Limits) -> Self {
        Self {
            client,
            bus,
            source,
            limits,
        }
    }

    /// Looks whether the bus is there.
    ///
    /// # Errors
    /// See [`BusError`].
    pub async fn check(&self) -> Result<(), BusError> {
        let described = self
            .client
            .describe_event_bus()
            .name(&self.bus)
            .send()
            .await;
        match described {
            Ok(_) => Ok(()),
            Err(SdkError::ServiceError(refused))
                if refused.err().is_resource_not_found_exception() =>
            {
                Err(BusError::Missing)
            }
            Err(error) => {
                let code = error.code().unwrap_or("no answer");
                Err(BusError::Unknown(code.to_owned()))
            }
        }
    }

    fn entry(&self, entry: &Entry<'_>) -> PutEventsRequestEntry {
        let event = &entry.row.event;
        PutEventsRequestEntry::builder()
            .event_bus_name(&self.bus)
            .source(&self.source)
            .detail_type(&event.kind)
            .time(DateTime::from_millis(event.time.as_millis()))
            .detail(&entry.text)
            .build()
    }
}

impl Batches for EventBridgeSink {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn envelope(&self) -> Envelope {
        let source = self.source.len();
        Envelope::EventBridge { source }
    }

    fn render(row: &OutboxRow) -> String {
        row.event.to_cloud_event()
    }

    async fn request(&self, entries: &[Entry<'_>]) -> Vec<Verdict> {
        let requested = entries.iter().map(|entry| self.entry(entry)).collect();
        let put = self.client.put_events().set_entries(Some(requested));
        match put.send().await {
            Ok(answer) if answer.entries().len() == entries.len() => {
                answer.entries().iter().map(verdict).collect()
            }
            Ok(answer) => {
                let (told, sent) = (answer.entries().len(), entries.len());
                let why = format!("it told of {told} entries where {sent} were sent");
                all(sent, &SendError::Unavailable(why))
            }
            Err(error) => all(entries.len(), &failure::of_request(&error, entries)),
        }
    }
}

impl Sink for EventBridgeSink {
    fn at_once(&self) -> NonZeroUsize {
        self.limits.entries
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Verdict> {
        send_all(self, rows).await
    }
}

/// Acknowledged is an entry that has an id and no error.
fn verdict(entry: &PutEventsResultEntry) -> Verdict {
    match (entry.error_code(), entry.event_id()) {
        (Some(code), _) if POISON.contains(&code) => Err(failure::poison(code)),
        (Some(code), _) => Err(failure::of_code(code)),
        (None, Some(id)) if !id.is_empty() => Ok(()),
        (None, _) => untold(),
    }
}
