//! Deciding: the whole path of a call, on one screen.
//!
//! ```text
//! reserve (PutItem) ─► evaluate ─► commit (TransactWriteItems) ─► 201        2 round trips, first request
//! reserve refused   ─► classify the old item that came back    ─► 200, 409   1 round trip, replay and mismatch (each 10th: 2)
//! reserve refused   ─► live lease: wait, polling by strong reads ─► 200, 202 1 + one for each poll
//! reserve refused   ─► lapsed: take over (UpdateItem) ─► evaluate ─► commit  3 round trips
//! outcome unknown   ─► strong read ─► classify                               + 1 for each
//! remembered        ─► classify what was seen                  ─► 200, 409   none, where an instance remembers answers
//! asynchronous: reserve, queued ─► 202                                       1 round trip; the rest is resume's
//! ```
//!
//! A call to the store that does not come back within the invocation's time is one whose outcome is unknown.
//!
//! Write units of a first request with one event: 1 (reserve) + 2 × 3 (a transaction writes each item twice) + 1 (the event enters the index of
//! what is undelivered) = 8, while each item is below 1 KB. A replay or a mismatch costs the 1 of a refused write. A record that carries a
//! request costs one more for each KB of it with every write until it is final, and 1 for each change of its entry in the index of keys. All of
//! it, with prices, is in `docs/cost.md`.

use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_protocol::flow::{Claim, ClaimWrite, Done, Moment, Step, TRIES};
use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::record::RetryCause;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Answer;
use tokio::time::Instant;

use crate::answers::Answers;
use crate::call::{Call, Prepared};
use crate::crash_point;
use crate::evaluate::evaluate;
use crate::limits::{Due, Limits, Window};
use crate::patience::{Patience, Sends};
use crate::ports::{Clock, Ids, Mismatches, Store};
use crate::render::Finish;
use crate::reply::Outcome;
use crate::settings::{SHORTEST_CALL, Settings, TIME_TO_ANSWER};

/// The decide path over its ports. Made once for a process; every call has its own state.
#[derive(Debug)]
pub struct Decider<S, C, I> {
    /// Operations and decisions.
    pub store: S,
    /// The worker's clock.
    pub clock: C,
    /// The worker's randomness.
    pub ids: I,
    /// The packaged policies.
    pub policies: PolicySet,
    /// What the operator set.
    pub settings: Settings,
    /// What this instance has counted.
    pub limits: Limits,
    /// What this instance remembers.
    pub answers: Answers,
}

/// How much time a call has.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// When the invocation ends.
    pub deadline: Timestamp,
    /// How long to wait for another worker.
    pub wait: Duration,
}

impl<S: Store + Mismatches, C: Clock, I: Ids> Decider<S, C, I> {
    /// Answers a call: with the decision that was or is now recorded, or with what stands in its way.
    pub async fn decide(&self, call: &Call, budget: Budget) -> Outcome {
        let decision = DecisionId::from_random(self.ids.decision());
        let patience = self.settings.queue_patience;
        let caller = Prepared::new(call, &self.policies, decision, patience);
        let remaining = self.clock.now().until(budget.deadline);
        let end = Instant::now() + remaining.saturating_sub(TIME_TO_ANSWER);
        let mut finish = Finish::new(&caller, end);
        if remaining < SHORTEST_CALL {
            return finish.out_of_time();
        }
        if !self.has_a_token() {
            return finish.overloaded();
        }
        if let Some(done) = self.answers.recall(&caller, self.clock.now()) {
            return self.told(call, done, finish.recalled()).await;
        }
        let first = Step::begin(&caller, &self.moment(budget), TRIES);
        let done = self.drive(first, &caller, budget, &mut finish).await;
        self.told(call, done, finish).await
    }

    /// From a step to the end: does what each step asks, and hands back what it was told.
    pub(crate) async fn drive(
        &self,
        first: Step,
        caller: &Prepared<'_>,
        budget: Budget,
        finish: &mut Finish<'_>,
    ) -> Done {
        let mut patience = Patience::new(budget.wait);
        let (mut commits, mut surrenders) = (Sends::default(), Sends::default());
        let mut step = first;
        loop {
            step = match step {
                Step::Claim(claim) => {
                    finish.watch.claiming(claim.write(), self.clock.now());
                    let answer = or_unknown(finish.ask(self.claim(&claim)).await);
                    finish.watch.told(&answer);
                    claim.settle(answer, caller, &self.moment(budget))
                }
                Step::Recheck(recheck) => {
                    let read = finish
                        .ask(self.store.read_operation(caller.operation()))
                        .await;
                    let found = read.and_then(Result::ok);
                    found.iter().for_each(|found| finish.watch.read(found));
                    recheck.settle(found, caller, &self.moment(budget))
                }
                Step::Evaluate(reservation) => {
                    crash_point!("after_reserve");
                    finish.watch.owns();
                    let now = self.clock.now();
                    if now.until(budget.deadline) < SHORTEST_CALL {
                        Step::Surrender(reservation.release(RetryCause::Deadline, now))
                    } else {
                        finish.evaluating(|| evaluate(reservation, caller, &self.settings, now))
                    }
                }
                Step::Commit(decided) => {
                    crash_point!("before_commit");
                    commits.pause().await;
                    finish
                        .watch
                        .finishing(decided.commit().operation.expected.fence);
                    let answer = finish.ask(self.store.commit(decided.commit())).await;
                    crash_point!("after_commit");
                    let answer = or_unknown(answer);
                    finish.watch.told(&answer);
                    decided.settle(answer, caller, &self.moment(budget))
                }
                Step::Surrender(surrender) => {
                    surrenders.pause().await;
                    let transition = surrender.transition();
                    finish.watch.finishing(transition.expected.fence);
                    let answer = or_unknown(finish.ask(self.store.transition(transition)).await);
                    finish.watch.told(&answer);
                    surrender.settle(answer, caller, &self.moment(budget))
                }
                Step::Wait(waiting) => match patience.next_pause(finish.time_left()) {
                    Some(pause) => {
                        tokio::time::sleep(pause).await;
                        waiting.poll()
                    }
                    None => Step::Done(waiting.leave()),
                },
                Step::Done(done) => {
                    finish.watch.over(&done);
                    self.answers.remember(caller.operation(), &done);
                    return done;
                }
            }
        }
    }

    /// What the caller is told at the end.
    async fn told(&self, call: &Call, done: Done, mut finish: Finish<'_>) -> Outcome {
        if matches!(done, Done::Mismatch { .. })
            && self.too_many_mismatches(call, &mut finish).await
        {
            return finish.too_many_mismatches();
        }
        finish.answer(done, &self.store, self.clock.now()).await
    }

    fn has_a_token(&self) -> bool {
        let now = self.clock.now();
        let rate = self.settings.rate;
        rate.is_none_or(|rate| self.limits.bucket.take(rate, now))
    }

    /// Counts a mismatch. A store that does not count is not a reason to refuse anything.
    async fn too_many_mismatches(&self, call: &Call, finish: &mut Finish<'_>) -> bool {
        let (tenant, budget) = (call.tenant(), self.settings.mismatch_budget);
        if budget == 0 {
            return false;
        }
        let window = Window::at(self.clock.now());
        match self.limits.mismatches.count(tenant, window, budget) {
            Due::Nothing => false,
            Due::Spent => true,
            Due::Report(own) => {
                let counted = self.store.add_mismatches(tenant, window, own);
                if let Some(Ok(total)) = finish.ask(counted).await {
                    self.limits.mismatches.told(tenant, window, own, total);
                    // This one is in the total.
                    return total > budget;
                }
                false
            }
        }
    }

    async fn claim(&self, claim: &Claim) -> Answer {
        match claim.write() {
            ClaimWrite::Reserve(reserve) => self.store.reserve(reserve).await,
            ClaimWrite::TakeOver(transition) => self.store.transition(transition).await,
        }
    }

    pub(crate) fn moment(&self, budget: Budget) -> Moment {
        let now = self.clock.now();
        Moment {
            now,
            owner: OwnerToken::from_random(self.ids.owner()),
            lease_until: self.settings.lease_until(now, budget.deadline),
        }
    }
}

/// No answer in time says nothing of what became of the request.
fn or_unknown(answer: Option<Answer>) -> Answer {
    answer.unwrap_or(Answer::Unknown)
}
