//! A cancelled transaction: it had no effect. What it says beyond that stands in its reasons, one for each item, by position.
//!
//! Reasons are only read when there is one for each item and every code is known; a list that is missing, short or from the future
//! is [`Answer::Unknown`], never "condition failed" (case D07). Then, in this order:
//!
//! | reasons | says | because |
//! |---|---|---|
//! | operation refused | `Refused` with its item, none is `Absent` | whatever else failed, the classifier has to see what stands there |
//! | any `ValidationError`, `ItemCollectionSizeLimitExceeded` | `NotApplied(Rejected)` | the same transaction can never succeed |
//! | operation conflicts | `NotApplied(Conflict)` | what blocks the others is only telling while the record is known to be as expected |
//! | operation throttled | `NotApplied(Unavailable)` | likewise |
//! | a decision or event refused | `Blocked(Corrupt)` | it exists without its record; cannot happen, alarms |
//! | a claim refused | `Blocked(ClaimTaken)` by the holder in the returned item; a corrupt item is `Blocked(Corrupt)`, none is `Unknown` | refused on committed state, so certain, also beside a conflict |
//! | a claim refused, and a newer version's | `NotApplied(Unavailable)`, alarms | only a newer release can say who holds it: the attempt is given up, and does not count |
//! | a conflict | `NotApplied(Conflict)` | |
//! | throttled | `NotApplied(Unavailable)` | |
//! | all `None` | `Unknown` | a contradiction |
//!
//! A consumer's effect is read in the same way, with its mark in the operation's place: whatever else failed, a mark that stands there is what
//! counts; then a condition of the effect itself; then conflicts and throttling.

use aws_sdk_dynamodb::types::CancellationReason;
use decide_once_protocol::inbox::Together;
use decide_once_protocol::writes::{Answer, Blocked, NotApplied, Unreadable};

use crate::items::{claim, mark, operation};

/// What became of one item of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Fine,
    Refused,
    Conflict,
    Throttled,
    Invalid,
}

impl Fate {
    fn of(reason: &CancellationReason) -> Option<Self> {
        // The model allows an absent code; the service sends the text "None".
        Some(match reason.code().unwrap_or("None") {
            "None" => Self::Fine,
            "ConditionalCheckFailed" => Self::Refused,
            "TransactionConflict" => Self::Conflict,
            "ProvisionedThroughputExceeded" | "ThrottlingError" => Self::Throttled,
            "ValidationError" | "ItemCollectionSizeLimitExceeded" => Self::Invalid,
            _ => return None,
        })
    }
}

/// What the reasons of a transaction of an operation, a decision, `events` events and `claims` claims say.
pub(crate) fn answer(reasons: &[CancellationReason], events: usize, claims: usize) -> Answer {
    let Some(fates) = fates(reasons, 2 + events + claims) else {
        return Answer::Unknown;
    };
    let (operation, created, claimed) = (fates[0], &fates[1..2 + events], &fates[2 + events..]);
    let any = |fate| fates.contains(&fate);
    if operation == Fate::Refused {
        Answer::Refused(operation::existing(reasons[0].item()))
    } else if any(Fate::Invalid) {
        Answer::NotApplied(NotApplied::Rejected)
    } else if operation == Fate::Conflict {
        Answer::NotApplied(NotApplied::Conflict)
    } else if operation == Fate::Throttled {
        Answer::NotApplied(NotApplied::Unavailable)
    } else if created.contains(&Fate::Refused) {
        Answer::Blocked(Blocked::Corrupt)
    } else if let Some(first) = claimed.iter().position(|&fate| fate == Fate::Refused) {
        claim_taken(&reasons[2 + events + first])
    } else if any(Fate::Conflict) {
        Answer::NotApplied(NotApplied::Conflict)
    } else if any(Fate::Throttled) {
        Answer::NotApplied(NotApplied::Unavailable)
    } else {
        Answer::Unknown
    }
}

/// What the reasons of a transaction of a mark and an effect of `items` items say.
pub(crate) fn together(reasons: &[CancellationReason], items: usize) -> Together {
    let Some(fates) = fates(reasons, 1 + items) else {
        return Together::Unknown;
    };
    let any = |fate| fates.contains(&fate);
    if fates[0] == Fate::Refused {
        Together::MarkRefused(mark::found(reasons[0].item()))
    } else if any(Fate::Invalid) {
        Together::NotApplied(NotApplied::Rejected)
    } else if fates[0] == Fate::Conflict {
        Together::NotApplied(NotApplied::Conflict)
    } else if fates[0] == Fate::Throttled {
        Together::NotApplied(NotApplied::Unavailable)
    } else if any(Fate::Refused) {
        Together::EffectRefused
    } else if any(Fate::Conflict) {
        Together::NotApplied(NotApplied::Conflict)
    } else if any(Fate::Throttled) {
        Together::NotApplied(NotApplied::Unavailable)
    } else {
        Together::Unknown
    }
}

/// Of each of so many items; `None` unless that can be read.
fn fates(reasons: &[CancellationReason], items: usize) -> Option<Vec<Fate>> {
    let fates: Option<Vec<Fate>> = reasons.iter().map(Fate::of).collect();
    fates.filter(|fates| fates.len() == items)
}

fn claim_taken(reason: &CancellationReason) -> Answer {
    match reason.item().map(claim::holder) {
        Some(Ok(by)) => Answer::Blocked(Blocked::ClaimTaken(by)),
        Some(Err(Unreadable::Newer { version })) => {
            tracing::error!(
                alarm = "record-newer",
                what = "a natural key's claim",
                version
            );
            Answer::NotApplied(NotApplied::Unavailable)
        }
        Some(Err(Unreadable::Corrupt { .. })) => Answer::Blocked(Blocked::Corrupt),
        None => Answer::Unknown,
    }
}
