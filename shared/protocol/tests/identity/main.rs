//! The identity of a request, from the outside: field cases by their numbers (`cases.md`, `rivals.md`), golden vectors,
//! properties, and other JSON readers as oracles.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod fingerprint_cases;
mod golden;
mod json_cases;
mod key_cases;
mod member_cases;
mod oracles;
mod properties;
mod request_cases;
mod scope_cases;
mod support;
