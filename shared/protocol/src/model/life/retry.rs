//! Liveness: what a retry comes to once calls stop failing.

use std::time::Duration;

use super::store::Write;
use super::world::{Errand, Kind, Payload, World, decision};
use super::{Config, LEASE, Mutant};
use crate::flow::{ClaimWrite, Done, Step, TRIES};
use crate::record::State;

/// Once calls stop failing and a lease's time has passed, the caller whose key it is gets a final answer.
pub(crate) fn reaches_an_answer(world: &World, config: &Config) -> Result<(), &'static str> {
    let errand = Errand {
        payload: world.store.record.as_ref().map_or(Payload::A, Payload::of),
        kind: Kind::Post,
    };
    is_final(&comes_to(world, errand, config)?)
}

/// What carries its request needs nobody's call: whoever looks after the queue brings it to its end.
pub(crate) fn the_queue_comes_to_an_end(
    world: &World,
    config: &Config,
) -> Result<(), &'static str> {
    let Some(record) = world.store.record.as_ref() else {
        return Ok(());
    };
    if record.carried().is_none() {
        return Ok(());
    }
    if config.mutant == Mutant::QueueForgetsReleased
        && matches!(record.state, State::FailedRetryable { .. })
    {
        return Err("a queued operation has nobody who looks after it");
    }
    let errand = Errand {
        payload: Payload::of(record),
        kind: Kind::Resume,
    };
    is_final(&comes_to(world, errand, config)?)
}

fn comes_to(world: &World, errand: Errand, config: &Config) -> Result<Done, &'static str> {
    let mut world = world.clone();
    let ahead = config.ahead.into_iter().max().unwrap_or_default();
    world.now = world.now.plus(LEASE + ahead + Duration::from_secs(1));
    let fresh = u8::MAX;
    world.workers[0].claims = fresh;
    let caller = world.caller(0, errand, config);
    let moment = world.moment(0, config);
    let mut step = match errand.kind {
        Kind::Post | Kind::PostAsync => Step::begin(&caller, &moment, TRIES),
        Kind::Resume => Step::resume(world.store.existing(), &caller, &moment, TRIES),
    };
    for _ in 0..16 {
        let mut apply = |write: &Write| world.store.apply(write, config.mutant, world.now);
        step = match step {
            Step::Claim(claim) => {
                let answer = match claim.write() {
                    ClaimWrite::Reserve(reserve) => apply(&Write::Reserve(reserve.clone())),
                    ClaimWrite::TakeOver(transition) => {
                        apply(&Write::Transition(transition.clone()))
                    }
                };
                claim.settle(answer?, &caller, &moment)
            }
            Step::Evaluate(reservation) => {
                let decision = decision(&reservation, 0);
                reservation.decide(decision, moment.now)
            }
            Step::Commit(decided) => {
                let answer = apply(&Write::Commit(Box::new(decided.commit().clone())));
                decided.settle(answer?, &caller, &moment)
            }
            Step::Surrender(surrender) => {
                let answer = apply(&Write::Transition(surrender.transition().clone()));
                surrender.settle(answer?, &caller, &moment)
            }
            Step::Recheck(recheck) => {
                recheck.settle(Some(world.store.existing()), &caller, &moment)
            }
            Step::Wait(_) => return Err("a lease outlives its time"),
            Step::Done(done) => return Ok(done),
        };
    }
    Err("a retry does not come to an end")
}

fn is_final(done: &Done) -> Result<(), &'static str> {
    match done {
        Done::Committed(_) | Done::Finished(_) | Done::ResultExpired { .. } => Ok(()),
        Done::Surrendered(record) if matches!(record.state, State::FailedFinal { .. }) => Ok(()),
        Done::Surrendered(_)
        | Done::Queued(_)
        | Done::InProgress(_)
        | Done::Mismatch { .. }
        | Done::NotReserved
        | Done::TryAgain(_) => Err("a retry does not reach a final answer though no call fails"),
    }
}
