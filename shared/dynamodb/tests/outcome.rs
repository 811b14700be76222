//! Every row of the tables in `outcome` and `outcome::cancellation`, through the SDK: DynamoDB's answer in, the port's answer out.

#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use decide_once_dynamodb::items::{Item, claim, operation};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::record::Record;
use decide_once_protocol::writes::{Answer, Blocked, Existing, NotApplied, Unreadable};
use decide_once_service::ports::{Marked, Outbox, Read, Store, StoreError};
use decide_once_tests::samples::{self, NOW, at};
use support::json::to_json;
use support::replay::{Replay, Reply};

const CONFLICT: Answer = Answer::NotApplied(NotApplied::Conflict);
const UNAVAILABLE: Answer = Answer::NotApplied(NotApplied::Unavailable);
const REJECTED: Answer = Answer::NotApplied(NotApplied::Rejected);

fn json(item: &Item) -> String {
    to_json(item).to_string()
}

fn standing() -> Record {
    samples::record(samples::succeeded(true))
}

fn found() -> Answer {
    Answer::Refused(Existing::Found(Box::new(standing())))
}

/// The same error on every send: what each of the three writes makes of it.
async fn each_write_says(reply: Reply, expected: &Answer) {
    let replay = || Replay::of(vec![reply.clone(); 3]);
    let what = format!("{reply:?}");
    assert_eq!(
        &replay().store().reserve(&samples::reserve()).await,
        expected,
        "reserve: {what}"
    );
    let release = samples::release();
    assert_eq!(
        &replay().store().transition(&release).await,
        expected,
        "transition: {what}"
    );
    let commit = samples::commit(Vec::new());
    assert_eq!(
        &replay().store().commit(&commit).await,
        expected,
        "commit: {what}"
    );
}

#[tokio::test]
async fn a_success_is_applied() {
    each_write_says(Reply::ok(), &Answer::Applied).await;
}

#[tokio::test]
async fn what_was_refused_before_any_work_is_not_applied() {
    for code in [
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
    ] {
        each_write_says(Reply::error(400, code), &UNAVAILABLE).await;
    }
}

#[tokio::test]
async fn what_can_never_succeed_is_rejected() {
    for code in [
        "ResourceNotFoundException",
        "ValidationException",
        "AccessDeniedException",
        "UnrecognizedClientException",
        "ExpiredTokenException",
        "InvalidSignatureException",
        "ItemCollectionSizeLimitExceededException",
    ] {
        each_write_says(Reply::error(400, code), &REJECTED).await;
    }
}

#[tokio::test]
async fn what_may_have_happened_is_unknown() {
    for reply in [
        Reply::error(500, "InternalServerError"),
        Reply::error(503, "ServiceUnavailable"),
        Reply::error(400, "TransactionInProgressException"),
        Reply::error(400, "IdempotentParameterMismatchException"),
        Reply::error(400, "FutureException"),
        Reply::Answer(500, "<html>a proxy's page</html>".to_owned()),
        Reply::Answer(200, "not json".to_owned()),
        Reply::Broken,
        Reply::Silence,
    ] {
        each_write_says(reply, &Answer::Unknown).await;
    }
}

#[tokio::test]
async fn d03_a_conflict_of_a_single_write_says_nothing_of_what_stands_there() {
    for code in [
        "TransactionConflictException",
        "ReplicatedWriteConflictException",
    ] {
        let replay = Replay::of(vec![Reply::error(400, code); 3]);
        assert_eq!(replay.store().reserve(&samples::reserve()).await, CONFLICT);
        let replay = Replay::of(vec![Reply::error(400, code); 3]);
        assert_eq!(
            replay.store().transition(&samples::release()).await,
            CONFLICT
        );
    }
}

#[tokio::test]
async fn a_refused_write_brings_what_stands_there() {
    let item = json(&operation::encode(&standing()));
    let newer = r#"{"v":{"N":"7"}}"#;
    let broken = r#"{"v":{"N":"1"}}"#;
    let corrupt = Unreadable::Corrupt {
        attribute: "stands".to_owned(),
    };
    for (item, existing) in [
        (Some(item.as_str()), Existing::Found(Box::new(standing()))),
        (
            Some(newer),
            Existing::Unreadable(Unreadable::Newer { version: 7 }),
        ),
        (Some(broken), Existing::Unreadable(corrupt)),
        (None, Existing::Absent),
    ] {
        let expected = Answer::Refused(existing);
        let replay = Replay::of([Reply::refused(item)]);
        assert_eq!(replay.store().reserve(&samples::reserve()).await, expected);
        let replay = Replay::of([Reply::refused(item)]);
        assert_eq!(
            replay.store().transition(&samples::release()).await,
            expected
        );
        let reasons = [
            ("ConditionalCheckFailed", item),
            ("None", None),
            ("None", None),
        ];
        let replay = Replay::of([Reply::cancelled(&reasons)]);
        assert_eq!(
            replay.store().commit(&samples::commit(Vec::new())).await,
            expected
        );
    }
}

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

const FINE: (&str, Option<&str>) = ("None", None);
const REFUSED: (&str, Option<&str>) = ("ConditionalCheckFailed", None);
const CONFLICTS: (&str, Option<&str>) = ("TransactionConflict", None);
const THROTTLED: (&str, Option<&str>) = ("ThrottlingError", None);
const STARVED: (&str, Option<&str>) = ("ProvisionedThroughputExceeded", None);
const INVALID: (&str, Option<&str>) = ("ValidationError", None);
const TOO_LARGE: (&str, Option<&str>) = ("ItemCollectionSizeLimitExceeded", None);
const FUTURE: (&str, Option<&str>) = ("FutureReason", None);

#[tokio::test]
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

#[tokio::test]
async fn a_refused_claim_names_its_holder() {
    let mut held = samples::claim("order", None);
    held.decision = DecisionId::from_random([0x11; 16]);
    let item = json(&claim::encode(&held));
    let taken = ("ConditionalCheckFailed", Some(item.as_str()));
    let by_holder = Answer::Blocked(Blocked::ClaimTaken(held.decision));
    reasons_say(&[FINE, FINE, FINE, taken], by_holder.clone()).await;
    reasons_say(&[FINE, FINE, CONFLICTS, taken], by_holder).await;
    let newer = ("ConditionalCheckFailed", Some(r#"{"v":{"N":"2"}}"#));
    reasons_say(
        &[FINE, FINE, FINE, newer],
        Answer::Blocked(Blocked::Corrupt),
    )
    .await;
    reasons_say(&[FINE, FINE, FINE, REFUSED], Answer::Unknown).await;
}

#[tokio::test]
async fn d03_a_conflict_in_a_transaction_is_a_conflict_wherever_it_is() {
    reasons_say(&[CONFLICTS, FINE, FINE, FINE], CONFLICT).await;
    reasons_say(&[FINE, FINE, CONFLICTS, FINE], CONFLICT).await;
    reasons_say(&[CONFLICTS, CONFLICTS, THROTTLED, FINE], CONFLICT).await;
}

#[tokio::test]
async fn throttling_in_a_transaction_is_unavailable() {
    reasons_say(&[THROTTLED, FINE, FINE, FINE], UNAVAILABLE).await;
    reasons_say(&[FINE, FINE, STARVED, FINE], UNAVAILABLE).await;
}

#[tokio::test]
async fn an_invalid_item_rejects_the_transaction() {
    reasons_say(&[FINE, INVALID, FINE, FINE], REJECTED).await;
    reasons_say(&[CONFLICTS, TOO_LARGE, FINE, FINE], REJECTED).await;
}

#[tokio::test]
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

#[tokio::test]
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

#[tokio::test]
async fn a_throttled_resend_does_not_speak_for_the_send_before_it() {
    let throttled = Reply::error(400, "ThrottlingException");
    for first in [
        Reply::Broken,
        Reply::Silence,
        Reply::error(500, "InternalServerError"),
    ] {
        let script = || [first.clone(), throttled.clone(), throttled.clone()];
        let replay = Replay::of(script());
        assert_eq!(
            replay.store().reserve(&samples::reserve()).await,
            Answer::Unknown,
            "{first:?}"
        );
        let replay = Replay::of(script());
        let commit = samples::commit(Vec::new());
        assert_eq!(
            replay.store().commit(&commit).await,
            Answer::Unknown,
            "{first:?}"
        );
        assert_eq!(replay.sent().len(), 3);
    }
}

#[tokio::test]
async fn a_conflict_after_a_lost_reply_is_unknown() {
    let conflict = Reply::cancelled(&[CONFLICTS, FINE, FINE]);
    let replay = Replay::of([Reply::Broken, conflict]);
    let commit = samples::commit(Vec::new());
    assert_eq!(replay.store().commit(&commit).await, Answer::Unknown);
}

#[tokio::test]
async fn d01_the_sdks_resend_finds_the_record_that_its_first_send_wrote() {
    let reserve = samples::reserve();
    let mine = json(&operation::encode(&reserve.record));
    let replay = Replay::of([Reply::Broken, Reply::refused(Some(&mine))]);
    let expected = Answer::Refused(Existing::Found(Box::new(reserve.record.clone())));
    assert_eq!(replay.store().reserve(&reserve).await, expected);
}

#[tokio::test]
async fn d05_a_commit_in_progress_is_sent_again_byte_for_byte_with_the_same_token() {
    let busy = Reply::error(400, "TransactionInProgressException");
    let replay = Replay::of([Reply::Silence, busy, Reply::ok()]);
    let commit = samples::commit(Vec::new());
    assert_eq!(replay.store().commit(&commit).await, Answer::Applied);
    let sent = replay.sent();
    assert_eq!(sent.len(), 3);
    assert!(sent[0].contains(&format!(r#""ClientRequestToken":"{}""#, commit.token())));
    assert_eq!(sent[0], sent[1]);
    assert_eq!(sent[0], sent[2]);
}

#[tokio::test]
async fn a_commit_that_the_protocol_sends_again_has_the_same_bytes() {
    let replay = Replay::of(vec![Reply::ok(); 8]);
    let store = replay.store();
    let commit = samples::commit(vec![samples::claim("order", Some(at(NOW)))]);
    for _ in 0..8 {
        assert_eq!(store.commit(&commit).await, Answer::Applied);
    }
    let sent = replay.sent();
    assert!(sent.iter().all(|body| *body == sent[0]));
}

#[tokio::test]
async fn d09_every_read_is_strong_and_every_conditional_write_asks_for_what_stands() {
    let replay = Replay::of(vec![Reply::ok(); 6]);
    let store = replay.store();
    let (decision, row) = (samples::decision(), samples::row(0));
    assert_eq!(
        store.read_operation(&decision.operation).await,
        Ok(Existing::Absent)
    );
    assert_eq!(store.read_decision(&decision.id).await, Ok(Read::Absent));
    assert_eq!(store.read_row(&row.event.id).await, Ok(Read::Absent));
    let _ = store.reserve(&samples::reserve()).await;
    let _ = store.transition(&samples::release()).await;
    let _ = store
        .commit(&samples::commit(vec![samples::claim("order", None)]))
        .await;
    let sent = replay.sent();
    for read in &sent[..3] {
        assert!(read.contains(r#""ConsistentRead":true"#), "{read}");
    }
    let asks = r#""ReturnValuesOnConditionCheckFailure":"ALL_OLD""#;
    let asked: Vec<_> = sent[3..]
        .iter()
        .map(|write| write.matches(asks).count())
        .collect();
    assert_eq!(asked, [1, 1, 2], "of a commit: the operation and the claim");
}

#[tokio::test]
async fn d10_nothing_that_varies_with_an_attempt_is_in_a_table_key() {
    let replay = Replay::of(vec![Reply::ok(); 3]);
    let store = replay.store();
    let _ = store.transition(&samples::release()).await;
    let key = format!(
        r#""Key":{{"op":{{"S":"{}"}}}}"#,
        samples::scope().operation_id()
    );
    assert!(
        replay.sent()[0].contains(&key),
        "the whole key is the operation id"
    );
    let first = samples::reserve();
    let mut second = first.clone();
    second.record.fence = samples::fence(9);
    second.record.decision = DecisionId::from_random([1; 16]);
    second.record.updated = at(NOW + 9);
    let key_of = |record: &Record| operation::key(&record.operation);
    assert_eq!(key_of(&first.record), key_of(&second.record));
}

#[tokio::test]
async fn a_read_that_fails_says_whether_to_try_again() {
    let id = samples::scope().operation_id();
    for (reply, expected) in [
        (
            Reply::error(400, "ThrottlingException"),
            StoreError::Unavailable("ThrottlingException".into()),
        ),
        (
            Reply::error(500, "InternalServerError"),
            StoreError::Unavailable("InternalServerError".into()),
        ),
        (
            Reply::Broken,
            StoreError::Unavailable("no connection".into()),
        ),
        (Reply::Silence, StoreError::Unavailable("timed out".into())),
        (
            Reply::error(400, "ResourceNotFoundException"),
            StoreError::Rejected("ResourceNotFoundException".into()),
        ),
        (
            Reply::error(400, "AccessDeniedException"),
            StoreError::Rejected("AccessDeniedException".into()),
        ),
    ] {
        let replay = Replay::of(vec![reply; 3]);
        assert_eq!(
            replay.store().read_operation(&id).await.unwrap_err(),
            expected
        );
    }
}

#[tokio::test]
async fn a_mark_whose_condition_is_false_is_not_there_and_one_without_answer_is_an_error() {
    let row = samples::row(0);
    let marker = decide_once_protocol::outbox::Marker {
        since: at(NOW),
        number: 0,
    };
    let replay = Replay::of([Reply::refused(None)]);
    let marked = replay
        .store()
        .mark_delivered(&row.event.id, marker, at(NOW))
        .await;
    assert_eq!(marked, Ok(Marked::NotThere));
    let replay = Replay::of([]);
    let marked = replay.store().redrive(&row.event.id, marker).await;
    assert_eq!(marked, Err(StoreError::Unavailable("no connection".into())));
}

#[test]
fn a_decisions_id_is_not_stored_with_its_operation_when_it_follows() {
    let item = decide_once_dynamodb::items::decision::encode(&samples::decision());
    assert!(!item.contains_key("op"));
}
