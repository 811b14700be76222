//! Every row of the table in `outcome`, through the SDK: DynamoDB's answer in, the port's answer out.

use decide_once_dynamodb::items::{Item, operation};
use decide_once_protocol::outbox::Marker;
use decide_once_protocol::record::Record;
use decide_once_protocol::writes::{Answer, Existing, NotApplied, Unreadable};
use decide_once_service::ports::{Marked, Outbox, Store, StoreError};
use decide_once_tests::samples::{self, NOW, at};

use crate::cancellation::{CONFLICTS, FINE};
use crate::json::to_json;
use crate::replay::{Replay, Reply};

pub(crate) const CONFLICT: Answer = Answer::NotApplied(NotApplied::Conflict);
pub(crate) const UNAVAILABLE: Answer = Answer::NotApplied(NotApplied::Unavailable);
pub(crate) const REJECTED: Answer = Answer::NotApplied(NotApplied::Rejected);

pub(crate) fn json(item: &Item) -> String {
    to_json(item).to_string()
}

pub(crate) fn standing() -> Record {
    samples::record(samples::succeeded(true))
}

pub(crate) fn found() -> Answer {
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

#[tokio::test(start_paused = true)]
async fn a_success_is_applied() {
    each_write_says(Reply::ok(), &Answer::Applied).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_before_any_work_is_not_applied() {
    for code in [
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
    ] {
        each_write_says(Reply::error(400, code), &UNAVAILABLE).await;
    }
}

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
async fn a_conflict_after_a_lost_reply_is_unknown() {
    let conflict = Reply::cancelled(&[CONFLICTS, FINE, FINE]);
    let replay = Replay::of([Reply::Broken, conflict]);
    let commit = samples::commit(Vec::new());
    assert_eq!(replay.store().commit(&commit).await, Answer::Unknown);
}

#[tokio::test(start_paused = true)]
async fn d01_the_sdks_resend_finds_the_record_that_its_first_send_wrote() {
    let reserve = samples::reserve();
    let mine = json(&operation::encode(&reserve.record));
    let replay = Replay::of([Reply::Broken, Reply::refused(Some(&mine))]);
    let expected = Answer::Refused(Existing::Found(Box::new(reserve.record.clone())));
    assert_eq!(replay.store().reserve(&reserve).await, expected);
}

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
async fn a_mark_whose_condition_is_false_is_not_there_and_one_without_answer_is_an_error() {
    let row = samples::row(0);
    let marker = Marker {
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
