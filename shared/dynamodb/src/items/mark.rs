//! A consumer's mark of an event, in the consumer's own table `inbox`.
//!
//! | attribute | type | while | meaning |
//! |---|---|---|---|
//! | `id` | S | always | table key: a hash of the consumer's name and the event's source and id |
//! | `v` | N | always | version of this layout |
//! | `claim` | S | claimed | its owner's token |
//! | `lapses` | N | claimed | from when on anybody may take it over, ms |
//! | `keptUntil` | N | done | until when a duplicate is known as one, ms |
//! | `ttlSec` | N | always | `lapses` or `keptUntil` plus the margin, in seconds |

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{FoundMark, Mark, MarkId, MarkState};
use decide_once_protocol::record::RECORD_VERSION;

use super::reader::Reader;
use super::write::{instant, number, seconds, text};
use super::{Decoded, Item, TTL, V};

/// S, the table key.
pub const ID: &str = "id";
/// S.
pub const CLAIM: &str = "claim";
/// N, ms.
pub const LAPSES: &str = "lapses";
/// N, ms.
pub const KEPT_UNTIL: &str = "keptUntil";

/// The table key of a mark.
#[must_use]
pub fn key(id: &MarkId) -> (String, AttributeValue) {
    (ID.to_owned(), text(id.as_str()))
}

/// The item of a mark.
#[must_use]
pub fn encode(mark: &Mark) -> Item {
    let fixed = [(ID, text(mark.id.as_str())), (V, number(RECORD_VERSION))];
    fixed
        .into_iter()
        .chain(standing(&mark.state))
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The attributes of how far its consumer is.
pub(crate) fn standing(state: &MarkState) -> Vec<(&'static str, AttributeValue)> {
    let mut attributes = match state {
        MarkState::Claimed { owner, lapses } => {
            vec![(CLAIM, text(owner.encode())), (LAPSES, instant(*lapses))]
        }
        MarkState::Done { until } => vec![(KEPT_UNTIL, instant(*until))],
    };
    attributes.push((TTL, seconds(state.ttl())));
    attributes
}

/// What stands where a mark would.
#[must_use]
pub fn found(item: Option<&Item>) -> FoundMark {
    match item.map(decode) {
        None => FoundMark::Absent,
        Some(Ok(mark)) => FoundMark::Mark(mark),
        Some(Err(why)) => FoundMark::Unreadable(why),
    }
}

/// The mark of an item.
///
/// # Errors
/// A newer version wrote it, or no version did.
pub fn decode(item: &Item) -> Decoded<Mark> {
    let item = Reader::open(item)?;
    let id = item.parsed(ID, MarkId::parse)?;
    let state = if item.has(KEPT_UNTIL) {
        item.none_of([CLAIM, LAPSES])?;
        let until = item.instant(KEPT_UNTIL)?;
        MarkState::Done { until }
    } else {
        let owner = item.parsed(CLAIM, OwnerToken::decode)?;
        let lapses = item.instant(LAPSES)?;
        MarkState::Claimed { owner, lapses }
    };
    Ok(Mark { id, state })
}
