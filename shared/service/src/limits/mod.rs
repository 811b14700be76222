//! What keeps one caller, or all of them together, from wearing the service out.
//!
//! * a budget of mismatches: a tenant whose callers keep sending other requests under used keys is told so, 429 in place of the 409.
//!   The answer to the mismatch never changes what is stored, and a matching retry never comes this way.
//! * a token bucket: what an instance takes on in a second, before it asks the store for anything.
//!
//! Both are an instance's own memory; only the mismatches are also counted in the store.

mod bucket;
mod mismatches;

pub use bucket::Rate;
pub(crate) use mismatches::Due;
pub use mismatches::{MAX_KEPT, REPORT_EVERY, WINDOW, Window};

use bucket::TokenBucket;
use mismatches::MismatchBudget;

/// What an instance remembers for its limits. Nothing is lost with it but the count of a few mismatches.
#[derive(Debug, Default)]
pub struct Limits {
    pub(crate) mismatches: MismatchBudget,
    pub(crate) bucket: TokenBucket,
}
