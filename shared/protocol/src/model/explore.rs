//! Breadth-first search over all worlds of a model.

use std::collections::{HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;

/// The world after a move, or the rule that the move breaks.
pub(super) type Outcome<W> = Result<W, &'static str>;

/// Something whose every history can be explored.
pub(super) trait Model {
    /// Everything that distinguishes one moment of a history from another.
    type World: Hash;
    /// One thing that happens.
    type Move: Copy + Debug;

    /// Where every history begins.
    fn start(&self) -> Self::World;

    /// Every next world, or the rule that the way there breaks.
    fn moves(&self, world: &Self::World) -> Vec<(Self::Move, Outcome<Self::World>)>;

    /// What [`Self::comes_to_an_end`] depends on: it is asked once for each.
    fn essence(&self, world: &Self::World) -> u64;

    /// Once nothing fails any more, what was begun comes to its end.
    fn comes_to_an_end(&self, world: &Self::World) -> Result<(), &'static str>;
}

/// What a search found.
#[derive(Debug)]
pub(super) struct Explored<M> {
    pub(super) worlds: usize,
    pub(super) violation: Option<Violation<M>>,
}

/// A broken rule with a shortest history that breaks it.
#[derive(Debug)]
pub(super) struct Violation<M> {
    pub(super) rule: &'static str,
    pub(super) history: Vec<M>,
}

/// How a world was reached: from which one, by what.
type Origin<M> = (usize, Option<M>);

/// Visits every world once. Worlds are told apart by a 64-bit hash: among a million of them, two collide with a probability
/// of three in a hundred million.
pub(super) fn explore<M: Model>(model: &M) -> Explored<M::Move> {
    let start = model.start();
    let mut seen = HashSet::from([digest(&start)]);
    let mut ended = HashSet::new();
    let mut origins: Vec<Origin<M::Move>> = vec![(0, None)];
    let mut queue = VecDeque::from([(0, start)]);
    while let Some((index, world)) = queue.pop_front() {
        if ended.insert(model.essence(&world))
            && let Err(rule) = model.comes_to_an_end(&world)
        {
            return found(&origins, index, None, rule);
        }
        for (step, outcome) in model.moves(&world) {
            match outcome {
                Err(rule) => return found(&origins, index, Some(step), rule),
                Ok(next) => {
                    if seen.insert(digest(&next)) {
                        origins.push((index, Some(step)));
                        queue.push_back((origins.len() - 1, next));
                    }
                }
            }
        }
    }
    Explored {
        worlds: origins.len(),
        violation: None,
    }
}

fn found<M: Copy>(
    origins: &[Origin<M>],
    mut index: usize,
    last: Option<M>,
    rule: &'static str,
) -> Explored<M> {
    let mut history: Vec<M> = last.into_iter().collect();
    while let (origin, Some(step)) = origins[index] {
        history.push(step);
        index = origin;
    }
    history.reverse();
    Explored {
        worlds: origins.len(),
        violation: Some(Violation { rule, history }),
    }
}

pub(super) fn digest(value: &impl Hash) -> u64 {
    FixedState::with_seed(0).hash_one(value)
}

/// Asserts that no history of `model` breaks a rule.
#[track_caller]
#[expect(
    clippy::disallowed_macros,
    reason = "a check tells how much it has seen"
)]
pub(super) fn holds<M: Model>(name: &str, model: &M) {
    let Explored { worlds, violation } = explore(model);
    eprintln!("{name}: {worlds} worlds");
    assert!(violation.is_none(), "{name}: {violation:#?}");
}

/// Asserts that a history of `model` breaks `rule`.
#[track_caller]
#[expect(
    clippy::disallowed_macros,
    reason = "a check tells how much it has seen"
)]
pub(super) fn is_found<M: Model>(model: &M, rule: &str) {
    let violation = explore(model)
        .violation
        .expect("the checker finds no violation");
    eprintln!("{} after {:?}", violation.rule, violation.history);
    assert_eq!(violation.rule, rule, "{:#?}", violation.history);
}
