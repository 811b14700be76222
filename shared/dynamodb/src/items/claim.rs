//! A natural-key claim in the table `decisions`, under its own key prefix.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `id` | S | always | table key: `claim#` and a hash of tenant, operation, name and values |
//! | `v` | N | always | version of this layout |
//! | `claim` | S | always | the claim's name in the policy |
//! | `decision` | S | always | the decision that holds it |
//! | `keyExpiry` | N | absent when for ever | when it is free again, ms |
//! | `ttlSec` | N | absent when for ever | `keyExpiry` plus the margin, in seconds |

use decide_once_protocol::decision::NaturalClaim;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::record::RECORD_VERSION;
use decide_once_protocol::writes::ttl_after;

use super::reader::Reader;
use super::write::{instant, number, seconds, text};
use super::{Decoded, Item, TTL, V};

/// S, the table key.
pub const ID: &str = super::decision::ID;
/// S.
pub const CLAIM: &str = "claim";
/// S.
pub const DECISION: &str = "decision";
/// N, ms.
pub const KEY_EXPIRY: &str = "keyExpiry";

/// The item of a claim.
#[must_use]
pub fn encode(claim: &NaturalClaim) -> Item {
    let mut attributes = vec![
        (ID, text(claim.id.as_str())),
        (V, number(RECORD_VERSION)),
        (CLAIM, text(&claim.name)),
        (DECISION, text(claim.decision.as_str())),
    ];
    if let Some(expiry) = claim.expiry {
        attributes.push((KEY_EXPIRY, instant(expiry)));
        attributes.push((TTL, seconds(ttl_after(expiry))));
    }
    attributes
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Who holds a claim.
///
/// # Errors
/// A newer version wrote it, or no version did.
pub fn holder(item: &Item) -> Decoded<DecisionId> {
    Reader::open(item)?.parsed(DECISION, DecisionId::parse)
}
