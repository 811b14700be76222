//! What the outbox's stream shows, and what it asks for.

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::{Delivery, Marker, OutboxRow, is_newly_undelivered};
use decide_once_protocol::writes::Unreadable;

use super::Fate;

/// A change to the outbox's table, as its stream shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The stream's name for it.
    pub sequence: String,
    /// The marker that the row carried before, if it carried one.
    pub before: Option<Marker>,
    /// What stands since.
    pub after: Image,
}

/// A row, right after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// It was deleted.
    Gone {
        /// By TTL, not by somebody. A replica of a global table does not tell; such a deletion counts as somebody's.
        expired: bool,
    },
    /// It reads so.
    Row(Box<OutboxRow>),
    /// It is something that this code cannot read.
    Unreadable {
        /// The row's key, if that much can be read: for the alarm.
        event: Option<EventId>,
        /// Why not.
        why: Unreadable,
    },
}

/// What a change asks of the publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks<'a> {
    /// This row is to be sent, and marked where it carries this marker.
    Delivery(&'a OutboxRow, Marker),
    /// Nothing, because it shows this.
    Nothing(Fate),
}

impl Change {
    /// Reads the change; an unreadable one is said aloud here.
    pub(super) fn asks(&self) -> Asks<'_> {
        let row = match &self.after {
            Image::Row(row) => row,
            Image::Gone { expired: true } => return Asks::Nothing(Fate::Expired),
            Image::Gone { expired: false } => return Asks::Nothing(Fate::Removed),
            Image::Unreadable { event, why } => {
                let event = event.as_ref().map(tracing::field::display);
                tracing::error!(
                    alarm = "row-unreadable",
                    event,
                    ?why,
                    "a row of the outbox cannot be read; it is left"
                );
                return Asks::Nothing(Fate::Unreadable);
            }
        };
        let marker = match row.delivery {
            Delivery::Undelivered(marker) => Some(marker),
            Delivery::Delivered { .. } | Delivery::Quarantined { .. } => None,
        };
        match marker {
            Some(marker) if is_newly_undelivered(self.before, Some(marker)) => {
                Asks::Delivery(row, marker)
            }
            None if self.before.is_some() => Asks::Nothing(Fate::Marked),
            Some(_) | None => Asks::Nothing(Fate::Unchanged),
        }
    }
}
