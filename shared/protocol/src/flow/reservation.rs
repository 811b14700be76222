//! Owning a key: the permission to evaluate, spent by what comes of it.

use super::decided::Decided;
use super::{Step, Surrender};
use crate::answer::{Body, INLINE_LIMIT, RESULT_LIMIT, StoredAnswer, Verdict};
use crate::decision::{DecisionItem, NaturalClaim};
use crate::envelope::EventLimit;
use crate::ids::DecisionId;
use crate::key::IdempotencyKey;
use crate::outbox::Event;
use crate::record::{FinalCode, FinalFailure, PolicyPin, Record, Retention, RetryCause};
use crate::request::Subject;
use crate::scope::OperationId;
use crate::time::Timestamp;
use crate::trace::TraceParent;
use crate::writes::{Commit, Seen, Transition, vacant_before};

/// The right to decide an operation, granted by the store. Others may take over once the lease lapses; then everything that
/// is made of this one is refused.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub struct Reservation {
    pub(super) record: Record,
    pub(super) retention: Retention,
    pub(super) tries: u8,
}

/// What the policy decided, to be committed.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Rule, outcome and event types.
    pub verdict: Verdict,
    /// The events, in the order of `verdict.event_types`.
    pub events: Vec<EventDraft>,
    /// The natural keys to claim.
    pub claims: Vec<NaturalClaim>,
    /// The caller's key, part of the answer.
    pub key: IdempotencyKey,
    /// Whom it is about.
    pub subject: Subject,
    /// The CloudEvents source of the events.
    pub source: String,
    /// How large each of them may be.
    pub event_limit: EventLimit,
    /// The trace that the events belong to.
    pub trace: Option<TraceParent>,
}

/// An event before it has its id and time.
#[derive(Clone, Debug)]
pub struct EventDraft {
    /// The CloudEvents type.
    pub kind: String,
    /// The CloudEvents data: a JSON value as text.
    pub data: String,
}

impl Reservation {
    /// The operation.
    #[must_use]
    pub const fn operation(&self) -> &OperationId {
        &self.record.operation
    }

    /// The decision's id.
    #[must_use]
    pub const fn decision(&self) -> &DecisionId {
        &self.record.decision
    }

    /// The policy version to evaluate under.
    #[must_use]
    pub const fn pin(&self) -> &PolicyPin {
        &self.record.pin
    }

    /// The attempt, counted from 1.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.record.fence.attempt
    }

    /// The pinned policy's retention.
    #[must_use]
    pub const fn retention(&self) -> Retention {
        self.retention
    }

    /// Binds the decision to this attempt: every item of the commit is built here, once, and sent as it is. `now` is the
    /// evaluation instant. A result that cannot be stored, or an event that cannot be delivered, becomes the final failure
    /// `result-too-large` before anything is committed.
    pub fn decide(self, decision: Decision, now: Timestamp) -> Step {
        let size = decision.verdict.outcome.len()
            + decision.events.iter().map(|e| e.data.len()).sum::<usize>();
        if size > RESULT_LIMIT {
            let detail =
                format!("the result has {size} bytes; at most {RESULT_LIMIT} can be stored");
            return self.too_large(detail, now);
        }
        let limit = decision.event_limit;
        let commit = self.commit(decision, now);
        match commit
            .events
            .iter()
            .find_map(|row| limit.refuses(&row.event))
        {
            Some(detail) => self.too_large(detail, now),
            None => Step::Commit(Decided::new(self, commit)),
        }
    }

    fn too_large(self, detail: String, now: Timestamp) -> Step {
        let code = FinalCode::ResultTooLarge;
        Step::Surrender(self.fail(FinalFailure { code, detail }, now))
    }

    /// Gives up for good: the failure is recorded, and answered only once it is.
    pub fn fail(self, failure: FinalFailure, now: Timestamp) -> Surrender {
        Surrender::new(
            &self.record,
            self.record.failed(failure, now, self.retention),
            self.tries,
        )
    }

    /// Gives up for now: the next call may take over at once.
    pub fn release(self, cause: RetryCause, now: Timestamp) -> Surrender {
        Surrender::new(&self.record, self.record.released(cause, now), self.tries)
    }

    fn commit(&self, decision: Decision, now: Timestamp) -> Commit {
        let Decision {
            verdict,
            events,
            claims,
            key,
            subject,
            source,
            event_limit: _,
            trace,
        } = decision;
        let expiry = self.retention.from(now);
        let body = Body {
            decision: &self.record.decision,
            operation: &self.record.operation,
            key: &key,
            pin: &self.record.pin,
            subject: &subject,
            verdict: &verdict,
            evaluated_at: now,
            expiry,
        };
        let digest = body.render().digest;
        let inline = (verdict.outcome.len() <= INLINE_LIMIT).then(|| verdict.clone());
        let rows = (0..).zip(events).map(|(index, draft): (u32, _)| {
            let event = Event {
                id: self.record.decision.event(index),
                kind: draft.kind,
                source: source.clone(),
                subject: subject.as_str().to_owned(),
                time: now,
                pin: self.record.pin.clone(),
                data: draft.data,
                trace,
            };
            event.into_row(index)
        });
        Commit {
            operation: Transition {
                expected: Seen::of(&self.record),
                next: self
                    .record
                    .succeeded(StoredAnswer { digest, inline }, now, expiry),
            },
            events: rows.collect(),
            claims,
            vacant_before: vacant_before(now),
            decision: DecisionItem {
                id: self.record.decision.clone(),
                tenant: self.record.tenant.clone(),
                operation: self.record.operation.clone(),
                key,
                subject,
                pin: self.record.pin.clone(),
                verdict,
                evaluated_at: now,
                expiry,
                retained_until: self.retention.decision.map(|kept| now.plus(kept)),
            },
        }
    }
}
