//! Breadth-first search over all worlds of a configuration.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::time::Duration;

use foldhash::quality::FixedState;

use super::moves::{Move, moves};
use super::store::Write;
use super::world::{Payload, World, decision};
use super::{Config, LEASE};
use crate::flow::{ClaimWrite, Done, Step, TRIES};
use crate::record::{EXPIRY_MARGIN, State};

/// What a search found.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) worlds: usize,
    pub(super) violation: Option<Violation>,
}

/// A broken rule with a shortest history that breaks it.
#[derive(Debug)]
pub(super) struct Violation {
    pub(super) rule: &'static str,
    pub(super) history: Vec<Move>,
}

/// Visits every world once. Worlds are told apart by a 64-bit hash: among a million of them, two collide with a probability
/// of three in a hundred million.
pub(super) fn explore(config: &Config) -> Explored {
    let start = World::new(config);
    let mut seen = HashSet::from([digest(&start)]);
    let mut answerable = HashSet::new();
    let mut parents: Vec<(usize, Option<Move>)> = vec![(0, None)];
    let mut queue = VecDeque::from([(0, start)]);
    while let Some((index, world)) = queue.pop_front() {
        if answerable.insert(digest(&(&world.store.record, world.now)))
            && let Err(rule) = retry_reaches_an_answer(&world, config)
        {
            return found(&parents, index, None, rule);
        }
        for (step, outcome) in moves(&world, config) {
            match outcome {
                Err(rule) => return found(&parents, index, Some(step), rule),
                Ok(next) => {
                    if seen.insert(digest(&next)) {
                        parents.push((index, Some(step)));
                        queue.push_back((parents.len() - 1, next));
                    }
                }
            }
        }
    }
    Explored {
        worlds: parents.len(),
        violation: None,
    }
}

fn found(
    parents: &[(usize, Option<Move>)],
    mut index: usize,
    last: Option<Move>,
    rule: &'static str,
) -> Explored {
    let mut history: Vec<Move> = last.into_iter().collect();
    while let (parent, Some(step)) = parents[index] {
        history.push(step);
        index = parent;
    }
    history.reverse();
    Explored {
        worlds: parents.len(),
        violation: Some(Violation { rule, history }),
    }
}

fn digest(value: &impl Hash) -> u64 {
    FixedState::with_seed(0).hash_one(value)
}

/// Once calls stop failing and a lease's time has passed, the caller whose key it is gets a final answer.
fn retry_reaches_an_answer(world: &World, config: &Config) -> Result<(), &'static str> {
    let mut world = world.clone();
    world.now = world
        .now
        .plus(LEASE + EXPIRY_MARGIN + Duration::from_secs(1));
    let payload = match &world.store.record {
        Some(record) if record.identity.exact == Payload::B.fingerprint() => Payload::B,
        Some(_) | None => Payload::A,
    };
    let fresh = u8::MAX;
    world.workers[0].claims = fresh;
    let caller = world.caller(0, payload, config);
    let moment = world.moment(0, config);
    let mut step = Step::begin(&caller, &moment, TRIES);
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
            Step::Done(done) => return is_final(&done),
        };
    }
    Err("a retry does not come to an end")
}

fn is_final(done: &Done) -> Result<(), &'static str> {
    match done {
        Done::Committed(_) | Done::Finished(_) | Done::ResultExpired { .. } => Ok(()),
        Done::Surrendered(record) if matches!(record.state, State::FailedFinal { .. }) => Ok(()),
        Done::Surrendered(_)
        | Done::InProgress(_)
        | Done::Mismatch { .. }
        | Done::NotReserved
        | Done::TryAgain(_) => Err("a retry does not reach a final answer though no call fails"),
    }
}
