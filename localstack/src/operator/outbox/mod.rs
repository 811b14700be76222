//! `decide-once outbox …`: events on their way out.

pub(super) mod list;
pub(super) mod redrive;
pub(super) mod show;

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Marker, OutboxRow};
use decide_once_protocol::time::Timestamp;
use decide_once_service::ports::{Outbox as _, Read};

use super::{OperatorError, connection::Connection};

/// A row by its event.
async fn read(connection: &Connection, event: &EventId) -> Result<Read<OutboxRow>, OperatorError> {
    let read = connection.store.read_row(event).await;
    read.map_err(|error| connection.outbox().failed(error))
}

/// The marker before which lies everything up to `until`, itself included.
fn behind(until: Timestamp) -> Marker {
    Marker {
        since: until.plus(std::time::Duration::from_millis(1)),
        number: 0,
    }
}
