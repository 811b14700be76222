//! Every row of the table in `outcome::cancellation`.

use decide_once_dynamodb::items::{claim, operation};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::writes::{Answer, Blocked, Existing};
use decide_once_service::ports::Store;
use decide_once_tests::samples::{self, NOW, at};

use crate::outcome::{CONFLICT, REJECTED, UNAVAILABLE, found, json, standing};
use crate::replay::{Replay, Reply};

/// A commit with one event and one claim: what its four reasons say.
async fn reasons_say(reasons: &[(&str, Option<&str>)], expected: Answer) {
    let replay = Replay::of([Reply::cancelled(reasons)]);
    let commit = samples::commit(vec![samples::claim("order", Some(at(NOW)))]);
    assert_eq!(
        replay.store().commit(&commit).await,
        expected,
        "{reasons:?}"
    );
    assert_eq!(
        replay.sent().len(),
        1,
        "a cancelled transaction is not sent again unasked"
    );
}

pub(crate) const FINE: (&str, Option<&str>) = ("None", None);
const REFUSED: (&str, Option<&str>) = ("ConditionalCheckFailed", None);
pub(crate) const CONFLICTS: (&str, Option<&str>) = ("TransactionConflict", None);
const THROTTLED: (&str, Option<&str>) = ("ThrottlingError", None);
const STARVED: (&str, Option<&str>) = ("ProvisionedThroughputExceeded", None);
const INVALID: (&str, Option<&str>) = ("ValidationError", None);
const TOO_LARGE: (&str, Option<&str>) = ("ItemCollectionSizeLimitExceeded", None);
const FUTURE: (&str, Option<&str>) = ("FutureReason", None);

#[tokio::test(start_paused = true)]
async fn a_cancelled_transactions_reasons_are_read_by_position() {
    let item = json(&operation::encode(&standing()));
    let refused = ("ConditionalCheckFailed", Some(item.as_str()));
    reasons_say(&[refused, FINE, FINE, FINE], found()).await;
    reasons_say(
        &[REFUSED, FINE, FINE, FINE],
        Answer::Refused(Existing::Absent),
    )
    .await;
    let corrupt = Answer::Blocked(Blocked::Corrupt);
    reasons_say(&[FINE, REFUSED, FINE, FINE], corrupt.clone()).await;
    reasons_say(&[FINE, FINE, REFUSED, FINE], corrupt).await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_claim_names_its_holder() {
    let mut held = samples::claim("order", None);
    held.decision = DecisionId::from_random([0x11; 16]);
    let item = json(&claim::encode(&held));
    let taken = ("ConditionalCheckFailed", Some(item.as_str()));
    let by_holder = Answer::Blocked(Blocked::ClaimTaken(held.decision));
    reasons_say(&[FINE, FINE, FINE, taken], by_holder.clone()).await;
    reasons_say(&[FINE, FINE, CONFLICTS, taken], by_holder).await;
    let corrupt = ("ConditionalCheckFailed", Some(r#"{"v":{"N":"1"}}"#));
    reasons_say(
        &[FINE, FINE, FINE, corrupt],
        Answer::Blocked(Blocked::Corrupt),
    )
    .await;
    // Who holds it is for the release to say that wrote it: the attempt is not one that counts.
    let newer = ("ConditionalCheckFailed", Some(r#"{"v":{"N":"2"}}"#));
    reasons_say(&[FINE, FINE, FINE, newer], UNAVAILABLE).await;
    reasons_say(&[FINE, FINE, FINE, REFUSED], Answer::Unknown).await;
}

#[tokio::test(start_paused = true)]
async fn d03_a_conflict_in_a_transaction_is_a_conflict_wherever_it_is() {
    reasons_say(&[CONFLICTS, FINE, FINE, FINE], CONFLICT).await;
    reasons_say(&[FINE, FINE, CONFLICTS, FINE], CONFLICT).await;
    reasons_say(&[CONFLICTS, CONFLICTS, THROTTLED, FINE], CONFLICT).await;
}

#[tokio::test(start_paused = true)]
async fn throttling_in_a_transaction_is_unavailable() {
    reasons_say(&[THROTTLED, FINE, FINE, FINE], UNAVAILABLE).await;
    reasons_say(&[FINE, FINE, STARVED, FINE], UNAVAILABLE).await;
}

#[tokio::test(start_paused = true)]
async fn an_invalid_item_rejects_the_transaction() {
    reasons_say(&[FINE, INVALID, FINE, FINE], REJECTED).await;
    reasons_say(&[CONFLICTS, TOO_LARGE, FINE, FINE], REJECTED).await;
}

#[tokio::test(start_paused = true)]
async fn of_several_reasons_the_operations_own_counts_first() {
    let item = json(&operation::encode(&standing()));
    let refused = ("ConditionalCheckFailed", Some(item.as_str()));
    reasons_say(&[refused, REFUSED, CONFLICTS, REFUSED], found()).await;
    reasons_say(&[CONFLICTS, REFUSED, FINE, REFUSED], CONFLICT).await;
    reasons_say(&[THROTTLED, REFUSED, FINE, FINE], UNAVAILABLE).await;
    reasons_say(
        &[FINE, REFUSED, CONFLICTS, FINE],
        Answer::Blocked(Blocked::Corrupt),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn d07_reasons_that_are_missing_short_or_from_the_future_are_unknown() {
    reasons_say(&[], Answer::Unknown).await;
    reasons_say(&[REFUSED, FINE, FINE], Answer::Unknown).await;
    reasons_say(&[REFUSED, FINE, FINE, FINE, FINE], Answer::Unknown).await;
    reasons_say(&[FUTURE, FINE, FINE, FINE], Answer::Unknown).await;
    reasons_say(&[REFUSED, FUTURE, FINE, FINE], Answer::Unknown).await;
    reasons_say(&[FINE, FINE, FINE, FINE], Answer::Unknown).await;
    let silent = r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"m"}"#;
    let replay = Replay::of([Reply::Answer(400, silent.to_owned())]);
    assert_eq!(
        replay.store().commit(&samples::commit(Vec::new())).await,
        Answer::Unknown
    );
}
