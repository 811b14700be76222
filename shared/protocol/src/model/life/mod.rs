//! A key's life: workers that drive [`crate::flow`] over one record, and everything that can happen to them.
//!
//! Only the store, the clocks and the faults are modelled; the store asks the [`crate::writes`] conditions themselves.

mod moves;
mod retry;
mod store;
mod tests;
mod world;

use std::time::Duration;

use self::moves::Move;
use self::world::World;
use super::explore::{Model, Outcome, digest};

use crate::record::{EXPIRY_MARGIN, Retention};

/// One rule of the protocol, broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// The protocol as it is.
    None,
    /// The commit is conditional on PROCESSING only.
    CommitUnfenced,
    /// The commit takes "absent, or mine" for its own.
    CommitAbsentOrMine,
    /// A release is conditional on the owner and attempt, not on the state.
    ReleaseWithoutState,
    /// A release is conditional on the existence of a record only.
    ReleaseUnfenced,
    /// Every record belongs to every request.
    NoFingerprint,
    /// An unknown outcome is taken for a failure: the worker records one without looking.
    NoRereadOnUnknown,
    /// `attempts-exhausted` is answered before it is recorded.
    ExhaustedAnsweredEarly,
    /// An unknown outcome is taken for "not applied": the worker releases without looking.
    UnknownIsNotApplied,
    /// What was remembered is answered for as long as the worker lives.
    RemembersForEver,
    /// A record that carries a request has a TTL like any other.
    TtlWhileCarrying,
    /// A takeover leaves the request behind.
    TakeoverDropsRequest,
    /// A queued key may be reserved anew by who does not find an expiry in it.
    QueuedIsVacant,
    /// Whoever looks after the queue leaves alone what was given up.
    QueueForgetsReleased,
}

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    /// How many requests each worker handles, one after the other.
    pub(crate) requests: &'static [u8],
    /// Whether the first worker's requests are asynchronous.
    pub(crate) asynchronous: bool,
    /// Whether the last worker looks after the queue: its requests are turns.
    pub(crate) queue: bool,
    /// How far each worker's clock is ahead; at most [`EXPIRY_MARGIN`].
    pub(crate) ahead: [Duration; 3],
    /// How many things may go wrong in one history.
    pub(crate) faults: u8,
    /// How often one call tries again.
    pub(crate) tries: u8,
    /// How often a lease's time passes, and a retention's.
    pub(crate) short_ticks: u8,
    pub(crate) long_ticks: u8,
    /// The attempts that were used up before the history begins.
    pub(crate) attempts_before: u32,
    /// Whether workers answer from what they have seen, where they may.
    pub(crate) remembers: bool,
    pub(crate) mutant: Mutant,
}

/// How long a caller leaves a queued operation to the queue's worker; one short tick passes it.
const QUEUE_PATIENCE: Duration = Duration::from_secs(10);
/// A lease, as the model's workers take it.
const LEASE: Duration = Duration::from_secs(31);
/// A lease lapses in one short tick.
const SHORT_TICK: Duration = Duration::from_secs(32);
/// One long tick passes the result, two the key's expiry but not its margin, three all of it: the three zones.
const LONG_TICK: Duration = Duration::from_secs(62 * 60);
const RETENTION: Retention = Retention {
    result: Duration::from_secs(60 * 60),
    key: Duration::from_secs(120 * 60),
    decision: None,
};

impl Config {
    pub(crate) const fn new(requests: &'static [u8]) -> Self {
        Self {
            requests,
            asynchronous: false,
            queue: false,
            ahead: [Duration::ZERO; 3],
            faults: 2,
            tries: 1,
            short_ticks: 1,
            long_ticks: 0,
            attempts_before: 0,
            remembers: false,
            mutant: Mutant::None,
        }
    }

    /// The first worker's callers do not wait, and the last worker looks after the queue.
    pub(crate) const fn queued(requests: &'static [u8]) -> Self {
        Self {
            asynchronous: true,
            queue: true,
            ..Self::new(requests)
        }
    }

    /// The second worker's clock is ahead by all that clocks may differ by.
    pub(crate) const fn skewed(self) -> Self {
        Self {
            ahead: [Duration::ZERO, EXPIRY_MARGIN, Duration::ZERO],
            ..self
        }
    }
}

impl Model for Config {
    type World = World;
    type Move = Move;

    fn start(&self) -> World {
        World::new(self)
    }

    fn moves(&self, world: &World) -> Vec<(Move, Outcome<World>)> {
        moves::moves(world, self)
    }

    fn essence(&self, world: &World) -> u64 {
        digest(&(&world.store.record, world.now))
    }

    fn comes_to_an_end(&self, world: &World) -> Result<(), &'static str> {
        retry::reaches_an_answer(world, self)?;
        retry::the_queue_comes_to_an_end(world, self)
    }
}
