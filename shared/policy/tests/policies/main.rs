//! Tests of the policies crate through its public API, with the policies that this repository ships and with broken ones.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests read files and look at the clock; the crate does not"
)]

mod broken;
mod cases;
mod properties;
mod set;
mod shipped;
mod support;
