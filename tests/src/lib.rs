//! What tests of the whole thing share.
//!
//! [`Stack`] runs the real command `decide-once` as a process of its own, on a free port, and ends it with the test;
//! [`shared`] is one for several tests; [`Tables`] are its tables, past its functions. Without processes: [`fixtures`] are a worker's time, randomness and policies, [`faulty`] its
//! network, [`world`] several of them on one store.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness fails by panicking, where the test is"
)]

pub mod answer;
pub mod binary;
pub mod conformance;
pub mod description;
pub mod faulty;
pub mod fixtures;
pub mod gate;
pub mod history;
pub mod killer;
pub mod orders;
pub mod request;
pub mod samples;
pub mod seed;
pub mod shared;
pub mod signal;
pub mod stack;
pub mod tables;
pub mod wait;
pub mod world;

mod output;

pub use answer::Answer;
pub use description::Description;
pub use request::Request;
pub use stack::{Stack, StackProcess};
pub use tables::Tables;
pub use wait::eventually;
