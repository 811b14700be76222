//! The model's table: one operation, and the decisions that were ever committed for it.

use super::{Mutant, RETENTION};
use crate::record::{Keep, Record, State, StateName};
use crate::time::Timestamp;
use crate::writes::{Answer, Commit, Existing, Reserve, Transition, ttl_after};

/// A write on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Write {
    Reserve(Reserve),
    Transition(Transition),
    Commit(Box<Commit>),
}

/// The store, with the ghost variables that the invariants speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    pub(crate) record: Option<Record>,
    /// The decision of the current life: its outcome, and when its key's lifetime ends.
    pub(crate) decided: Option<(String, Timestamp)>,
    /// How many events the current life's decision has.
    pub(crate) events: usize,
    /// Somebody was told in this life that a new key is safe.
    pub(crate) new_key_advised: bool,
}

impl Store {
    pub(crate) fn existing(&self) -> Existing {
        self.record
            .clone()
            .map_or(Existing::Absent, |record| Existing::Found(Box::new(record)))
    }

    /// Applies `write` if its condition holds, and checks what must never happen.
    pub(crate) fn apply(
        &mut self,
        write: &Write,
        mutant: Mutant,
        now: Timestamp,
    ) -> Result<Answer, &'static str> {
        if !self.permits(write, mutant) {
            return Ok(Answer::Refused(self.existing()));
        }
        if self.is_finished_and_alive(now) {
            return Err("a finished record changed while its key lives");
        }
        match write {
            Write::Reserve(reserve) => {
                if self.carries() {
                    return Err("a queued request was replaced before its end");
                }
                if self.decided.as_ref().is_some_and(|(_, end)| now < *end) {
                    return Err("a key was reserved anew within the lifetime of its decision");
                }
                *self = Self {
                    record: Some(reserve.record.clone()),
                    ..Self::default()
                };
            }
            Write::Transition(transition) => {
                self.stale(transition)?;
                let next = left_by(&transition.next, mutant);
                if self.carries() && next.carried().is_none() && !next.is_final() {
                    return Err("a queued request was dropped before its end");
                }
                self.record = Some(next);
            }
            Write::Commit(commit) => {
                self.stale(&commit.operation)?;
                if self.decided.is_some() {
                    return Err("two decisions were committed in one life of the key");
                }
                if self.new_key_advised {
                    return Err("a decision was committed after a new key was advised");
                }
                self.record = Some(commit.operation.next.clone());
                let expiry = commit.operation.next.state.key_expiry();
                let end = expiry.ok_or("a committed record carries a request")?;
                self.decided = Some((commit.decision.verdict.outcome.clone(), end));
                self.events = commit.events.len();
            }
        }
        Ok(Answer::Applied)
    }

    fn is_finished_and_alive(&self, now: Timestamp) -> bool {
        self.record.as_ref().is_some_and(|record| {
            matches!(
                record.state,
                State::Succeeded { .. } | State::FailedFinal { .. }
            ) && record.state.key_expiry().is_some_and(|end| now < end)
        })
    }

    fn carries(&self) -> bool {
        self.record
            .as_ref()
            .is_some_and(|record| record.carried().is_some())
    }

    /// Whether TTL may delete the record.
    pub(crate) fn may_expire(&self, mutant: Mutant, now: Timestamp) -> bool {
        self.record.as_ref().is_some_and(|record| {
            let expiry = record.state.key_expiry().or_else(|| {
                (mutant == Mutant::TtlWhileCarrying).then(|| record.created.plus(RETENTION.key))
            });
            expiry.is_some_and(|expiry| ttl_after(expiry).allows_deletion_at(now))
        })
    }

    /// TTL deletes the record.
    pub(crate) fn expire(&mut self) -> Result<(), &'static str> {
        if self.carries() {
            return Err("a queued request was deleted before its end");
        }
        self.record = None;
        Ok(())
    }

    /// Owner and attempt of what is written must be those of what stands.
    fn stale(&self, transition: &Transition) -> Result<(), &'static str> {
        match &self.record {
            Some(record) if record.fence == transition.expected.fence => Ok(()),
            Some(_) | None => Err("a stale worker changed the record"),
        }
    }

    fn permits(&self, write: &Write, mutant: Mutant) -> bool {
        let record = self.record.as_ref();
        match (write, mutant) {
            (Write::Reserve(reserve), Mutant::QueuedIsVacant) => {
                reserve.permits(record) || record.is_some_and(|r| r.state.key_expiry().is_none())
            }
            (Write::Reserve(reserve), _) => reserve.permits(record),
            (Write::Commit(_), Mutant::CommitUnfenced) => {
                record.is_some_and(|r| r.state.name() == StateName::Processing)
            }
            (Write::Commit(commit), Mutant::CommitAbsentOrMine) => {
                record.is_none_or(|_| commit.operation.permits(record))
            }
            (Write::Transition(t), Mutant::ReleaseWithoutState) if is_release(t) => {
                record.is_some_and(|r| r.fence == t.expected.fence)
            }
            (Write::Transition(t), Mutant::ReleaseUnfenced) if is_release(t) => record.is_some(),
            (Write::Transition(transition), _) => transition.permits(record),
            (Write::Commit(commit), _) => commit.operation.permits(record),
        }
    }
}

/// What stands after a takeover, in a store that may forget the request.
fn left_by(next: &Record, mutant: Mutant) -> Record {
    match &next.state {
        State::Processing { hold, .. } if mutant == Mutant::TakeoverDropsRequest => Record {
            state: State::Processing {
                hold: *hold,
                keep: Keep::Until(next.updated.plus(RETENTION.key)),
            },
            ..next.clone()
        },
        _ => next.clone(),
    }
}

/// A transition that keeps its owner gives up; one that changes it takes over.
fn is_release(transition: &Transition) -> bool {
    transition.next.fence == transition.expected.fence
}
