//! A batch's way out: rows of two subjects, sent beside each other, handed in again from the lowest that is not done.
//!
//! A publisher that fails, dies and remembers; who may be sent when is [`crate::lanes`]' own word. What becomes of a single
//! row, with sweeper, operator and TTL, is in the model `delivery`.

mod moves;
mod tests;
mod world;

use self::moves::Move;
use self::world::World;
use super::explore::{Model, Outcome, digest};

/// One rule, broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// Each row has a lane of its own.
    NoLanes,
    /// A row that failed lets the next of its subject pass.
    GoOnBehindAFailure,
    /// The stream goes on behind the last row that is done.
    CheckpointAtTheLast,
    /// What was sent is remembered, marked or not.
    RememberWhatIsSent,
}

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) faults: u8,
    pub(crate) mutant: Mutant,
}

impl Model for Config {
    type World = World;
    type Move = Move;

    fn start(&self) -> World {
        World::committed(self.faults)
    }

    fn moves(&self, world: &World) -> Vec<(Move, Outcome<World>)> {
        moves::moves(world, self.mutant)
    }

    fn essence(&self, world: &World) -> u64 {
        digest(world)
    }

    /// Once nothing fails any more, every row is done and the stream is behind all of them.
    fn comes_to_an_end(&self, world: &World) -> Result<(), &'static str> {
        let mut world = World {
            faults: 0,
            ..world.clone()
        };
        // Each move without a fault leads on; the longest way has fewer than these.
        for _ in 0..100 {
            match moves::moves(&world, self.mutant).into_iter().next() {
                Some((_, next)) => world = next?,
                None => break,
            }
        }
        if world.is_over() {
            Ok(())
        } else {
            Err("a row is not done and nobody goes on with it")
        }
    }
}
