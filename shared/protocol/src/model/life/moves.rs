//! What can happen next in a world: every step of every worker with everything that can go wrong in it, time, TTL, and late
//! writes.

use super::store::Write;
use super::world::{Errand, Kind, Late, ModelCaller, Payload, Worker, World, decision};
use super::{Config, LONG_TICK, Mutant, RETENTION, SHORT_TICK};
use crate::flow::{ClaimWrite, Done, Step};
use crate::record::{FinalCode, FinalFailure, RetryCause, State};
use crate::writes::{Answer, NotApplied};

/// One thing that happened; a history is a list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Start(usize, Errand),
    Worker(usize, Event),
    LateWriteArrives(usize),
    ShortTick,
    LongTick,
    TtlDeletes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Answered,
    /// The write landed, its reply was lost, the SDK sent it again and passes on the second answer.
    SentTwice,
    RequestLost,
    ReplyLost,
    /// Not heard of, and it arrives later.
    Delayed,
    Conflict,
    Unavailable,
    CrashBeforeSending,
    CrashAfterSending,
    CrashAndDelayed,
    ReadFailed,
    Decides,
    FailsForGood,
    RunsOutOfTime,
    Polls,
    Leaves,
}

const CALM: &[Event] = &[Event::Answered];
const WRITE_FAULTS: &[Event] = &[
    Event::SentTwice,
    Event::RequestLost,
    Event::ReplyLost,
    Event::Delayed,
    Event::Conflict,
    Event::Unavailable,
    Event::CrashBeforeSending,
    Event::CrashAfterSending,
    Event::CrashAndDelayed,
];
const READ_FAULTS: &[Event] = &[Event::ReadFailed, Event::CrashBeforeSending];
const VERDICTS: &[Event] = &[Event::Decides, Event::FailsForGood, Event::RunsOutOfTime];
const CRASH: &[Event] = &[Event::CrashBeforeSending];
const WAITS: &[Event] = &[Event::Polls, Event::Leaves];

type Outcome = super::super::explore::Outcome<World>;

/// Every next world, or the rule that the way there breaks.
pub(crate) fn moves(world: &World, config: &Config) -> Vec<(Move, Outcome)> {
    let mut next = Vec::new();
    // What only one worker sees (its evaluation, its patience) happens at once: it commutes with everything that others do,
    // and a worker that stalls there is the same as one that stalls at its next write.
    if let Some(who) = world.workers.iter().position(Worker::is_at_a_local_step) {
        works(world, who, config, &mut next);
        return next;
    }
    for who in 0..world.workers.len() {
        match world.workers[who].running {
            None => starts(world, who, config, &mut next),
            Some(_) => works(world, who, config, &mut next),
        }
    }
    environment(world, config, &mut next);
    next
}

fn works(world: &World, who: usize, config: &Config, next: &mut Vec<(Move, Outcome)>) {
    let Some((errand, step)) = &world.workers[who].running else {
        return;
    };
    let (calm, faults) = events(step);
    let faults = if world.faults > 0 { faults } else { &[] };
    for &event in calm.iter().chain(faults) {
        next.push((
            Move::Worker(who, event),
            happen(world, who, *errand, event, config),
        ));
    }
}

fn starts(world: &World, who: usize, config: &Config, next: &mut Vec<(Move, Outcome)>) {
    if world.workers[who].requests == 0 {
        return;
    }
    for errand in errands(world, who, config) {
        let mut after = world.clone();
        after.workers[who].requests -= 1;
        let caller = after.caller(who, errand, config);
        let step = begins(&after, who, &caller, config);
        let outcome = step.and_then(|step| after.arrive(who, errand, step).map(|()| after));
        next.push((Move::Start(who, errand), outcome));
    }
}

/// A caller may be answered from what its worker remembers; whoever looks after the queue reads first.
fn begins(
    world: &World,
    who: usize,
    caller: &ModelCaller,
    config: &Config,
) -> Result<Step, &'static str> {
    let moment = world.moment(who, config);
    if caller.errand.kind == Kind::Resume {
        let found = world.store.existing();
        return Ok(Step::resume(found, caller, &moment, config.tries));
    }
    let recalled = world.recalled(who, caller, config)?;
    Ok(recalled.map_or_else(|| Step::begin(caller, &moment, config.tries), Step::Done))
}

/// What a worker may begin. The first always sends A: which payload is called A does not matter.
fn errands(world: &World, who: usize, config: &Config) -> Vec<Errand> {
    let is_last = who + 1 == world.workers.len();
    let errand = |kind| move |payload| Errand { payload, kind };
    match who {
        _ if config.queue && is_last => queued(world, config)
            .map(errand(Kind::Resume))
            .into_iter()
            .collect(),
        0 if config.asynchronous => vec![errand(Kind::PostAsync)(Payload::A)],
        0 => vec![errand(Kind::Post)(Payload::A)],
        _ => [Payload::A, Payload::B].map(errand(Kind::Post)).into(),
    }
}

/// The payload that the record carries, if it carries one: all that the queue's worker knows of.
fn queued(world: &World, config: &Config) -> Option<Payload> {
    let record = world.store.record.as_ref()?;
    let released = matches!(record.state, State::FailedRetryable { .. });
    if released && config.mutant == Mutant::QueueForgetsReleased {
        return None;
    }
    record.carried().map(|_| Payload::of(record))
}

fn environment(world: &World, config: &Config, next: &mut Vec<(Move, Outcome)>) {
    for index in 0..world.late.len() {
        let mut after = world.clone();
        let late = after.late.remove(index);
        let outcome = after
            .store
            .apply(&late.write, config.mutant, after.now)
            .map(|_| after);
        next.push((Move::LateWriteArrives(index), outcome));
    }
    if world.short_ticks > 0 {
        let mut after = world.clone();
        after.short_ticks -= 1;
        after.now = after.now.plus(SHORT_TICK);
        next.push((Move::ShortTick, Ok(after)));
    }
    if world.long_ticks > 0 {
        let mut after = world.clone();
        after.long_ticks -= 1;
        after.now = after.now.plus(LONG_TICK);
        // Nothing arrives later than a key lives (design.md §4: at least an hour).
        let now = after.now;
        after
            .late
            .retain(|late| now < late.sent.plus(RETENTION.key));
        next.push((Move::LongTick, Ok(after)));
    }
    if world.store.may_expire(config.mutant, world.now) {
        let mut after = world.clone();
        let outcome = after.store.expire().map(|()| after);
        next.push((Move::TtlDeletes, outcome));
    }
}

const fn events(step: &Step) -> (&'static [Event], &'static [Event]) {
    match step {
        Step::Claim(_) | Step::Commit(_) | Step::Surrender(_) => (CALM, WRITE_FAULTS),
        Step::Recheck(_) => (CALM, READ_FAULTS),
        Step::Evaluate(_) => (VERDICTS, CRASH),
        Step::Wait(_) => (WAITS, CRASH),
        Step::Done(_) => (&[], &[]),
    }
}

fn happen(world: &World, who: usize, errand: Errand, event: Event, config: &Config) -> Outcome {
    let mut after = world.clone();
    let calm = [CALM, VERDICTS, WAITS].concat().contains(&event);
    after.faults -= u8::from(!calm);
    let Some((_, step)) = after.workers[who].running.take() else {
        return Ok(after);
    };
    if let Some(write) = write_of(&step) {
        return after
            .write(who, errand, step, &write, event, config)
            .map(|()| after);
    }
    let caller = after.caller(who, errand, config);
    let moment = after.moment(who, config);
    let step = match (step, event) {
        (_, Event::CrashBeforeSending) => return Ok(after),
        (Step::Recheck(recheck), Event::ReadFailed) => recheck.settle(None, &caller, &moment),
        (Step::Recheck(recheck), _) => {
            recheck.settle(Some(after.store.existing()), &caller, &moment)
        }
        (Step::Evaluate(reservation), Event::Decides) => {
            let decision = decision(&reservation, who);
            reservation.decide(decision, moment.now)
        }
        (Step::Evaluate(reservation), Event::FailsForGood) => {
            let failure = FinalFailure {
                code: FinalCode::DecisionFailed,
                detail: String::new(),
            };
            Step::Surrender(reservation.fail(failure, moment.now))
        }
        (Step::Evaluate(reservation), _) => {
            Step::Surrender(reservation.release(RetryCause::Deadline, moment.now))
        }
        (Step::Wait(waiting), Event::Polls) => waiting.poll(),
        (Step::Wait(waiting), _) => Step::Done(waiting.leave()),
        (other, _) => other,
    };
    after.arrive(who, errand, step).map(|()| after)
}

fn write_of(step: &Step) -> Option<Write> {
    match step {
        Step::Claim(claim) => Some(match claim.write() {
            ClaimWrite::Reserve(reserve) => Write::Reserve(reserve.clone()),
            ClaimWrite::TakeOver(transition) => Write::Transition(transition.clone()),
        }),
        Step::Commit(decided) => Some(Write::Commit(Box::new(decided.commit().clone()))),
        Step::Surrender(surrender) => Some(Write::Transition(surrender.transition().clone())),
        Step::Recheck(_) | Step::Evaluate(_) | Step::Wait(_) | Step::Done(_) => None,
    }
}

impl World {
    /// Worker `who` sends `write`, and `event` happens to it.
    fn write(
        &mut self,
        who: usize,
        errand: Errand,
        step: Step,
        write: &Write,
        event: Event,
        config: &Config,
    ) -> Result<(), &'static str> {
        let answer = match event {
            Event::SentTwice => {
                let _landed = self.store.apply(write, config.mutant, self.now)?;
                self.store.apply(write, config.mutant, self.now)?
            }
            Event::RequestLost => Answer::Unknown,
            Event::ReplyLost => {
                let _unheard = self.store.apply(write, config.mutant, self.now)?;
                Answer::Unknown
            }
            Event::Delayed => {
                self.late.push(Late {
                    write: write.clone(),
                    sent: self.now,
                });
                Answer::Unknown
            }
            Event::Conflict => Answer::NotApplied(NotApplied::Conflict),
            Event::Unavailable => Answer::NotApplied(NotApplied::Unavailable),
            Event::CrashBeforeSending => return Ok(()),
            Event::CrashAfterSending => {
                return self.store.apply(write, config.mutant, self.now).map(|_| ());
            }
            Event::CrashAndDelayed => {
                self.late.push(Late {
                    write: write.clone(),
                    sent: self.now,
                });
                return Ok(());
            }
            _ => self.store.apply(write, config.mutant, self.now)?,
        };
        let step = self.settle(who, errand, step, answer, config);
        self.arrive(who, errand, step)
    }

    fn settle(
        &self,
        who: usize,
        errand: Errand,
        step: Step,
        answer: Answer,
        config: &Config,
    ) -> Step {
        let caller = self.caller(who, errand, config);
        let moment = self.moment(who, config);
        let unknown = answer == Answer::Unknown;
        match (step, config.mutant) {
            (Step::Claim(claim), Mutant::ExhaustedAnsweredEarly) if is_exhausted(claim.next()) => {
                Step::Done(Done::Surrendered(Box::new(claim.next().clone())))
            }
            (Step::Commit(decided), Mutant::NoRereadOnUnknown) if unknown => {
                let failure = FinalFailure {
                    code: FinalCode::DecisionFailed,
                    detail: String::new(),
                };
                let failed = decided
                    .commit()
                    .operation
                    .next
                    .failed(failure, moment.now, RETENTION);
                Step::Done(Done::Surrendered(Box::new(failed)))
            }
            (Step::Commit(decided), Mutant::UnknownIsNotApplied) if unknown => decided.settle(
                Answer::NotApplied(NotApplied::Unavailable),
                &caller,
                &moment,
            ),
            (Step::Claim(claim), _) => claim.settle(answer, &caller, &moment),
            (Step::Commit(decided), _) => decided.settle(answer, &caller, &moment),
            (Step::Surrender(surrender), _) => surrender.settle(answer, &caller, &moment),
            (other, _) => other,
        }
    }
}

fn is_exhausted(record: &crate::record::Record) -> bool {
    matches!(&record.state, State::FailedFinal { failure, .. } if failure.code == FinalCode::AttemptsExhausted)
}
