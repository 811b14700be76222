//! What the tests of this crate share: an HTTP client that answers from a list, and items as JSON.

#![allow(dead_code, reason = "each test binary uses its part")]
#![expect(clippy::unwrap_used, reason = "tests")]

pub(crate) mod json;
pub(crate) mod replay;
