//! A consumer's marks through the SDK: DynamoDB's answer in, the port's answer out.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem, Update};
use decide_once_dynamodb::items::mark;
use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{Claim, Finish, FoundMark, Keep, MarkAnswer, Release, Together};
use decide_once_protocol::writes::{NotApplied, Unreadable};
use decide_once_service::ports::{Effects as _, Inbox as _, StoreError};
use decide_once_tests::samples::{self, NOW, at};

use crate::outcome::json;
use crate::replay::{Replay, Reply};

fn claim() -> Claim {
    Claim {
        id: samples::mark_id(),
        owner: OwnerToken::from_random([1; 16]),
        lapses: at(NOW + 30_000),
        now: at(NOW),
    }
}

fn finish() -> Finish {
    Finish {
        id: samples::mark_id(),
        owner: OwnerToken::from_random([1; 16]),
        until: at(NOW + 86_400_000),
    }
}

fn release() -> Release {
    Release {
        id: samples::mark_id(),
        owner: OwnerToken::from_random([1; 16]),
    }
}

fn keep() -> Keep {
    Keep {
        id: samples::mark_id(),
        until: at(NOW + 86_400_000),
        now: at(NOW),
        token: OwnerToken::from_random([1; 16]),
    }
}

/// Two items.
fn effect() -> Vec<TransactWriteItem> {
    let item = |id: &str| {
        let update = Update::builder()
            .table_name("balances")
            .set_key(Some(HashMap::from([(
                "id".to_owned(),
                AttributeValue::S(id.to_owned()),
            )])))
            .update_expression("ADD amount :by")
            .expression_attribute_values(":by", AttributeValue::N("5".to_owned()));
        TransactWriteItem::builder()
            .update(update.build().unwrap())
            .build()
    };
    vec![item("acct-42"), item("total")]
}

/// The same answer on every send: what each write makes of it.
async fn each_write_says(reply: Reply, expected: &MarkAnswer, together: &Together) {
    let replay = || Replay::of(vec![reply.clone(); 3]);
    let what = format!("{reply:?}");
    assert_eq!(&replay().inbox().claim(&claim()).await, expected, "{what}");
    assert_eq!(
        &replay().inbox().finish(&finish()).await,
        expected,
        "{what}"
    );
    assert_eq!(
        &replay().inbox().release(&release()).await,
        expected,
        "{what}"
    );
    let had = replay().inbox().have(&effect(), &keep()).await;
    assert_eq!(&had, together, "{what}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_fact_is_one_of_three() {
    each_write_says(Reply::ok(), &MarkAnswer::Applied, &Together::Applied).await;
    for (code, why) in [
        ("ThrottlingException", NotApplied::Unavailable),
        ("TransactionConflictException", NotApplied::Conflict),
        ("ResourceNotFoundException", NotApplied::Rejected),
        ("AccessDeniedException", NotApplied::Rejected),
    ] {
        let answer = MarkAnswer::NotApplied(why);
        each_write_says(Reply::error(400, code), &answer, &Together::NotApplied(why)).await;
    }
    for reply in [
        Reply::error(500, "InternalServerError"),
        Reply::error(400, "TransactionInProgressException"),
        Reply::error(400, "FutureException"),
        Reply::Broken,
        Reply::Silence,
    ] {
        each_write_says(reply, &MarkAnswer::Unknown, &Together::Unknown).await;
    }
}

/// A timeout before the throttled send may have landed.
#[tokio::test(start_paused = true)]
async fn an_open_attempt_makes_not_applied_unknown() {
    let throttled = || Reply::error(400, "ThrottlingException");
    let replay = Replay::of([Reply::Silence, throttled(), throttled()]);
    assert_eq!(replay.inbox().claim(&claim()).await, MarkAnswer::Unknown);
    let replay = Replay::of([Reply::Silence, throttled(), throttled()]);
    let had = replay.inbox().have(&effect(), &keep()).await;
    assert_eq!(had, Together::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_refused_write_tells_what_stands_there() {
    let stands = finish().mark();
    let item = json(&mark::encode(&stands));
    for (item, found) in [
        (Some(item.as_str()), FoundMark::Mark(stands)),
        (None, FoundMark::Absent),
        (
            Some(r#"{"v":{"N":"2"}}"#),
            FoundMark::Unreadable(Unreadable::Newer { version: 2 }),
        ),
    ] {
        let refused = MarkAnswer::Refused(found);
        let replay = || Replay::of([Reply::refused(item)]);
        assert_eq!(replay().inbox().claim(&claim()).await, refused);
        assert_eq!(replay().inbox().finish(&finish()).await, refused);
        assert_eq!(replay().inbox().release(&release()).await, refused);
    }
}

/// The mark first, then the effect's two items.
async fn reasons_say(reasons: &[(&str, Option<&str>)], expected: Together) {
    let replay = Replay::of([Reply::cancelled(reasons)]);
    let had = replay.inbox().have(&effect(), &keep()).await;
    assert_eq!(had, expected, "{reasons:?}");
    assert_eq!(replay.sent().len(), 1);
}

const FINE: (&str, Option<&str>) = ("None", None);
const REFUSED: (&str, Option<&str>) = ("ConditionalCheckFailed", None);
const CONFLICTS: (&str, Option<&str>) = ("TransactionConflict", None);
const THROTTLED: (&str, Option<&str>) = ("ThrottlingError", None);
const INVALID: (&str, Option<&str>) = ("ValidationError", None);

#[tokio::test(start_paused = true)]
async fn a_cancelled_effects_reasons_are_read_by_position() {
    let stands = keep().mark();
    let item = json(&mark::encode(&stands));
    let marked = ("ConditionalCheckFailed", Some(item.as_str()));
    let refused = Together::MarkRefused(FoundMark::Mark(stands));
    reasons_say(&[marked, FINE, FINE], refused.clone()).await;
    reasons_say(&[marked, REFUSED, CONFLICTS], refused.clone()).await;
    reasons_say(&[marked, INVALID, FINE], refused).await;
    reasons_say(&[FINE, REFUSED, FINE], Together::EffectRefused).await;
    reasons_say(&[FINE, FINE, REFUSED], Together::EffectRefused).await;
    reasons_say(&[FINE, CONFLICTS, REFUSED], Together::EffectRefused).await;
    let conflict = Together::NotApplied(NotApplied::Conflict);
    // What stands at the mark is not known: the effect's own condition may be false because this very event was handled.
    reasons_say(&[CONFLICTS, REFUSED, FINE], conflict.clone()).await;
    reasons_say(&[FINE, FINE, CONFLICTS], conflict).await;
    let unavailable = Together::NotApplied(NotApplied::Unavailable);
    reasons_say(&[THROTTLED, REFUSED, FINE], unavailable.clone()).await;
    reasons_say(&[FINE, THROTTLED, FINE], unavailable).await;
    let rejected = Together::NotApplied(NotApplied::Rejected);
    reasons_say(&[FINE, INVALID, REFUSED], rejected).await;
}

#[tokio::test(start_paused = true)]
async fn d07_an_effects_reasons_that_are_missing_short_or_from_the_future_are_unknown() {
    reasons_say(&[], Together::Unknown).await;
    reasons_say(&[REFUSED, FINE], Together::Unknown).await;
    reasons_say(&[("FutureReason", None), FINE, FINE], Together::Unknown).await;
    reasons_say(&[FINE, FINE, FINE], Together::Unknown).await;
}

/// So that a second send is the same request, byte for byte.
#[tokio::test(start_paused = true)]
async fn an_effect_sent_again_is_the_same_request() {
    let replay = Replay::of([Reply::ok(), Reply::ok()]);
    let inbox = replay.inbox();
    for _ in 0..2 {
        assert_eq!(inbox.have(&effect(), &keep()).await, Together::Applied);
    }
    let sent = replay.sent();
    assert_eq!(sent[0], sent[1]);
    assert!(sent[0].contains(&keep().token.encode()));
}

#[tokio::test(start_paused = true)]
async fn a_mark_is_read_strongly_and_a_store_that_does_not_answer_says_so() {
    let replay = Replay::of([Reply::ok()]);
    let read = replay.inbox().read_mark(&samples::mark_id()).await;
    assert_eq!(read, Ok(FoundMark::Absent));
    assert!(replay.sent()[0].contains(r#""ConsistentRead":true"#));
    let read = Replay::of([]).inbox().read_mark(&samples::mark_id()).await;
    assert_eq!(read, Err(StoreError::Unavailable("no connection".into())));
}
