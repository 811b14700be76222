//! What is left to chance: drawn from the seed and the place where it is asked, not from what was drawn before.
//!
//! So a simulation from which an operation or a fault was taken is the same in everything else, and shrinks.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use decide_once_tests::seed::Seed;

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// The world itself.
    World,
    /// A worker of the decide function, for an ask of this number.
    Decide(u16),
    /// A worker of the evaluate function, for a shard of the operations' stream.
    Evaluate(u8),
    /// A worker of the publish function, for a shard of the outbox's stream.
    Publish(u8),
    /// The sweeper.
    Sweep,
    /// A worker of a consumer, for a message of this number.
    Consume(Consumer, u32),
}

/// The two kinds of consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consumer {
    /// Has its effect in the transaction of its mark.
    Balances,
    /// Has its effect elsewhere, under a lease.
    Desk,
}

/// A point at which chance has a say: a call to the store or the sink, of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Who calls.
    pub who: Who,
    /// In which of its invocations.
    pub turn: u32,
    /// The number of the call; 0 is the invocation itself.
    pub call: u32,
}

/// A seed's chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(u64);

impl Chance {
    /// Of a seed.
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// What is drawn at a place, for a purpose.
    #[must_use]
    pub fn at(self, place: Place, purpose: &str) -> Seed {
        let mut hasher = DefaultHasher::new();
        (self.0, place, purpose).hash(&mut hasher);
        Seed::new(hasher.finish())
    }
}

impl Place {
    /// Of an invocation as a whole.
    #[must_use]
    pub const fn invocation(who: Who, turn: u32) -> Self {
        Self { who, turn, call: 0 }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => f.write_str("world"),
            Self::Decide(ask) => write!(f, "ask {ask}"),
            Self::Evaluate(shard) => write!(f, "evaluate/{shard}"),
            Self::Publish(shard) => write!(f, "publish/{shard}"),
            Self::Sweep => f.write_str("sweep"),
            Self::Consume(consumer, message) => write!(f, "{consumer} {message}"),
        }
    }
}

impl fmt::Display for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Balances => "balances",
            Self::Desk => "desk",
        })
    }
}
