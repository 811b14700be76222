//! What an operation carries while nobody waits with its request: asynchronous ones, until they are final.

use std::fmt;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::state::{Hold, Keep, State};
use super::{Record, StateName};
use crate::key::IdempotencyKey;
use crate::request::{BodyError, DecisionRequest};
use crate::scope::OperationId;
use crate::time::Timestamp;
use crate::trace::TraceParent;

/// The largest request that is carried, in bytes of its canonical form. A larger one is decided while its caller waits.
pub const CARRIED_LIMIT: usize = 32 * 1024;

/// How many lanes the queue has: the partitions of the index of records that carry a request.
pub const LANES: u8 = 8;

/// The longest pause before a given-up attempt of a carried operation is followed by the next.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// A request with its key, stored so that it can be decided when its caller has long gone. `Debug` shows neither.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Carried {
    key: IdempotencyKey,
    body: Box<str>,
    trace: Option<TraceParent>,
}

/// Where a record that carries a request stands in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Due {
    /// The index's partition: from 0 to [`LANES`], fixed for an operation.
    pub lane: u8,
    /// From when on somebody should look after it.
    pub at: Timestamp,
}

impl Carried {
    /// Carries `request`; `None` if it is over [`CARRIED_LIMIT`].
    #[must_use]
    pub fn of(key: &IdempotencyKey, request: &DecisionRequest) -> Option<Self> {
        let body = request.canonical();
        (body.len() <= CARRIED_LIMIT).then(|| Self {
            key: key.clone(),
            body: body.into(),
            trace: None,
        })
    }

    /// With the trace that its caller asked in.
    #[must_use]
    pub fn traced(self, trace: Option<TraceParent>) -> Self {
        Self { trace, ..self }
    }

    /// The trace that its caller asked in.
    #[must_use]
    pub const fn trace(&self) -> Option<TraceParent> {
        self.trace
    }

    /// What is stored of it, but for the trace.
    #[must_use]
    pub fn parts(&self) -> (&IdempotencyKey, &str) {
        (&self.key, &self.body)
    }

    /// What was stored of it.
    #[must_use]
    pub fn from_parts(key: IdempotencyKey, body: &str) -> Self {
        Self {
            key,
            body: body.into(),
            trace: None,
        }
    }

    /// The caller's key.
    #[must_use]
    pub const fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// The request.
    ///
    /// # Errors
    /// What is stored is not a request, so nobody's who reserved this operation.
    pub fn request(&self) -> Result<DecisionRequest, BodyError> {
        DecisionRequest::parse(self.body.as_bytes())
    }
}

impl fmt::Debug for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Carried({} bytes)", self.body.len())
    }
}

impl Record {
    /// The request that it carries.
    #[must_use]
    pub fn carried(&self) -> Option<&Carried> {
        match &self.state {
            State::Processing { keep, .. } | State::FailedRetryable { keep, .. } => keep.carried(),
            State::Succeeded { .. } | State::FailedFinal { .. } => None,
        }
    }

    /// Its place in the queue, while it carries a request. Derived from what stands, so that every write keeps it right.
    #[must_use]
    pub fn due(&self) -> Option<Due> {
        self.carried()?;
        let at = match &self.state {
            State::Processing { hold, .. } => match hold {
                Hold::Queued => self.updated,
                Hold::Leased(lease) => *lease,
            },
            State::FailedRetryable { .. } => self.updated.plus(pause_after(self.fence.attempt)),
            State::Succeeded { .. } | State::FailedFinal { .. } => return None,
        };
        Some(Due {
            lane: lane(&self.operation),
            at,
        })
    }

    /// Reserved, and nobody has begun.
    #[must_use]
    pub const fn is_queued(&self) -> bool {
        matches!(
            self.state,
            State::Processing {
                hold: Hold::Queued,
                ..
            }
        )
    }

    /// Whether this state is the operation's last.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(
            self.state.name(),
            StateName::Succeeded | StateName::FailedFinal
        )
    }
}

impl Keep {
    /// The request that is carried.
    #[must_use]
    pub const fn carried(&self) -> Option<&Carried> {
        match self {
            Self::Until(_) => None,
            Self::Carrying(carried) => Some(carried),
        }
    }
}

/// Twice as long after each attempt, up to five minutes.
fn pause_after(attempt: u32) -> Duration {
    Duration::from_secs(2_u64.saturating_pow(attempt)).min(LONGEST_PAUSE)
}

fn lane(operation: &OperationId) -> u8 {
    Sha256::digest(operation.as_str().as_bytes())[0] % LANES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_are_bounded() {
        let seconds = |attempt| pause_after(attempt).as_secs();
        assert_eq!([1, 2, 3, 8].map(seconds), [2, 4, 8, 256]);
        assert_eq!(seconds(9), 300);
        assert_eq!(seconds(u32::MAX), 300);
    }
}
