//! The whole of Decide Once in one thread and in simulated time, as a seed says, and a checker of what was observed.
//!
//! ```text
//! Plan::of(seed) ─► simulate ─► Run: the journal, and the tables at the end ─► check ─► nothing, or a Violation
//!                                                                  shrink: the smallest plan that still violates it
//! ```
//!
//! What runs is the real thing: the flows of `decide-once-service` ([`fleet`], [`workers`], [`consumers`]) and the loop of
//! `decide-once-client` ([`clients`]). What is simulated is the world around it: time and clocks that are off ([`clock`]), processes
//! that die and stand still ([`life`]), a network that loses, repeats and delays ([`line`](mod@line), [`weather`]), streams, a bus and queues
//! that deliver at least once ([`streams`], [`sink`]), and the tables, which are the store in memory ([`tables`]).
//!
//! Everything happens in one thread, in the order of simulated time; what is left to chance is drawn from the seed and the place where it
//! is asked ([`chance`]). So the same seed is the same history, and a history stays the same where nothing is taken from it.

pub mod bug;
pub mod chance;
pub mod check;
mod clients;
mod clock;
mod consumers;
mod desk;
mod fleet;
pub mod journal;
mod life;
mod line;
pub mod matrix;
pub mod plan;
mod policies;
mod ports;
pub mod shrink;
mod simulate;
mod sink;
mod streams;
mod tables;
pub mod weather;
mod workers;
mod world;

pub use bug::Bug;
pub use check::{Violation, check};
pub use plan::Plan;
pub use shrink::shrink;
pub use simulate::{End, Run, simulate};
