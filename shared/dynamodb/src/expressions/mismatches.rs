//! Counting mismatches: unconditional, for nothing depends on what stands there. `ADD` makes the counter if there is none.

use decide_once_protocol::record::RECORD_VERSION;
use decide_once_protocol::writes::ttl_at;
use decide_once_service::limits::Window;

use super::Values;
use crate::items::write::{number, seconds};

/// One counter's update.
pub const ADD: &str = "ADD mismatches :n SET v=:v,ttlSec=:t";

/// `count` more, gone some time after the window.
pub(crate) fn values(window: Window, count: u32) -> Values {
    [
        (":n", number(count)),
        (":v", number(RECORD_VERSION)),
        (":t", seconds(ttl_at(window.end()))),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
