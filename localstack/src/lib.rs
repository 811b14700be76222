//! The local stack of Decide Once: an AWS that fits into one process.
//!
//! `decide-once serve` starts, on loopback, what the deployed service stands on, and runs the unchanged functions on it:
//!
//! ```text
//!   client ──► front (HTTP API) ──► Runtime API ──► function processes ──► proxy ──► engine (DynamoDB's API)
//!              JWT authorizer,      hands calls to   re-executed binary,    counts    tables, streams, TTL
//!              v2 events            free instances   restarted, killable    calls
//! ```
//!
//! Nothing here is part of a deployed function; `docs/architecture.md` shows what stands in its place on AWS.

pub mod cli;
pub mod clock;
pub mod engine;
pub mod front;
pub mod function;
pub mod names;
pub mod policies;
pub mod processes;
pub mod proxy;
pub mod pump;
pub mod runtime_api;
pub mod serve;
pub mod stack;

mod banner;
mod local_api;

/// An error and what caused it, in one line.
pub fn one_line(error: &(dyn std::error::Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        // Transparent errors repeat what they wrap.
        if !line.ends_with(&cause_text) {
            line.push_str(": ");
            line.push_str(&cause_text);
        }
        next = cause.source();
    }
    line.replace('\n', " ")
}
