//! An event's way out: committed once, carried by the stream, swept by state, marked under conditions.
//!
//! One row, a stream publisher that redelivers from its checkpoint, a sweeper, an operator who redrives, TTL, and a stream
//! that may forget. The publisher's rule and the marks' conditions are [`crate::outbox`]'s own.
//!
//! It may begin earlier, with a queued operation that a stream and a sweeper bring to the commit: what they do with the record
//! is [`super::life`]'s matter; here it is a state, and whether anybody looks at it.

mod moves;
mod queue;
mod tests;
mod world;

use self::moves::Move;
use self::world::World;
use super::explore::{Model, Outcome, digest};

/// One rule of delivery, broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// The row is marked before it is sent.
    MarkBeforeSend,
    /// The row has a TTL from its commit on.
    TtlAtCommit,
    /// The publisher sends whatever image has a marker.
    ActOnAnyImage,
    /// A mark takes the absence of a row for consent.
    MarkWithoutExists,
    /// Each send has an id of its own.
    NewIdEachSend,
    /// What was done behind a failure is remembered by its event, so that a redriven row is taken for done.
    RememberWithoutMarker,
    /// What was sent is remembered before it is marked.
    RememberUnmarked,
    /// The evaluator decides what an image shows, without reading the record.
    DecideFromTheImage,
    /// The sweeper looks for operations that nobody began, not for those that were given up.
    SweepOnlyQueued,
}

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) faults: u8,
    pub(crate) redrives: u8,
    pub(crate) ticks: u8,
    /// Whether it begins with a queued operation, before the commit.
    pub(crate) queued: bool,
    pub(crate) mutant: Mutant,
}

impl Model for Config {
    type World = World;
    type Move = Move;

    fn start(&self) -> World {
        if self.queued {
            World::queued(self)
        } else {
            World::committed(self)
        }
    }

    fn moves(&self, world: &World) -> Vec<(Move, Outcome<World>)> {
        moves::moves(world, self)
    }

    fn essence(&self, world: &World) -> u64 {
        digest(world)
    }

    /// The sweeper finds the operation or the row by its state, or the sink has the event, or an operator sees it in quarantine.
    fn comes_to_an_end(&self, world: &World) -> Result<(), &'static str> {
        if !world.operation.is_decided() {
            return queue::is_looked_after(world, self);
        }
        if world.acknowledged || world.is_in_sight() {
            Ok(())
        } else {
            Err("an event was lost: the sink does not have it and nobody looks for it")
        }
    }
}
