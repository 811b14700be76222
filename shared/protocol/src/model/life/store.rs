//! The model's table: one operation, and the decisions that were ever committed for it.

use super::Mutant;
use crate::record::{Record, State, StateName};
use crate::time::Timestamp;
use crate::writes::{Answer, Commit, Existing, Reserve, Transition};

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
                self.record = Some(transition.next.clone());
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
                let end = commit.operation.next.state.key_expiry();
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
            ) && now < record.state.key_expiry()
        })
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

/// A transition that keeps its owner gives up; one that changes it takes over.
fn is_release(transition: &Transition) -> bool {
    transition.next.fence == transition.expected.fence
}
