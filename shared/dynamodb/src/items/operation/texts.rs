//! The attributes of a record that hold more than one thing.
//!
//! | attribute | text |
//! |---|---|
//! | `stands` | state, attempt and owner, separated by `/` |
//! | `answer` | 43 characters of the answer's digest, then packed: rule, outcome, event types; nothing more when it is by reference |
//! | `carried` | packed: key, request |
//! | `failure` | packed: code, detail, and of an `already-decided` the other decision |

use aws_sdk_dynamodb::types::AttributeValue;
use decide_once_protocol::answer::StoredAnswer;
use decide_once_protocol::ids::{DecisionId, OwnerToken};
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::record::{Carried, Fence, FinalCode, FinalFailure, StateName};
use decide_once_protocol::writes::Seen;

use crate::items::write as value;

use crate::items::packed::{
    DIGEST_LENGTH, digest, digest_text, pack, unpack, verdict, verdict_texts, whole,
};

/// What a transition is conditional on.
pub(super) fn stands_text(seen: Seen) -> String {
    let Fence { owner, attempt } = seen.fence;
    format!("{}/{attempt}/{}", seen.state.as_str(), owner.encode())
}

/// The way back from [`stands_text`].
pub(super) fn standing(text: &str) -> Option<(StateName, Fence)> {
    let (state, rest) = text.split_once('/')?;
    let (attempt, owner) = rest.split_once('/')?;
    let name = [
        StateName::Processing,
        StateName::Succeeded,
        StateName::FailedRetryable,
        StateName::FailedFinal,
    ]
    .into_iter()
    .find(|name| name.as_str() == state)?;
    let fence = Fence {
        owner: OwnerToken::decode(owner)?,
        attempt: whole(attempt)?,
    };
    Some((name, fence))
}

/// The request that a record carries, with its key.
pub(super) fn carried_value(carried: &Carried) -> AttributeValue {
    let (key, body) = carried.parts();
    value::text(pack([key.as_str(), body]))
}

/// The way back from [`carried_value`]. Whether it is the operation's request is told by its fingerprint, when it is used.
pub(super) fn carried(text: &str) -> Option<Carried> {
    match unpack(text)?.as_slice() {
        [key, body] => Some(Carried::from_parts(IdempotencyKey::parse(key).ok()?, body)),
        _ => None,
    }
}

/// What is replayed.
pub(super) fn answer_text(answer: &StoredAnswer) -> String {
    let verdict = answer
        .inline
        .as_ref()
        .map(|verdict| pack(verdict_texts(verdict)));
    digest_text(&answer.digest) + &verdict.unwrap_or_default()
}

/// The way back from [`answer_text`].
pub(super) fn answer(text: &str) -> Option<StoredAnswer> {
    let (digest_text, packed) = text.split_at_checked(DIGEST_LENGTH)?;
    let inline = match packed {
        "" => None,
        packed => Some(verdict(&unpack(packed)?)?),
    };
    Some(StoredAnswer {
        digest: digest(digest_text)?,
        inline,
    })
}

/// What is replayed of a failure.
pub(super) fn failure_text(failure: &FinalFailure) -> String {
    let code = failure.code.as_str();
    match &failure.code {
        FinalCode::AlreadyDecided(by) => pack([code, &failure.detail, by.as_str()]),
        FinalCode::DecisionFailed | FinalCode::ResultTooLarge | FinalCode::AttemptsExhausted => {
            pack([code, &failure.detail])
        }
    }
}

/// The way back from [`failure_text`].
pub(super) fn failure(text: &str) -> Option<FinalFailure> {
    let texts = unpack(text)?;
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let (code, detail) = match *texts.as_slice() {
        ["decision-failed", detail] => (FinalCode::DecisionFailed, detail),
        ["result-too-large", detail] => (FinalCode::ResultTooLarge, detail),
        ["attempts-exhausted", detail] => (FinalCode::AttemptsExhausted, detail),
        ["already-decided", detail, by] => {
            (FinalCode::AlreadyDecided(DecisionId::parse(by)?), detail)
        }
        _ => return None,
    };
    Some(FinalFailure {
        code,
        detail: detail.to_owned(),
    })
}
