//! An event's way through its consumer: copies of it in a queue, one mark, and an effect that is had elsewhere.
//!
//! Each copy is worked on until it is acknowledged: by a worker that may die anywhere, whose requests and replies are lost or late,
//! and which may stand still until its claim lapses. Who may work, and what is acknowledged, is [`crate::inbox`]'s own word.

mod moves;
mod tests;
mod world;

use std::time::Duration;

use self::moves::Move;
use self::world::World;
use super::explore::{Model, Outcome, digest};

/// Between two ticks every claim lapses.
pub(crate) const TICK: Duration = Duration::from_secs(3_600);

/// A mark outlives its writing by two ticks.
pub(crate) const RETENTION: Duration = Duration::from_secs(7_200);

/// One rule, broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// The mark says done, then the effect is had.
    MarkBeforeWorked,
    /// A duplicate of what somebody else is at is acknowledged.
    AcknowledgeALiveClaim,
    /// Whoever has had the effect records it, whatever stands there.
    FinishUnfenced,
    /// Whoever gives up takes the mark away, whatever stands there.
    ReleaseUnfenced,
    /// A claim holds for ever.
    NoLease,
    /// Each claim has a downstream key of its own.
    KeyOfTheClaim,
}

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) copies: usize,
    pub(crate) faults: u8,
    pub(crate) ticks: u8,
    pub(crate) mutant: Mutant,
}

impl Model for Config {
    type World = World;
    type Move = Move;

    fn start(&self) -> World {
        World::sent(self)
    }

    fn moves(&self, world: &World) -> Vec<(Move, Outcome<World>)> {
        moves::moves(world, self.mutant)
    }

    fn essence(&self, world: &World) -> u64 {
        digest(world)
    }

    /// Once nothing fails any more, every copy is acknowledged, by the end of the last claim.
    fn comes_to_an_end(&self, world: &World) -> Result<(), &'static str> {
        let mut world = World {
            faults: 0,
            ticks: 2,
            late: Vec::new(),
            ..world.clone()
        };
        for _ in 0..3 {
            for copy in 0..self.copies {
                // From wherever it is to its acknowledgement there are fewer steps than these; a refused copy begins anew.
                for _ in 0..8 {
                    match moves::without_fault(&world, copy, self.mutant) {
                        Some(next) => world = next?,
                        None => break,
                    }
                }
            }
            world.now = world.now.plus(TICK);
        }
        if world.is_over() {
            Ok(())
        } else {
            Err("a copy is never acknowledged")
        }
    }
}
