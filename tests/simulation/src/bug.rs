//! What is deliberately broken, to see that the checker finds it.

use std::fmt;

/// A way to be wrong. Each breaks one rule of the protocol, where the store, the sink or a client keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bug {
    /// A commit is applied whoever has the record meanwhile.
    CommitUnfenced,
    /// A transition is applied whatever stands there.
    TransitionUnfenced,
    /// A key is free as soon as its result has expired.
    KeyFreedEarly,
    /// A natural key is anybody's.
    ClaimsIgnored,
    /// A commit does not write its last event.
    EventDropped,
    /// The sink acknowledges, then sends, if its process still lives.
    AcknowledgedBeforeSent,
    /// Each send makes up a new id.
    NewIdEachSend,
    /// A consumer's mark permits everybody.
    MarksIgnored,
    /// A duplicate of a live claim is acknowledged.
    LiveClaimAcknowledged,
    /// A client that has no answer asks again under a new key.
    NewKeyOnSilence,
    /// The sweeper never runs.
    NoSweeper,
    /// Whoever reads an operation sees what stood there before the last write.
    ReadsBehind,
}

impl Bug {
    /// Each of them.
    pub const ALL: [Self; 12] = [
        Self::CommitUnfenced,
        Self::TransitionUnfenced,
        Self::KeyFreedEarly,
        Self::ClaimsIgnored,
        Self::EventDropped,
        Self::AcknowledgedBeforeSent,
        Self::NewIdEachSend,
        Self::MarksIgnored,
        Self::LiveClaimAcknowledged,
        Self::NewKeyOnSilence,
        Self::NoSweeper,
        Self::ReadsBehind,
    ];
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::str::FromStr for Bug {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|bug| bug.to_string() == name);
        known.ok_or_else(|| format!("there is no bug of this name; there are {:?}", Self::ALL))
    }
}
