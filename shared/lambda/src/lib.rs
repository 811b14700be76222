//! What several functions share of Lambda: the shapes of events and answers, and the time that is left.
//!
//! Only what is needed is read of an event: one that is odd in some other member must not be unreadable as a whole, which
//! would hold up everything behind it.

pub mod batch;
pub mod content;
pub mod sqs;
pub mod stream;
pub mod trace;

use std::time::{Duration, SystemTime};

use lambda_runtime::Context;

/// How much of an invocation is left, by Lambda's clock.
#[must_use]
pub fn remaining(context: &Context) -> Duration {
    context
        .deadline()
        .duration_since(SystemTime::now())
        .unwrap_or_default()
}
