//! A state of the batch model.

use std::collections::BTreeSet;

use super::Mutant;
use crate::ids::DecisionId;
use crate::lanes::Lanes;
use crate::outbox::Event;
use crate::record::PolicyPin;
use crate::request::{PolicyId, PolicyVersion};
use crate::time::Timestamp;

/// The subject of each row, in the stream's order.
pub(crate) const SUBJECTS: [&str; 4] = ["a", "b", "a", "a"];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    /// Rows that carry no marker any more: delivered or set aside.
    pub(crate) marked: BTreeSet<usize>,
    /// The first row that the stream hands in again.
    pub(crate) checkpoint: usize,
    /// The batch that the publisher is at.
    pub(crate) batch: Option<Batch>,
    /// What the publisher's process remembers to have done.
    pub(crate) known: BTreeSet<usize>,
    pub(crate) faults: u8,
}

/// A batch that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Batch {
    /// The rows that are to be sent, by their index in `lanes`.
    pub(crate) rows: Vec<usize>,
    pub(crate) lanes: Lanes,
    /// Indexes whose send has not come back.
    pub(crate) flying: BTreeSet<usize>,
    /// Indexes that are done.
    pub(crate) done: BTreeSet<usize>,
}

impl World {
    pub(crate) const fn committed(faults: u8) -> Self {
        Self {
            marked: BTreeSet::new(),
            checkpoint: 0,
            batch: None,
            known: BTreeSet::new(),
            faults,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.checkpoint == SUBJECTS.len() && self.marked.len() == SUBJECTS.len()
    }

    /// The stream hands in everything from the checkpoint on.
    pub(crate) fn begin(&mut self, mutant: Mutant) -> Result<(), &'static str> {
        let handed_in = self.checkpoint..SUBJECTS.len();
        let (known, rows): (Vec<_>, Vec<_>) = handed_in.partition(|row| self.known.contains(row));
        if !known.iter().all(|row| self.marked.contains(row)) {
            return Err("a row that is still to be sent was passed over");
        }
        let events: Vec<_> = rows.iter().map(|row| event(*row, mutant)).collect();
        self.batch = Some(Batch {
            lanes: Lanes::of(&events),
            rows,
            flying: BTreeSet::new(),
            done: BTreeSet::new(),
        });
        Ok(())
    }

    /// The publisher answers; the stream goes on from the lowest row that is not done.
    pub(crate) fn end(&mut self, batch: &Batch, mutant: Mutant) -> Result<(), &'static str> {
        let undone = |index: &usize| !batch.done.contains(index);
        let row = |index: usize| batch.rows[index];
        let next = match mutant {
            Mutant::CheckpointAtTheLast => batch
                .done
                .last()
                .map_or(self.checkpoint, |last| row(*last) + 1),
            _ => (0..batch.rows.len())
                .find(undone)
                .map_or(SUBJECTS.len(), row),
        };
        if !(0..next).all(|row| self.marked.contains(&row)) {
            return Err("the stream went on past a row that is not done");
        }
        self.checkpoint = next;
        self.known
            .extend(batch.done.iter().map(|index| row(*index)));
        self.batch = None;
        Ok(())
    }
}

fn event(row: usize, mutant: Mutant) -> Event {
    #![expect(clippy::unwrap_used, reason = "constants of the model")]
    let subject = match mutant {
        Mutant::NoLanes => row.to_string(),
        _ => SUBJECTS[row].to_owned(),
    };
    Event {
        id: DecisionId::from_random([1; 16]).event(0),
        kind: "e".to_owned(),
        source: "s".to_owned(),
        subject,
        time: Timestamp::EPOCH,
        pin: PolicyPin {
            id: PolicyId::parse("p").unwrap(),
            version: PolicyVersion::new(1).unwrap(),
            digest: [0; 32],
        },
        data: "{}".to_owned(),
        trace: None,
    }
}
