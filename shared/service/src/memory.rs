//! The store ports in memory: for simulations and tests that need no DynamoDB.
//!
//! It holds values as the protocol has them and asks the protocol's own rules ([`Reserve::permits`], [`Transition::permits`],
//! [`Commit::permits_claim`]), one write at a time. So it is never in doubt, throttled or in conflict; faults are for whoever
//! wraps it. The conformance suite in `tests/` runs against it and against DynamoDB's API.

mod inbox;
mod mismatches;
mod outbox;
mod queue;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use decide_once_protocol::decision::{ClaimId, DecisionItem, NaturalClaim};
use decide_once_protocol::ids::{DecisionId, EventId};
use decide_once_protocol::inbox::{Keep, Mark, MarkId};
use decide_once_protocol::outbox::OutboxRow;
use decide_once_protocol::record::Record;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{
    Answer, Blocked, Commit, Existing, Reserve, Transition, Unreadable, ttl_after, ttl_at,
};

pub use inbox::Change;

use crate::ports::{Read, Store, StoreError};

/// A store in memory. Clones share their contents.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    contents: Arc<Mutex<Contents>>,
}

#[derive(Debug, Default)]
struct Contents {
    operations: BTreeMap<OperationId, Slot<Record>>,
    decisions: BTreeMap<DecisionId, Slot<DecisionItem>>,
    claims: BTreeMap<ClaimId, NaturalClaim>,
    rows: BTreeMap<EventId, Slot<OutboxRow>>,
    /// Mismatches by their counter's id, with the end of their window.
    mismatches: BTreeMap<String, (u32, Timestamp)>,
    marks: BTreeMap<MarkId, Slot<Mark>>,
    /// What consumers' effects change.
    numbers: BTreeMap<String, i64>,
    /// Effects that were had, by their token.
    kept: HashMap<String, Keep>,
    /// Transactions that were applied, by their token. DynamoDB remembers them for ten minutes, which outlives every call.
    applied: HashMap<String, Commit>,
}

/// What is under a key: an item, or what somebody else's code left there.
#[derive(Clone, Debug)]
enum Slot<T> {
    Item(T),
    Unreadable(Unreadable),
}

/// Something that this code cannot read, to be put in a place.
#[derive(Clone, Debug)]
pub enum Foreign {
    /// In the place of an operation record.
    Operation(OperationId, Unreadable),
    /// In the place of a decision.
    Decision(DecisionId, Unreadable),
    /// In the place of an outbox row.
    Row(EventId, Unreadable),
    /// In the place of a consumer's mark.
    Mark(MarkId, Unreadable),
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All operation records.
    #[must_use]
    pub fn operations(&self) -> Vec<Record> {
        items(self.lock().operations.values())
    }

    /// All decisions.
    #[must_use]
    pub fn decisions(&self) -> Vec<DecisionItem> {
        items(self.lock().decisions.values())
    }

    /// All natural-key claims.
    #[must_use]
    pub fn claims(&self) -> Vec<NaturalClaim> {
        self.lock().claims.values().cloned().collect()
    }

    /// All rows of the outbox.
    #[must_use]
    pub fn rows(&self) -> Vec<OutboxRow> {
        items(self.lock().rows.values())
    }

    /// Deletes what DynamoDB's TTL may delete at `now`, and returns how many items that were. Rows that were not delivered
    /// have no TTL.
    pub fn expire(&self, now: Timestamp) -> usize {
        let mut contents = self.lock();
        let before = contents.len();
        contents.operations.retain(|_, slot| {
            slot.item()
                .and_then(|record| record.state.key_expiry())
                .is_none_or(|expiry| !ttl_after(expiry).allows_deletion_at(now))
        });
        contents.decisions.retain(|_, slot| {
            let kept_until = slot.item().and_then(|decision| decision.retained_until);
            kept_until.is_none_or(|until| !ttl_at(until).allows_deletion_at(now))
        });
        contents.claims.retain(|_, claim| {
            claim
                .expiry
                .is_none_or(|expiry| !ttl_after(expiry).allows_deletion_at(now))
        });
        contents.rows.retain(|_, slot| {
            let ttl = slot.item().and_then(|row| row.delivery.ttl());
            ttl.is_none_or(|ttl| !ttl.allows_deletion_at(now))
        });
        contents.marks.retain(|_, slot| {
            let ttl = slot.item().map(|mark| mark.state.ttl());
            ttl.is_none_or(|ttl| !ttl.allows_deletion_at(now))
        });
        contents
            .mismatches
            .retain(|_, (_, end)| !ttl_at(*end).allows_deletion_at(now));
        before - contents.len()
    }

    /// Puts something unreadable in a place.
    pub fn plant(&self, foreign: Foreign) {
        let mut contents = self.lock();
        match foreign {
            Foreign::Operation(id, why) => {
                contents.operations.insert(id, Slot::Unreadable(why));
            }
            Foreign::Decision(id, why) => {
                contents.decisions.insert(id, Slot::Unreadable(why));
            }
            Foreign::Row(id, why) => {
                contents.rows.insert(id, Slot::Unreadable(why));
            }
            Foreign::Mark(id, why) => {
                contents.marks.insert(id, Slot::Unreadable(why));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        // No write is left half done by a panic: each checks first and then inserts.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn len(&self) -> usize {
        self.operations.len()
            + self.decisions.len()
            + self.claims.len()
            + self.rows.len()
            + self.marks.len()
            + self.mismatches.len()
    }

    fn existing(&self, id: &OperationId) -> Existing {
        match self.operations.get(id) {
            None => Existing::Absent,
            Some(Slot::Item(record)) => Existing::Found(Box::new(record.clone())),
            Some(Slot::Unreadable(why)) => Existing::Unreadable(why.clone()),
        }
    }

    /// Writes `next` if `permits` says so of what stands there. Something unreadable permits nothing.
    fn put(&mut self, next: &Record, permits: impl FnOnce(Option<&Record>) -> bool) -> Answer {
        if !self.permit(&next.operation, permits) {
            return Answer::Refused(self.existing(&next.operation));
        }
        self.operations
            .insert(next.operation.clone(), Slot::Item(next.clone()));
        Answer::Applied
    }

    fn permit(&self, id: &OperationId, permits: impl FnOnce(Option<&Record>) -> bool) -> bool {
        match self.operations.get(id) {
            None => permits(None),
            Some(Slot::Item(record)) => permits(Some(record)),
            Some(Slot::Unreadable(_)) => false,
        }
    }

    /// In the order in which DynamoDB's cancellation reasons are read: operation, decision, events, claims.
    fn commit(&mut self, write: &Commit) -> Answer {
        if let Some(applied) = self.applied.get(&write.token()) {
            return if applied == write {
                Answer::Applied
            } else {
                Answer::Unknown
            };
        }
        let operation = &write.operation.next.operation;
        if !self.permit(operation, |record| write.operation.permits(record)) {
            return Answer::Refused(self.existing(operation));
        }
        let exists = self.decisions.contains_key(&write.decision.id)
            || write
                .events
                .iter()
                .any(|row| self.rows.contains_key(&row.event.id));
        if exists {
            return Answer::Blocked(Blocked::Corrupt);
        }
        let taken = write.claims.iter().find_map(|claim| {
            let holder = self.claims.get(&claim.id)?;
            (!write.permits_claim(Some(holder))).then(|| holder.decision.clone())
        });
        if let Some(by) = taken {
            return Answer::Blocked(Blocked::ClaimTaken(by));
        }
        self.insert(write);
        Answer::Applied
    }

    fn insert(&mut self, write: &Commit) {
        let (record, decision) = (&write.operation.next, &write.decision);
        self.operations
            .insert(record.operation.clone(), Slot::Item(record.clone()));
        self.decisions
            .insert(decision.id.clone(), Slot::Item(decision.clone()));
        for row in &write.events {
            self.rows
                .insert(row.event.id.clone(), Slot::Item(row.clone()));
        }
        for claim in &write.claims {
            self.claims.insert(claim.id.clone(), claim.clone());
        }
        self.applied.insert(write.token(), write.clone());
    }
}

impl<T> Slot<T> {
    const fn item(&self) -> Option<&T> {
        match self {
            Self::Item(item) => Some(item),
            Self::Unreadable(_) => None,
        }
    }
}

fn items<'a, T: Clone + 'a>(slots: impl Iterator<Item = &'a Slot<T>>) -> Vec<T> {
    slots.filter_map(Slot::item).cloned().collect()
}

fn read<T: Clone>(slot: Option<&Slot<T>>) -> Read<T> {
    match slot {
        None => Read::Absent,
        Some(Slot::Item(item)) => Read::Found(Box::new(item.clone())),
        Some(Slot::Unreadable(why)) => Read::Unreadable(why.clone()),
    }
}

impl Store for MemoryStore {
    async fn reserve(&self, write: &Reserve) -> Answer {
        self.lock()
            .put(&write.record, |existing| write.permits(existing))
    }

    async fn transition(&self, write: &Transition) -> Answer {
        self.lock()
            .put(&write.next, |existing| write.permits(existing))
    }

    async fn commit(&self, write: &Commit) -> Answer {
        self.lock().commit(write)
    }

    async fn read_operation(&self, id: &OperationId) -> Result<Existing, StoreError> {
        Ok(self.lock().existing(id))
    }

    async fn read_decision(&self, id: &DecisionId) -> Result<Read<DecisionItem>, StoreError> {
        Ok(read(self.lock().decisions.get(id)))
    }
}
