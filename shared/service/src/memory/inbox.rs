//! A consumer's marks in memory, and numbers for its effects to change.

use decide_once_protocol::inbox::{
    Claim, Finish, FoundMark, Keep, Mark, MarkAnswer, MarkId, Release, Together,
};

use super::{Contents, MemoryStore, Slot};
use crate::ports::{Effects, Inbox, StoreError};

/// An effect in memory: a change to a number that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Relative.
    Add {
        /// Which number.
        name: String,
        /// By how much.
        by: i64,
    },
    /// Absolute, if what was read still stands.
    Set {
        /// Which number.
        name: String,
        /// What was read.
        seen: Option<i64>,
        /// What it becomes.
        to: i64,
    },
}

impl MemoryStore {
    /// A number that effects have changed.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        self.lock().numbers.get(name).copied()
    }

    /// All marks.
    #[must_use]
    pub fn marks(&self) -> Vec<Mark> {
        super::items(self.lock().marks.values())
    }
}

impl Contents {
    fn found(&self, id: &MarkId) -> FoundMark {
        match self.marks.get(id) {
            None => FoundMark::Absent,
            Some(Slot::Item(mark)) => FoundMark::Mark(mark.clone()),
            Some(Slot::Unreadable(why)) => FoundMark::Unreadable(why.clone()),
        }
    }

    /// Something unreadable permits nothing.
    fn permit_mark(&self, id: &MarkId, permits: impl FnOnce(Option<&Mark>) -> bool) -> bool {
        match self.marks.get(id) {
            None => permits(None),
            Some(Slot::Item(mark)) => permits(Some(mark)),
            Some(Slot::Unreadable(_)) => false,
        }
    }

    fn put_mark(&mut self, mark: Mark, permits: impl FnOnce(Option<&Mark>) -> bool) -> MarkAnswer {
        if !self.permit_mark(&mark.id, permits) {
            return MarkAnswer::Refused(self.found(&mark.id));
        }
        self.marks.insert(mark.id.clone(), Slot::Item(mark));
        MarkAnswer::Applied
    }

    fn have(&mut self, change: &Change, keep: &Keep) -> Together {
        let token = keep.token.encode();
        if let Some(applied) = self.kept.get(&token) {
            return if applied == keep {
                Together::Applied
            } else {
                Together::Unknown
            };
        }
        if !self.permit_mark(&keep.id, |mark| keep.permits(mark)) {
            return Together::MarkRefused(self.found(&keep.id));
        }
        let (name, next) = match change {
            Change::Add { name, by } => {
                let stands = self.numbers.get(name).copied().unwrap_or_default();
                (name, stands.saturating_add(*by))
            }
            Change::Set { name, seen, .. } if self.numbers.get(name) != seen.as_ref() => {
                return Together::EffectRefused;
            }
            Change::Set { name, to, .. } => (name, *to),
        };
        self.numbers.insert(name.clone(), next);
        self.marks.insert(keep.id.clone(), Slot::Item(keep.mark()));
        self.kept.insert(token, keep.clone());
        Together::Applied
    }
}

impl Inbox for MemoryStore {
    async fn claim(&self, write: &Claim) -> MarkAnswer {
        self.lock()
            .put_mark(write.mark(), |existing| write.permits(existing))
    }

    async fn finish(&self, write: &Finish) -> MarkAnswer {
        self.lock()
            .put_mark(write.mark(), |existing| write.permits(existing))
    }

    async fn release(&self, write: &Release) -> MarkAnswer {
        let mut contents = self.lock();
        if !contents.permit_mark(&write.id, |existing| write.permits(existing)) {
            return MarkAnswer::Refused(contents.found(&write.id));
        }
        contents.marks.remove(&write.id);
        MarkAnswer::Applied
    }

    async fn read_mark(&self, id: &MarkId) -> Result<FoundMark, StoreError> {
        Ok(self.lock().found(id))
    }
}

impl Effects for MemoryStore {
    type Effect = Change;

    async fn have(&self, effect: &Change, keep: &Keep) -> Together {
        self.lock().have(effect, keep)
    }
}
