//! What a consumer remembers of the events that it has handled, so that a duplicate has no second effect.
//!
//! ```text
//!            claim                          finish
//!   absent ─────────► claimed (owner, lease) ─────► done (until) ──► absent, once `until` and the margin have passed
//!     ▲ │                │ release, or lapsed
//!     │ └─ keep, in the transaction of the effect itself ─► done
//!     └──────────────────┘
//! ```
//!
//! A mark is *claimed* before the effect and *done* after it, never the other way round: a consumer that dies in between leaves a
//! claim, which lapses. Where the effect is in the same store, mark and effect are one transaction ([`Keep`]), and there is nothing
//! in between. Where it is elsewhere, a worker that died may have had it: the next one has it again, under the same
//! [`DownstreamKey`], by which the other side knows the repetition.
//!
//! **Only a duplicate of something that is done is acknowledged.** A duplicate of a live claim is handed in again later: its owner may
//! still fail. Every write after the claim is conditional on its owner, so that a worker whose claim was taken over changes
//! nothing any more.

mod event;
mod flow;
mod mark;
mod retention;
mod writes;

pub use event::{CloudEvent, EventError, EventName};
pub use flow::{Begun, Ended, Granted, Kept, NotYet};
pub use mark::{ConsumerName, DownstreamKey, Mark, MarkId, MarkState};
pub use retention::{MarkRetention, TooShort};
pub use writes::{Claim, Finish, FoundMark, Keep, MarkAnswer, Release, Together};
