//! From the end of a call to what its caller is told.

use std::time::Duration;

use decide_once_protocol::answer::{Body, Rendered, StoredAnswer, Verdict};
use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::flow::{Done, TryAgain};
use decide_once_protocol::record::{Expiry, FinalCode, Hold, Record, RetryCause, State};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Unreadable;
use tokio::time::Instant;

use crate::call::{Prepared, Unreservable};
use crate::course::Watch;
use crate::effort::Effort;
use crate::ports::{Read, Store};
use crate::problem::{Kind, Problem};
use crate::reply::{Outcome, Reply, retry_after};
use crate::status::Status;

const INCONSISTENT: &str = "a decision or event exists that its operation does not name";

/// Watches a call's time, collects what its log line says, and makes its answer.
#[derive(Debug)]
pub(crate) struct Finish<'a> {
    caller: &'a Prepared<'a>,
    /// When the call has to be answered.
    end: Instant,
    effort: Effort,
    /// What the store's answers tell of the call.
    pub(crate) watch: Watch,
    recalled: bool,
}

impl<'a> Finish<'a> {
    pub(crate) fn new(caller: &'a Prepared<'a>, end: Instant) -> Self {
        Self {
            caller,
            end,
            effort: Effort::default(),
            watch: Watch::default(),
            recalled: false,
        }
    }

    /// This much was done before.
    pub(crate) fn after(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// What it took so far.
    pub(crate) const fn effort(&self) -> Effort {
        Effort {
            course: self.watch.course(),
            ..self.effort
        }
    }

    /// The call's end was remembered.
    pub(crate) fn recalled(self) -> Self {
        Self {
            recalled: true,
            ..self
        }
    }

    /// How long the store may still be asked.
    pub(crate) fn time_left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Asks the store. `None` is "no answer in time", which is not "no effect"; without time left it is not even asked.
    pub(crate) async fn ask<T>(&mut self, call: impl Future<Output = T>) -> Option<T> {
        if self.time_left().is_zero() {
            return None;
        }
        let answered = tokio::time::timeout_at(self.end, call);
        self.effort.ask(answered).await.ok()
    }

    /// Evaluates, on the clock.
    pub(crate) fn evaluating<T>(&mut self, evaluate: impl FnOnce() -> T) -> T {
        self.effort.evaluating(evaluate)
    }

    /// The call had no time to begin; nothing was stored.
    pub(crate) fn out_of_time(self) -> Outcome {
        let problem =
            self.try_again("the invocation has no time left for a call; nothing was stored");
        self.outcome(None, problem)
    }

    /// The instance takes no more calls in this second; nothing was stored.
    pub(crate) fn overloaded(self) -> Outcome {
        let problem =
            self.try_again("this instance has more calls than it takes; nothing was stored");
        self.outcome(None, problem)
    }

    /// A mismatch beyond the tenant's budget.
    pub(crate) fn too_many_mismatches(self) -> Outcome {
        let detail = "the key belongs to an operation with another request, and too many such requests came from this \
                      tenant in the last minute. Make a new key for each operation, and keep it over its retries";
        let problem = Reply::Problem(self.problem(Kind::TooManyMismatches, detail));
        self.outcome(None, problem)
    }

    /// The answer of a call that is over.
    pub(crate) async fn answer(
        mut self,
        done: Done,
        store: &impl Store,
        now: Timestamp,
    ) -> Outcome {
        let (attempt, reply) = match done {
            Done::Committed(committed) => (
                Some(committed.record().fence.attempt),
                self.recorded(committed.record(), committed.decision(), false, store)
                    .await,
            ),
            Done::Finished(record) => (
                Some(record.fence.attempt),
                self.recorded(&record, None, true, store).await,
            ),
            Done::Surrendered(record) => (
                Some(record.fence.attempt),
                self.recorded(&record, None, false, store).await,
            ),
            Done::Queued(record) => (Some(record.fence.attempt), in_progress(&record, true, now)),
            Done::InProgress(record) => {
                (Some(record.fence.attempt), in_progress(&record, false, now))
            }
            Done::Mismatch { pointers } => (None, self.mismatch(pointers)),
            Done::ResultExpired {
                decision,
                free_from,
            } => {
                let detail = "the operation is finished and its result is no longer kept; the key can be used again \
                              for a new operation from keyFreeFrom on";
                let problem = self.problem(Kind::ResultExpired, detail);
                let problem = Problem {
                    decision,
                    free_from: Some(free_from),
                    ..problem
                };
                (None, Reply::Problem(problem))
            }
            Done::NotReserved => (None, self.not_reserved()),
            Done::TryAgain(why) => (None, self.unavailable(&why)),
        };
        self.outcome(attempt, reply)
    }

    fn outcome(self, attempt: Option<u32>, reply: Reply) -> Outcome {
        let operation = self.caller.operation().clone();
        Outcome {
            reply,
            operation,
            attempt,
            effort: self.effort(),
            recalled: self.recalled,
        }
    }

    /// What a record says for itself, to this call's own caller or to a retry. `decision` is the item, where it is in hand.
    async fn recorded(
        &mut self,
        record: &Record,
        decision: Option<&DecisionItem>,
        replayed: bool,
        store: &impl Store,
    ) -> Reply {
        match &record.state {
            State::Succeeded { answer, expiry } => {
                let body = match (decision, &answer.inline) {
                    (Some(decision), _) => Some(decision.render()),
                    (None, Some(verdict)) => Some(self.body(record, verdict, *expiry)),
                    (None, None) => self.referenced(record, store).await,
                };
                self.decided(record, answer, body, replayed)
            }
            State::FailedFinal { failure, .. } => {
                let problem =
                    self.problem(Kind::Final(failure.code.clone()), failure.detail.clone());
                let decision = match &failure.code {
                    FinalCode::AlreadyDecided(original) => Some(original.clone()),
                    FinalCode::DecisionFailed
                    | FinalCode::ResultTooLarge
                    | FinalCode::AttemptsExhausted => None,
                };
                Reply::Problem(Problem {
                    decision,
                    replayed: Some(replayed),
                    ..problem
                })
            }
            State::FailedRetryable {
                cause: RetryCause::Inconsistent,
                ..
            } => self.unreadable(INCONSISTENT),
            State::FailedRetryable {
                cause: RetryCause::Store | RetryCause::Deadline,
                ..
            }
            | State::Processing { .. } => {
                self.try_again("the attempt was given up before anything was decided")
            }
        }
    }

    /// Only bytes that have the recorded digest are an answer.
    fn decided(
        &self,
        record: &Record,
        answer: &StoredAnswer,
        body: Option<Rendered>,
        replayed: bool,
    ) -> Reply {
        match body {
            Some(body) if body.digest == answer.digest => Reply::Decided {
                decision: record.decision.clone(),
                body,
                replayed,
            },
            Some(_) => self.unreadable("the stored answer does not match its digest"),
            None => self.try_again("the stored answer could not be read"),
        }
    }

    fn body(&self, record: &Record, verdict: &Verdict, expiry: Expiry) -> Rendered {
        let call = self.caller.call();
        Body {
            decision: &record.decision,
            operation: &record.operation,
            key: call.key(),
            pin: &record.pin,
            subject: &call.request.subject,
            verdict,
            evaluated_at: record.updated,
            expiry,
        }
        .render()
    }

    /// An answer too large for the record is in the decision item: one more round trip.
    async fn referenced(&mut self, record: &Record, store: &impl Store) -> Option<Rendered> {
        match self.ask(store.read_decision(&record.decision)).await {
            Some(Ok(Read::Found(item))) => Some(item.render()),
            Some(Ok(Read::Absent | Read::Unreadable(_)) | Err(_)) | None => None,
        }
    }

    fn mismatch(&self, pointers: Vec<String>) -> Reply {
        let where_they_differ = if pointers.is_empty() {
            ""
        } else {
            "; `pointers` says where they differ"
        };
        let detail = format!(
            "the key belongs to an operation with another request{where_they_differ}. Send the original request to \
             have its answer, or use a new key for a new operation"
        );
        let problem = self.problem(Kind::KeyReused, detail);
        Reply::Problem(Problem {
            pointers,
            ..problem
        })
    }

    fn not_reserved(&self) -> Reply {
        match self.caller.unreservable() {
            Some(Unreservable::PolicyUnknown(detail)) => {
                Reply::Problem(Problem::new(Kind::PolicyUnknown, detail.clone()))
            }
            Some(Unreservable::FactsInvalid(invalid)) => {
                let pointers = invalid
                    .errors
                    .iter()
                    .map(|error| format!("/facts{}", error.pointer));
                let problem = Problem::new(Kind::FactsInvalid, invalid.to_string());
                Reply::Problem(Problem {
                    pointers: pointers.collect(),
                    ..problem
                })
            }
            Some(Unreservable::PolicyBroken(why)) => {
                tracing::error!(alarm = "policy-broken", %why, "a packaged policy is refused by its check");
                self.try_again("the policy cannot be used at the moment")
            }
            Some(Unreservable::Resumed) | None => self.try_again("the key is being freed"),
        }
    }

    fn unavailable(&self, why: &TryAgain) -> Reply {
        match why {
            TryAgain::StoreUnavailable => self.try_again("the store did not take the request"),
            TryAgain::OutcomeUnknown => {
                self.try_again("a write was sent and its outcome is not known yet")
            }
            TryAgain::Lost => {
                self.try_again("the key's life ended while its operation was being finished")
            }
            TryAgain::PolicyNotPackaged => self.try_again(
                "the policy version that this operation is pinned to is not packaged here",
            ),
            TryAgain::Unreadable(Unreadable::Newer { version }) => {
                tracing::error!(alarm = "record-newer", operation = %self.caller.operation(), version);
                self.try_again(
                    "the operation's record was written by a newer version of this service",
                )
            }
            TryAgain::Unreadable(Unreadable::Corrupt { attribute }) => self.unreadable(attribute),
            TryAgain::Inconsistent => self.unreadable(INCONSISTENT),
        }
    }

    fn unreadable(&self, what: &str) -> Reply {
        tracing::error!(alarm = "record-corrupt", operation = %self.caller.operation(), what);
        self.try_again("the operation's record cannot be read; the operator has been told")
    }

    fn try_again(&self, what: &str) -> Reply {
        let detail = format!("{what}; send the same request with the same key again");
        Reply::Problem(self.problem(Kind::Unavailable, detail))
    }

    fn problem(&self, kind: Kind, detail: impl Into<String>) -> Problem {
        Problem::new(kind, detail).of(self.caller.operation())
    }
}

fn in_progress(record: &Record, accepted: bool, now: Timestamp) -> Reply {
    let running = record.updated.until(now);
    let left = match record.state {
        State::Processing {
            hold: Hold::Leased(lease),
            ..
        } => now.until(lease),
        // One that is queued is taken up any moment.
        State::Processing {
            hold: Hold::Queued, ..
        } => running,
        State::Succeeded { .. } | State::FailedRetryable { .. } | State::FailedFinal { .. } => {
            Duration::ZERO
        }
    };
    Reply::InProgress {
        status: Status::of(record, now),
        retry_after: retry_after(running, left),
        accepted,
    }
}
