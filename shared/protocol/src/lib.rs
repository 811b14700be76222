//! The pure protocol of Decide Once: what a request is, what a record means, and what may follow.
//!
//! No I/O, no clock, no randomness: instants and random bytes are arguments, a store's answers are values. Read in this order:
//!
//! 1. the request: [`key`], [`json`], [`request`], [`scope`], [`fingerprint`], [`members`];
//! 2. what is stored: [`record`], [`answer`], [`decision`], [`outbox`], [`envelope`], with [`time`] and [`ids`];
//! 3. the protocol: [`writes`] (the three conditional writes), [`classify`] (what a record means), [`flow`] (the life of a call),
//!    [`lanes`] (the order in which events leave);
//! 4. the other end: [`inbox`] (what a consumer remembers, so that a duplicate has no second effect);
//! 5. the proof: the module `model`, a test that explores every interleaving of that very code, and `edges`, which has each condition right before,
//!    at, and right after the instant where it turns.

pub mod answer;
pub mod classify;
pub mod decision;
pub mod envelope;
pub mod fingerprint;
pub mod flow;
pub mod hash;
pub mod ids;
pub mod inbox;
pub mod json;
pub mod key;
pub mod lanes;
pub mod members;
pub mod outbox;
pub mod record;
pub mod request;
pub mod scope;
pub mod time;
pub mod trace;
pub mod writes;

#[cfg(test)]
mod edges;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod model;
