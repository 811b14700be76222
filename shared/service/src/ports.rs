//! What the use-cases need of the world. Adapters report facts; what a fact means is for `decide_once_protocol` to say.

use std::future::Future;
use std::num::NonZeroUsize;

use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::{DecisionId, EventId};
use decide_once_protocol::inbox::{
    Claim, Finish, FoundMark, Keep, MarkAnswer, MarkId, Release, Together,
};
use decide_once_protocol::outbox::{Marker, OutboxRow};
use decide_once_protocol::record::Due;
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Commit, Existing, Reserve, Transition, Unreadable};

use crate::limits::Window;

/// Operations and decisions. Each write is one request to the store and tells, three-valued, what became of it.
pub trait Store: Send + Sync {
    /// Puts a first record. Once it returns [`Answer::Applied`] the record is durable and everybody's reserve is refused.
    fn reserve(&self, write: &Reserve) -> impl Future<Output = Answer> + Send;

    /// Moves a record on from what was seen.
    fn transition(&self, write: &Transition) -> impl Future<Output = Answer> + Send;

    /// Commits record, decision, events and claims together. Once it returns [`Answer::Applied`] all of them are durable;
    /// after [`Answer::Refused`], [`Answer::Blocked`] or [`Answer::NotApplied`] none is, nor will be by this request.
    fn commit(&self, write: &Commit) -> impl Future<Output = Answer> + Send;

    /// Reads an operation, strongly consistent.
    ///
    /// # Errors
    /// The store did not answer. A record that cannot be read is not an error but [`Existing::Unreadable`].
    fn read_operation(
        &self,
        id: &OperationId,
    ) -> impl Future<Output = Result<Existing, StoreError>> + Send;

    /// Reads a decision, strongly consistent.
    ///
    /// # Errors
    /// The store did not answer.
    fn read_decision(
        &self,
        id: &DecisionId,
    ) -> impl Future<Output = Result<Read<DecisionItem>, StoreError>> + Send;
}

/// Operations that carry their request: the index of those that somebody has to go on with.
pub trait Queue: Send + Sync {
    /// Operations of a lane that are due at `by` or before, those that are due longest first, at most `limit`, from behind
    /// `after` on. The index follows the table with a delay: an operation is read strongly before anything is done with it.
    ///
    /// # Errors
    /// The store did not answer.
    fn due(
        &self,
        lane: u8,
        after: Option<&(OperationId, Due)>,
        by: Timestamp,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<(OperationId, Due)>, StoreError>> + Send;
}

/// Counters of mismatches, apart from operations: what they say limits a tenant and never decides anything else.
pub trait Mismatches: Send + Sync {
    /// Adds `count` to the tenant's mismatches in `window`, and returns how many there are now, by all instances. The counter has a TTL at the
    /// window's end. A call that is sent twice may be counted twice.
    ///
    /// # Errors
    /// The store did not answer; whether it has counted is not known.
    fn add_mismatches(
        &self,
        tenant: &Tenant,
        window: Window,
        count: u32,
    ) -> impl Future<Output = Result<u32, StoreError>> + Send;
}

/// The outbox's rows. Every mark is conditional, so that none can create a row or turn one back.
pub trait Outbox: Send + Sync {
    /// Reads a row, strongly consistent.
    ///
    /// # Errors
    /// The store did not answer.
    fn read_row(
        &self,
        event: &EventId,
    ) -> impl Future<Output = Result<Read<OutboxRow>, StoreError>> + Send;

    /// Records that the sink acknowledged the row that carries `seen`; from now on it has a TTL.
    ///
    /// # Errors
    /// The store did not do it, or it is not known whether it did.
    fn mark_delivered(
        &self,
        event: &EventId,
        seen: Marker,
        at: Timestamp,
    ) -> impl Future<Output = Result<Marked, StoreError>> + Send;

    /// Sets the row that carries `seen` aside: its sink will never take it. It gets no TTL.
    ///
    /// # Errors
    /// The store did not do it, or it is not known whether it did.
    fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> impl Future<Output = Result<Marked, StoreError>> + Send;

    /// Makes an existing row undelivered again, under a fresh marker.
    ///
    /// # Errors
    /// The store did not do it, or it is not known whether it did.
    fn redrive(
        &self,
        event: &EventId,
        fresh: Marker,
    ) -> impl Future<Output = Result<Marked, StoreError>> + Send;

    /// Undelivered rows of a shard, oldest first, at most `limit`, that carry a marker before `before` and after `after`.
    ///
    /// # Errors
    /// The store did not answer.
    fn undelivered(
        &self,
        shard: u8,
        after: Option<Marker>,
        before: Marker,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<(EventId, Marker)>, StoreError>> + Send;

    /// Quarantined rows of a shard with since when they are, oldest first, at most `limit`, from behind `after` on. The index follows the
    /// table with a delay: a row is read strongly before anything is done with it.
    ///
    /// # Errors
    /// The store did not answer.
    fn quarantined(
        &self,
        shard: u8,
        after: Option<&(EventId, Timestamp)>,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<(EventId, Timestamp)>, StoreError>> + Send;
}

/// A consumer's marks. Each write is one request to the store and tells, three-valued, what became of it.
pub trait Inbox: Send + Sync {
    /// Claims an event. Once it returns [`MarkAnswer::Applied`] everybody else's claim is refused until this one lapses.
    fn claim(&self, write: &Claim) -> impl Future<Output = MarkAnswer> + Send;

    /// Records that the effect has happened. Once it returns [`MarkAnswer::Applied`] every duplicate is known as one.
    fn finish(&self, write: &Finish) -> impl Future<Output = MarkAnswer> + Send;

    /// Gives a claim back.
    fn release(&self, write: &Release) -> impl Future<Output = MarkAnswer> + Send;

    /// Reads a mark, strongly consistent.
    ///
    /// # Errors
    /// The store did not answer.
    fn read_mark(&self, id: &MarkId) -> impl Future<Output = Result<FoundMark, StoreError>> + Send;
}

/// Effects in the store that has the marks, so that an effect and its mark are one transaction.
pub trait Effects: Inbox {
    /// What is changed, with its own conditions.
    type Effect: Send + Sync;

    /// Has the effect and keeps the mark. Once it returns [`Together::Applied`] both are durable; after [`Together::MarkRefused`],
    /// [`Together::EffectRefused`] or [`Together::NotApplied`] neither is, nor will be by this request.
    fn have(&self, effect: &Self::Effect, keep: &Keep) -> impl Future<Output = Together> + Send;
}

/// What a read by id found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read<T> {
    /// Nothing.
    Absent,
    /// The item.
    Found(Box<T>),
    /// Something this code cannot read.
    Unreadable(Unreadable),
}

/// What a mark did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// It stands.
    Done,
    /// The condition was false: the row is gone, or was marked or redriven meanwhile. Nothing changed.
    NotThere,
}

/// The store did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// For now: throttled, unreachable, timed out.
    #[error("the store did not answer ({0}); the same call may be tried again")]
    Unavailable(String),
    /// The request itself is wrong: a missing table, no permission.
    #[error(
        "the store refused the call ({0}); check the table names, the region and the permissions"
    )]
    Rejected(String),
}

/// Where events go.
pub trait Sink: Send + Sync {
    /// How many events one request of this sink takes. A caller hands in no more at once, so that none waits for more
    /// others than it must.
    fn at_once(&self) -> NonZeroUsize;

    /// Sends structured-mode CloudEvents, all at once and in no order: of each subject there is one at most. Tells what
    /// became of each, in the order of `rows`; an event of which nothing is told counts as not sent. `Ok` only where the
    /// sink acknowledged this very event; anything else is a [`SendError`].
    fn send(&self, rows: &[&OutboxRow]) -> impl Future<Output = Vec<Result<(), SendError>>> + Send;
}

/// Why an event was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The sink is down, slow or throttling: the row stays, and no attempt is counted.
    #[error("the sink is not available ({0})")]
    Unavailable(String),
    /// The sink refuses this event and always will: it is quarantined.
    #[error("the sink refuses this event ({0})")]
    Poison(String),
}

/// The worker's clock.
pub trait Clock: Send + Sync {
    /// The instant.
    fn now(&self) -> Timestamp;
}

/// The worker's randomness.
pub trait Ids: Send + Sync {
    /// 16 fresh random bytes for an owner token.
    fn owner(&self) -> [u8; 16];

    /// 16 fresh bytes for a decision id; they sort by time.
    fn decision(&self) -> [u8; 16];
}
