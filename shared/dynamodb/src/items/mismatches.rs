//! A tenant's mismatches in a window of time, in the table `decisions`, under their own key prefix. That table has no stream, so that nothing is
//! woken by a count, and no index, so that a count presses on nothing else.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `id` | S | always | table key: `mismatches#` and a hash of tenant and window |
//! | `v` | N | always | version of this layout |
//! | `mismatches` | N | always | how many |
//! | `ttlSec` | N | always | the window's end, in seconds |

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::scope::Tenant;
use decide_once_service::limits::Window;

use super::Item;
use super::write::text;

/// N.
pub const MISMATCHES: &str = "mismatches";

/// The table key.
#[must_use]
pub fn key(tenant: &Tenant, window: Window) -> (&'static str, AttributeValue) {
    let id = format!("mismatches#{}", window.counter(tenant));
    (super::decision::ID, text(id))
}

/// How many there are, of what an update returned.
#[must_use]
pub fn total(item: Option<&Item>) -> Option<u32> {
    let AttributeValue::N(total) = item?.get(MISMATCHES)? else {
        return None;
    };
    total.parse().ok()
}
