//! Exhaustive model checks, over the code that the service runs.
//!
//! * [`life`]: a key's life, from its first reservation over takeovers, late writes and its three zones to the next life;
//! * [`delivery`]: an event's way out, over the stream, the sweeper, crashes, quarantine and redrive.
//! * [`batch`]: many events' way through one publisher, side by side and each subject in single file;
//! * [`inbox`]: an event's way through a consumer whose effect is elsewhere.
//!
//! [`explore`] visits every state that a configuration can reach, breadth first, so a violation comes with a shortest history.
//! Mutants break one rule each: the same checker must find them, or a test shows why there is nothing to find.

mod batch;
mod delivery;
mod explore;
mod inbox;
mod life;
