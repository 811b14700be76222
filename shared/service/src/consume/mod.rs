//! Consuming: an event and its one effect, however often it is delivered.
//!
//! ```text
//! effect in the same store (§ together)
//!   look at what it depends on ─► effect + mark (TransactWriteItems)  ─► acknowledged             1 round trip, and what the look takes
//!                                 mark refused: done                  ─► acknowledged, duplicate  1
//!                                 mark refused: a live claim          ─► handed in again          1
//!                                 effect refused                      ─► look again               + 1 and a look, each time
//! effect elsewhere (§ leased)
//!   claim (PutItem) ─► effect, under its downstream key ─► finish (UpdateItem) ─► acknowledged    2 round trips
//!   claim refused: done                                                ─► acknowledged, duplicate 1
//!   claim refused: a live claim                                        ─► handed in again         1
//!   claim lapsed: taken over, the effect is asked for again under the same key                    2
//!   effect failed ─► release (DeleteItem)                              ─► handed in again         2
//! outcome unknown ─► strong read of the mark ─► as it says                                        + 1 for each
//! ```
//!
//! Only [`Handled::Done`] and [`Handled::Duplicate`] are acknowledged; everything else is an item failure. An event that is older than
//! marks are kept cannot be told from one that was handled: without a mark it fails, for its queue's dead-letter queue. So does one without
//! a `time`, or with one that is to come: it would be new for ever.

mod leased;
mod together;

use std::time::Duration;

use decide_once_protocol::inbox::{
    CloudEvent, ConsumerName, FoundMark, Mark, MarkId, MarkRetention, MarkState, NotYet,
};
use decide_once_protocol::record::EXPIRY_MARGIN;
use decide_once_protocol::time::Timestamp;
use tokio::time::{Instant, timeout_at};

use crate::ports::{Clock, Ids, Inbox};
use crate::settings::{SHORTEST_CALL, TIME_TO_ANSWER};

/// The consume path over its ports. Made once for a process.
#[derive(Debug)]
pub struct Consumer<N, C, I> {
    /// Who it is: other consumers of the same events have other marks.
    pub name: ConsumerName,
    /// The marks, and perhaps the effects.
    pub inbox: N,
    /// The worker's clock.
    pub clock: C,
    /// The worker's randomness.
    pub ids: I,
    /// For how long marks are kept.
    pub retention: MarkRetention,
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Handled {
    /// It had its effect now.
    Done,
    /// It had had it before.
    Duplicate,
    /// It is to be handed in again.
    Failed(Failure),
}

/// Why an event is to be handed in again. Never its content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Its mark stands in the way, or the store does.
    #[error(transparent)]
    NotYet(#[from] NotYet),
    /// It was not begun.
    #[error("the invocation has no time left for it")]
    OutOfTime,
    /// Others changed what the effect depends on, each time anew.
    #[error("what its effect depends on changes all the time")]
    Contended,
    /// The effect did not happen, or nobody knows that it did.
    #[error(transparent)]
    Effect(#[from] EffectError),
    /// Nobody can tell whether it was handled.
    #[error(
        "it is older than marks are kept, so that nobody can tell whether it was handled; keep marks for longer, or handle it by hand"
    )]
    TooOld,
    /// Nobody can tell for how long its mark would have to be kept.
    #[error(
        "it has no time, or one that is to come, so that nobody can tell whether it was handled; its sender has to say when it came into being"
    )]
    Untimed,
}

/// Why an effect did not happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EffectError {
    /// It may happen later.
    #[error("the effect is not possible now ({0})")]
    Unavailable(String),
    /// It never will: the event is poison, for the dead-letter queue.
    #[error("the event can have no effect ({0})")]
    Poison(String),
}

impl Handled {
    /// Whether its queue may forget it.
    #[must_use]
    pub const fn is_acknowledged(&self) -> bool {
        matches!(self, Self::Done | Self::Duplicate)
    }

    /// Whether later events of its subject may have their effect before it does: behind a poison event they would wait for ever.
    #[must_use]
    pub const fn lets_others_pass(&self) -> bool {
        match self {
            Self::Done | Self::Duplicate => true,
            Self::Failed(why) => why.is_for_good(),
        }
    }
}

impl Failure {
    /// Whether the event fails however often it comes.
    #[must_use]
    pub const fn is_for_good(&self) -> bool {
        match self {
            Self::Effect(EffectError::Poison(_)) | Self::TooOld | Self::Untimed => true,
            Self::Effect(EffectError::Unavailable(_))
            | Self::NotYet(_)
            | Self::OutOfTime
            | Self::Contended => false,
        }
    }
}

impl From<NotYet> for Handled {
    fn from(why: NotYet) -> Self {
        Self::Failed(why.into())
    }
}

impl From<EffectError> for Handled {
    fn from(why: EffectError) -> Self {
        Self::Failed(why.into())
    }
}

/// The time of one event, and the store within it.
#[derive(Clone, Copy, Debug)]
struct Watch {
    end: Instant,
}

impl Watch {
    /// `None`: too little time is left to begin.
    fn begin(remaining: Duration) -> Option<Self> {
        let end = Instant::now() + remaining.saturating_sub(TIME_TO_ANSWER);
        (remaining >= SHORTEST_CALL).then_some(Self { end })
    }

    /// `None` is "no answer in time", which is not "no effect".
    async fn ask<T>(self, call: impl Future<Output = T>) -> Option<T> {
        if Instant::now() >= self.end {
            return None;
        }
        timeout_at(self.end, call).await.ok()
    }
}

impl<N: Inbox, C: Clock, I: Ids> Consumer<N, C, I> {
    /// The mark, by a strong read; `None` if the store does not say.
    async fn look(&self, id: &MarkId, watch: Watch) -> Option<FoundMark> {
        watch
            .ask(self.inbox.read_mark(id))
            .await
            .and_then(Result::ok)
    }

    /// What becomes of an event whose mark may have ended by now, or that will not say, if this is one.
    async fn beyond_marks(&self, event: &CloudEvent, id: &MarkId, watch: Watch) -> Option<Handled> {
        let now = self.clock.now();
        let why = match event.time {
            Some(time) if time > now.plus(EXPIRY_MARGIN) => Failure::Untimed,
            Some(time) if self.retention.covers(time, now) => return None,
            Some(_) => Failure::TooOld,
            None => Failure::Untimed,
        };
        Some(match self.look(id, watch).await {
            Some(FoundMark::Mark(Mark {
                state: MarkState::Done { .. },
                ..
            })) => Handled::Duplicate,
            Some(_) => Handled::Failed(why),
            None => NotYet::Unavailable.into(),
        })
    }

    fn watch(&self, deadline: Timestamp) -> Option<Watch> {
        Watch::begin(self.clock.now().until(deadline))
    }
}
