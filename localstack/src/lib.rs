//! The local stack of Decide Once: an AWS that fits into one process.
//!
//! `decide-once serve` starts, on loopback, what the deployed service stands on, and runs the unchanged functions on it:
//!
//! ```text
//!   client ──► front (HTTP API) ──► Runtime API ──► function processes ──► proxy ──► engine (DynamoDB's API)
//!              JWT authorizer,      hands calls to   re-executed binary,    counts    tables, streams, TTL
//!              v2 events            free instances   restarted, killable    calls        │
//!                                        ▲                  │                            │ streams
//!   sink ◄── CloudEvents ────────────────┼── publish ◄──────┘                            │
//!                                        └───────────────────── pump (mapping) ◄─────────┘
//! ```
//!
//! Nothing here is part of a deployed function; `docs/architecture.md` shows what stands in its place on AWS.

pub mod cli;
pub mod clock;
pub mod crash_points;
pub mod engine;
pub mod front;
pub mod function;
pub mod journal;
pub mod names;
pub mod operator;
pub mod policies;
pub mod policy;
pub mod processes;
pub mod proxy;
pub mod pump;
pub mod queue;
pub mod runtime_api;
pub mod serve;
pub mod stack;
pub mod submit;

mod banner;
mod by_hand;
mod local_api;
mod one_line;
mod plain;

pub use one_line::one_line;
