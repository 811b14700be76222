//! The life of one call, as a machine without I/O.
//!
//! A driver ([`Step`] in, answer out) does what a step asks and hands back what it was told; every decision is here. The
//! service drives it over a store, the model checker drives the very same code over every interleaving:
//!
//! ```text
//!            ┌────────────── Recheck (strong read) ◄── outcome unknown, conflict ──┐
//!            ▼                                                                     │
//!  begin ─► Claim ─── Applied ──► Evaluate ──► Commit ─── Applied ──► Done(Committed)
//!            │                        └──────► Surrender ─ Applied ─► Done(Surrendered)
//!            └─ Refused ─► classify ─► Done(Finished | Mismatch | ResultExpired | …), Wait, or Claim (take over)
//! ```
//!
//! Permission is a value: [`Reservation`] → [`Decided`] → [`Committed`] are not `Clone`, have no public constructor and are
//! consumed by the next step; only [`Committed`] is a success.
//!
//! A reservation is granted by a store's answer to a claim, never made:
//!
//! ```compile_fail,E0451
//! # use decide_once_protocol::{flow::Reservation, record::{Record, Retention}};
//! fn forge(record: Record, retention: Retention) -> Reservation {
//!     Reservation { record, retention, tries: 1 }
//! }
//! ```
//!
//! and it is spent by deciding:
//!
//! ```compile_fail,E0382
//! # use decide_once_protocol::{flow::Reservation, record::RetryCause, time::Timestamp};
//! fn spend_twice(reservation: Reservation, now: Timestamp) {
//!     let _ = reservation.release(RetryCause::Deadline, now);
//!     let _ = reservation.release(RetryCause::Deadline, now);
//! }
//! ```
//!
//! ```
//! # use decide_once_protocol::{flow::Reservation, record::RetryCause, time::Timestamp};
//! fn spend_once(reservation: Reservation, now: Timestamp) {
//!     let _ = reservation.release(RetryCause::Deadline, now);
//! }
//! ```

mod claim;
mod decided;
mod judge;
mod remembered;
mod reservation;
mod surrender;

pub use claim::{Claim, ClaimWrite};
pub use decided::{Committed, Decided};
pub use judge::{Recheck, Waiting};
pub use remembered::Remembered;
pub use reservation::{Decision, EventDraft, Reservation};
pub use surrender::Surrender;

use crate::classify::Caller;
use crate::ids::{DecisionId, OwnerToken};
use crate::record::Record;
use crate::time::Timestamp;
use crate::writes::{Existing, Unreadable};

/// How often one call sends a write again or starts another claim, before it answers "try again with the same key". The
/// SDK below retries too; this bounds what comes on top of it.
pub const TRIES: u8 = 4;

/// What a step may need of the world: the instant, and an owner token and lease in case a claim is made.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The worker's clock.
    pub now: Timestamp,
    /// Fresh for each call of a step.
    pub owner: OwnerToken,
    /// Until when a claim made now holds; the lease's margin is included.
    pub lease_until: Timestamp,
}

/// A caller whose request can be reserved, or why not.
pub trait Reserver: Caller {
    /// The record of a first reservation; `None` where the request is not valid under the policy that would decide it, or where
    /// an operation is only gone on with.
    fn reservation(&self, moment: &Moment) -> Option<Record>;
}

/// What is to be done next.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
#[must_use]
pub enum Step {
    /// Send this write, then [`Claim::settle`].
    Claim(Claim),
    /// Read the operation strongly, then [`Recheck::settle`].
    Recheck(Recheck),
    /// The key is owned: evaluate, then [`Reservation::decide`], [`Reservation::fail`] or [`Reservation::release`].
    Evaluate(Reservation),
    /// Send this transaction, then [`Decided::settle`].
    Commit(Decided),
    /// Send this write, then [`Surrender::settle`].
    Surrender(Surrender),
    /// Somebody else is at it: [`Waiting::poll`] after a while, or [`Waiting::leave`].
    Wait(Waiting),
    /// The call is over.
    Done(Done),
}

/// How a call ends.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub enum Done {
    /// Decided by this call.
    Committed(Committed),
    /// This call recorded a failure: final, or to be retried.
    Surrendered(Box<Record>),
    /// Decided, or finally failed, before: the recorded answer is replayed.
    Finished(Box<Record>),
    /// This call has queued it, as its caller wanted.
    Queued(Box<Record>),
    /// Another worker is at it, or another call has queued it.
    InProgress(Box<Record>),
    /// The key belongs to another request.
    Mismatch {
        /// JSON Pointers of what differs.
        pointers: Vec<String>,
    },
    /// The result is gone and the key not yet free.
    ResultExpired {
        /// The decision, where there was one.
        decision: Option<DecisionId>,
        /// From when the key is free.
        free_from: Timestamp,
    },
    /// There is no live record and the request cannot be reserved: nothing was stored.
    NotReserved,
    /// Nothing can be said now; the same key may be tried again.
    TryAgain(TryAgain),
}

/// Why a call ends without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TryAgain {
    /// The store did not do its work.
    StoreUnavailable,
    /// A write was sent whose outcome could not be found out.
    OutcomeUnknown,
    /// The key's life ended under the worker's hands.
    Lost,
    /// The record is pinned to a policy version that is not packaged here.
    PolicyNotPackaged,
    /// The record cannot be read; it is never written to, and alarms.
    Unreadable(Unreadable),
    /// A decision or event exists that the operation does not know of; alarms.
    Inconsistent,
}

impl Step {
    /// Starts a call: with the reservation, or, where the request cannot be reserved, with a look at the record, because a
    /// live one answers first.
    pub fn begin(caller: &impl Reserver, moment: &Moment, tries: u8) -> Self {
        match caller.reservation(moment) {
            Some(record) => Self::Claim(Claim::reserve(record, moment, tries)),
            None => Self::Recheck(Recheck::look(tries)),
        }
    }
}

impl Step {
    /// Goes on with an operation that carries its request, from what a strongly consistent read found: the way of those who
    /// look after the queue. Their `caller` has no reservation of its own, so that what is gone stays gone.
    pub fn resume(found: Existing, caller: &impl Reserver, moment: &Moment, tries: u8) -> Self {
        Recheck::look(tries).settle(Some(found), caller, moment)
    }
}

impl From<TryAgain> for Step {
    fn from(why: TryAgain) -> Self {
        Self::Done(Done::TryAgain(why))
    }
}
