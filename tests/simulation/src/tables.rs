//! The tables behind the network: what is applied, told to the journal, and shown by the streams. Deliberate bugs of the store are here.

use std::sync::PoisonError;

use decide_once_protocol::ids::{DecisionId, EventId, OwnerToken};
use decide_once_protocol::inbox::{
    Claim, FoundMark, Keep, Mark, MarkAnswer, MarkId, MarkState, Together,
};
use decide_once_protocol::outbox::Marker;
use decide_once_protocol::record::{EXPIRY_MARGIN, Record, State};
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Commit, Existing, Reserve, Seen, Transition};
use decide_once_service::memory::{Change as Effect, MemoryStore};
use decide_once_service::ports::{
    Effects as _, Ids as _, Inbox as _, Marked, Outbox as _, Read, Store as _, StoreError,
};
use decide_once_service::publish::{Change, Image};
use futures_util::FutureExt as _;

use crate::bug::Bug;
use crate::chance::Who;
use crate::journal::What;
use crate::world::World;

/// What the store in memory says, which it does at once.
pub(crate) fn at_once<T>(said: impl Future<Output = T>) -> T {
    let Some(said) = said.now_or_never() else {
        unreachable!("the store in memory waits for nothing");
    };
    said
}

impl World {
    fn is_broken(&self, bug: Bug) -> bool {
        self.plan.bug == Some(bug)
    }

    pub(crate) fn reserve(&self, who: Who, write: &Reserve) -> Answer {
        let mut write = write.clone();
        if self.is_broken(Bug::KeyFreedEarly) && self.has_no_result(&write) {
            write.vacant_before = write.vacant_before.plus(10_000 * EXPIRY_MARGIN);
        }
        let before = self.record(&write.record);
        let answer = at_once(self.store.reserve(&write));
        self.leaves_behind(before, &answer);
        self.wrote(who, "reserve", &write.record, &answer);
        answer
    }

    pub(crate) fn transition(&self, who: Who, write: &Transition) -> Answer {
        let mut write = write.clone();
        if self.is_broken(Bug::TransitionUnfenced)
            && let Some(stands) = self.record(&write.next)
        {
            write.expected = Seen::of(&stands);
        }
        let before = self.record(&write.next);
        let answer = at_once(self.store.transition(&write));
        self.leaves_behind(before, &answer);
        self.wrote(who, "transition", &write.next, &answer);
        answer
    }

    pub(crate) fn commit(&self, who: Who, write: &Commit) -> Answer {
        let write = self.broken_commit(write);
        let was_there = write
            .events
            .first()
            .is_some_and(|row| self.has_row(&row.event.id));
        let before = self.record(&write.operation.next);
        let answer = at_once(self.store.commit(&write));
        self.leaves_behind(before, &answer);
        self.wrote(who, "commit", &write.operation.next, &answer);
        if answer == Answer::Applied && !was_there {
            for row in write.events {
                self.shows(None, Image::Row(Box::new(row.clone())), &row.event.id);
            }
        }
        answer
    }

    pub(crate) fn read_operation(&self, id: &OperationId) -> Result<Existing, StoreError> {
        let behind = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        match behind.get(id) {
            Some(record) => Ok(Existing::Found(record.clone())),
            None => at_once(self.store.read_operation(id)),
        }
    }

    /// Marks a row, and shows it.
    pub(crate) fn mark(
        &self,
        event: &EventId,
        seen: Option<Marker>,
        mark: impl Future<Output = Result<Marked, StoreError>>,
    ) -> Result<Marked, StoreError> {
        let marked = at_once(mark)?;
        if marked == Marked::Done
            && let Ok(Read::Found(row)) = at_once(self.store.read_row(event))
        {
            self.shows(seen, Image::Row(row), event);
        }
        Ok(marked)
    }

    pub(crate) fn claim(&self, write: &Claim) -> MarkAnswer {
        let answer = at_once(self.store.claim(write));
        match &answer {
            MarkAnswer::Refused(FoundMark::Mark(mark))
                if self.is_broken(Bug::LiveClaimAcknowledged) =>
            {
                let until = write.lapses;
                MarkAnswer::Refused(FoundMark::Mark(Mark {
                    id: mark.id.clone(),
                    state: MarkState::Done { until },
                }))
            }
            _ => answer,
        }
    }

    pub(crate) fn have(&self, effect: &Effect, keep: &Keep) -> Together {
        let mut keep = keep.clone();
        if self.is_broken(Bug::MarksIgnored) {
            let fresh = format!(
                "{:a>52}",
                keep.token
                    .encode()
                    .to_lowercase()
                    .replace(|it: char| !it.is_ascii_lowercase(), "b")
            );
            keep.id = MarkId::parse(&fresh).unwrap_or(keep.id);
        }
        at_once(self.store.have(effect, &keep))
    }

    /// TTL deletes what it may.
    pub(crate) fn expires(&self, now: Timestamp) {
        let gone = self.store.expire(now);
        if gone > 0 {
            self.note(Who::World, What::Notes(format!("TTL deletes {gone} items")));
        }
    }

    pub(crate) fn store(&self) -> &MemoryStore {
        &self.store
    }

    fn broken_commit(&self, write: &Commit) -> Commit {
        let mut write = write.clone();
        match self.plan.bug {
            Some(Bug::CommitUnfenced) => self.unfenced(&mut write),
            Some(Bug::ClaimsIgnored) => write.claims.clear(),
            Some(Bug::EventDropped) => drop(write.events.pop()),
            _ => {}
        }
        write
    }

    /// As if the record were still this attempt's, and each attempt had chosen a name of its own for its decision: with one name for all
    /// of them, as it is, the second commit is refused.
    fn unfenced(&self, write: &mut Commit) {
        let Some(stands) = self.record(&write.operation.next) else {
            return;
        };
        let seen = Seen::of(&stands);
        if seen == write.operation.expected {
            return;
        }
        let mut own = *stands;
        own.fence.owner = OwnerToken::from_random(self.ids.owner());
        let taken = Transition {
            expected: seen,
            next: own.clone(),
        };
        drop(at_once(self.store.transition(&taken)));
        write.operation.expected = Seen::of(&own);
        if matches!(
            at_once(self.store.read_decision(&write.decision.id)),
            Ok(Read::Found(_))
        ) {
            self.rename(write);
        }
    }

    fn rename(&self, write: &mut Commit) {
        let id = DecisionId::from_random(self.ids.decision());
        write.operation.next.decision = id.clone();
        write.decision.id = id.clone();
        for (index, row) in (0..).zip(&mut write.events) {
            row.event.id = id.event(index);
        }
        if let State::Succeeded { answer, .. } = &mut write.operation.next.state {
            answer.digest = write.decision.render().digest;
        }
    }

    fn has_no_result(&self, write: &Reserve) -> bool {
        let now = write.vacant_before.plus(EXPIRY_MARGIN);
        self.record(&write.record)
            .is_some_and(|record| match record.state {
                State::Succeeded { expiry, .. } | State::FailedFinal { expiry, .. } => {
                    expiry.result <= now
                }
                State::Processing { .. } | State::FailedRetryable { .. } => false,
            })
    }

    fn record(&self, like: &Record) -> Option<Box<Record>> {
        match at_once(self.store.read_operation(&like.operation)) {
            Ok(Existing::Found(record)) => Some(record),
            Ok(Existing::Absent | Existing::Unreadable(_)) | Err(_) => None,
        }
    }

    /// What stood there before a write, for those who read behind.
    fn leaves_behind(&self, before: Option<Box<Record>>, answer: &Answer) {
        if let Some(before) = before
            && *answer == Answer::Applied
            && self.is_broken(Bug::ReadsBehind)
        {
            let mut behind = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
            behind.insert(before.operation.clone(), before);
        }
    }

    fn has_row(&self, event: &EventId) -> bool {
        matches!(at_once(self.store.read_row(event)), Ok(Read::Found(_)))
    }

    fn wrote(&self, who: Who, call: &'static str, next: &Record, answer: &Answer) {
        if *answer != Answer::Applied {
            return;
        }
        let name = self.name_of(&next.operation);
        let (state, attempt) = (next.state.name().as_str(), next.fence.attempt);
        self.note(
            who,
            What::Writes(call, format!("{name} {state}, attempt {attempt}")),
        );
        if next.is_queued() {
            let shard = next.operation.as_str().as_bytes()[0];
            self.operations.show(shard, next.operation.clone());
        }
    }

    fn shows(&self, before: Option<Marker>, after: Image, event: &EventId) {
        let change = Change {
            sequence: self.number().to_string(),
            before,
            after,
        };
        self.outbox.show(event.as_str().as_bytes()[25], change);
    }
}
