//! A state of the delivery model.

use super::{Config, Mutant};
use crate::ids::DecisionId;
use crate::outbox::{DELIVERED_RETENTION, Delivery, Event, Mark, Marker, OutboxRow};
use crate::record::PolicyPin;
use crate::request::{PolicyId, PolicyVersion};
use crate::time::Timestamp;
use crate::writes::ttl_at;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) operation: Operation,
    /// The stream of the operations: images of queued records that the evaluator has not checkpointed.
    pub(crate) dispatches: u8,
    pub(crate) row: Option<OutboxRow>,
    /// The outbox's stream: images that the publisher has not checkpointed.
    pub(crate) images: Vec<Image>,
    pub(crate) publisher: Sender,
    /// What the publisher's process has done behind another row that failed, and is handed in once more.
    pub(crate) known: Option<Marker>,
    pub(crate) sweeper: Sender,
    /// Marks that were sent, were not heard of, and may still arrive.
    pub(crate) late: Vec<Mark>,
    /// Ghost: the sink has acknowledged the event.
    pub(crate) acknowledged: bool,
    pub(crate) faults: u8,
    pub(crate) redrives: u8,
    pub(crate) ticks: u8,
    pub(crate) no_ops: u8,
}

/// The operation whose event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Queued,
    /// An attempt was given up.
    Released,
    Decided,
}

impl Operation {
    pub(crate) const fn is_decided(self) -> bool {
        matches!(self, Self::Decided)
    }
}

/// A change of the row, as the stream tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Image {
    pub(crate) old: Option<Marker>,
    pub(crate) new: Option<Marker>,
    pub(crate) why: Why,
}

/// Ghost: what wrote the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Why {
    Committed,
    Redriven,
    Marked,
    Removed,
    NoOp,
}

/// What a publisher or sweeper is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sender {
    Idle,
    /// About to send the row, as it was seen.
    Sending(OutboxRow),
    /// About to write a mark.
    Marking(Mark, OutboxRow),
}

impl World {
    pub(crate) fn committed(config: &Config) -> Self {
        let row = event().into_row(0);
        let images = vec![Image {
            old: None,
            new: marker(Some(&row)),
            why: Why::Committed,
        }];
        Self {
            now: row.event.time,
            operation: Operation::Decided,
            dispatches: 0,
            row: Some(row),
            images,
            publisher: Sender::Idle,
            known: None,
            sweeper: Sender::Idle,
            late: Vec::new(),
            acknowledged: false,
            faults: config.faults,
            redrives: config.redrives,
            ticks: config.ticks,
            no_ops: 1,
        }
    }

    /// Before the commit.
    pub(crate) fn queued(config: &Config) -> Self {
        Self {
            operation: Operation::Queued,
            dispatches: 1,
            row: None,
            images: Vec::new(),
            ..Self::committed(config)
        }
    }

    /// The operation's commit: its row appears.
    pub(crate) fn commit(&mut self) -> Result<(), &'static str> {
        if self.operation.is_decided() {
            return Err("an operation was committed twice");
        }
        self.operation = Operation::Decided;
        self.write(Some(event().into_row(0)), Why::Committed);
        Ok(())
    }

    /// Undelivered rows are in the sweeper's index, quarantined ones in the operator's.
    pub(crate) fn is_in_sight(&self) -> bool {
        self.row
            .as_ref()
            .is_some_and(|row| !matches!(row.delivery, Delivery::Delivered { .. }))
    }

    /// The sink takes an event.
    pub(crate) fn receive(&mut self, row: &OutboxRow, mutant: Mutant) -> Result<(), &'static str> {
        let mut received = row.event.clone();
        if mutant == Mutant::NewIdEachSend && self.acknowledged {
            received.id = received.id.decision().event(7);
        }
        if received.to_cloud_event() != event().to_cloud_event() {
            return Err("an event was sent with another id or content");
        }
        self.acknowledged = true;
        Ok(())
    }

    /// A mark arrives at the store.
    pub(crate) fn mark(&mut self, mark: &Mark, mutant: Mutant) -> Result<(), &'static str> {
        let blind = mutant == Mutant::MarkWithoutExists && self.row.is_none();
        if !blind && !mark.permits(self.row.as_ref()) {
            return Ok(());
        }
        let Some(row) = &self.row else {
            return Err("a mark created a row");
        };
        let why = match mark {
            Mark::Redriven { .. } => Why::Redriven,
            Mark::Delivered { seen, .. } | Mark::Quarantined { seen, .. } => {
                if marker(Some(row)) != Some(*seen) {
                    return Err(
                        "a mark was made on a row that had been marked or redriven meanwhile",
                    );
                }
                Why::Marked
            }
        };
        self.write(
            Some(OutboxRow {
                delivery: mark.delivery(),
                ..row.clone()
            }),
            why,
        );
        Ok(())
    }

    /// The row changes, and the stream tells of it.
    pub(crate) fn write(&mut self, next: Option<OutboxRow>, why: Why) {
        let image = Image {
            old: marker(self.row.as_ref()),
            new: marker(next.as_ref()),
            why,
        };
        self.images.push(image);
        self.row = next;
    }

    /// TTL takes the row, if it may.
    pub(crate) fn expires(&self, mutant: Mutant) -> Result<bool, &'static str> {
        let Some(row) = &self.row else {
            return Ok(false);
        };
        let ttl = match row.delivery.ttl() {
            None if mutant == Mutant::TtlAtCommit => {
                Some(ttl_at(row.event.time.plus(DELIVERED_RETENTION)))
            }
            ttl => ttl,
        };
        match (ttl, &row.delivery) {
            (Some(_), Delivery::Undelivered(_) | Delivery::Quarantined { .. }) => {
                Err("a row that its sink does not have has a TTL")
            }
            (ttl, _) => Ok(ttl.is_some_and(|ttl| ttl.allows_deletion_at(self.now))),
        }
    }
}

pub(crate) fn marker(row: Option<&OutboxRow>) -> Option<Marker> {
    match row?.delivery {
        Delivery::Undelivered(marker) => Some(marker),
        Delivery::Delivered { .. } | Delivery::Quarantined { .. } => None,
    }
}

fn event() -> Event {
    #![expect(clippy::unwrap_used, reason = "constants of the model")]
    Event {
        id: DecisionId::from_random([1; 16]).event(0),
        kind: "e".to_owned(),
        source: "s".to_owned(),
        subject: "s".to_owned(),
        time: Timestamp::from_millis(1_796_083_200_000).unwrap(),
        pin: PolicyPin {
            id: PolicyId::parse("p").unwrap(),
            version: PolicyVersion::new(1).unwrap(),
            digest: [0; 32],
        },
        data: "{}".to_owned(),
        trace: None,
    }
}
