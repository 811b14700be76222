//! The use-cases of Decide Once over ports: each path on one screen.
//!
//! * [`Decider`]: a call from its reservation to its answer;
//! * [`Decider::resume`](resume): an asynchronous one, gone on with by those who look after the queue;
//! * [`status`]: reading operations and decisions;
//! * [`policies`]: reading the packaged policies;
//! * [`publish`]: events on their way out;
//! * [`sweep`]: both of these again, for what the streams have missed;
//! * [`consume`]: events at their other end, each with one effect.
//!
//! [`ports`] says what they need of the world; [`problem`], [`profile`] and [`reply`] what a caller is told; [`logging`] and [`metrics`] what
//! an operator is.

mod answers;
pub mod batch;
mod call;
pub mod consume;
mod course;
#[cfg(feature = "local")]
pub mod crash;
mod decide;
pub mod destination;
mod effort;
mod evaluate;
pub mod jitter;
pub mod limits;
pub mod logging;
pub mod memory;
pub mod metrics;
mod patience;
pub mod policies;
pub mod ports;
pub mod problem;
pub mod profile;
pub mod publish;
mod render;
pub mod reply;
pub mod resume;
pub mod settings;
pub mod status;
pub mod sweep;
pub mod system;
pub mod variables;

pub use answers::{Answers, BYTES_AN_ENTRY};
pub use call::{Call, Respond, Unreservable};
pub use course::Course;
pub use decide::{Budget, Decider};
pub use effort::Effort;

/// A place where the local stack can make a worker die or stall; nothing without the feature `local`.
macro_rules! crash_point {
    ($name:literal) => {
        #[cfg(feature = "local")]
        $crate::crash::reached(concat!("decide-once-crash-point:", $name)).await;
    };
}
pub(crate) use crash_point;
