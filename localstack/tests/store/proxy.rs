//! What the SDK makes of each fault. Case numbers: D01, D03, D05, D07, D08.

use std::time::{Duration, Instant};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
};
use decide_once::engine::Engine;
use decide_once::proxy::{ApiCall, Fault, Proxy, StoreFault};

use crate::support::{OUTBOX, client, engine, has_row, put_row, s, single_attempt};

/// An engine, the proxy before it, and a client of each: one sees the faults, one sees what is really there.
struct Store {
    engine: Engine,
    proxy: Proxy,
}

impl Store {
    async fn start() -> Self {
        let engine = engine();
        let proxy = Proxy::start(&engine.endpoint()).await.unwrap();
        Self { engine, proxy }
    }

    fn faulty(&self) -> Client {
        single_attempt(&self.proxy.endpoint())
    }

    fn direct(&self) -> Client {
        client(&self.engine.endpoint())
    }

    fn arm(&self, call: ApiCall, fault: Fault) {
        self.proxy.arm(StoreFault::next(call, fault)).unwrap();
    }
}

async fn put(client: &Client, event: &str) -> Result<(), SdkError<PutItemError>> {
    client
        .put_item()
        .table_name(OUTBOX)
        .item("event", s(event))
        .condition_expression("attribute_not_exists(event)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .map(drop)
}

async fn transact(
    client: &Client,
    events: [&str; 3],
) -> Result<(), SdkError<TransactWriteItemsError>> {
    let items = events.map(|event| {
        let put = Put::builder().table_name(OUTBOX).item("event", s(event));
        TransactWriteItem::builder()
            .put(put.build().unwrap())
            .build()
    });
    let call = client.transact_write_items();
    let call = call.set_transact_items(Some(items.into()));
    call.send().await.map(drop)
}

/// The codes of a cancelled transaction; `None` for one without a list.
fn reasons(error: &SdkError<TransactWriteItemsError>) -> Option<Vec<&str>> {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            cancelled.cancellation_reasons.as_ref().map(|reasons| {
                reasons
                    .iter()
                    .filter_map(CancellationReason::code)
                    .collect()
            })
        }
        other => panic!("a cancelled transaction expected: {other:?}"),
    }
}

#[tokio::test]
async fn calls_and_bytes_are_counted_by_operation() {
    let store = Store::start().await;
    let client = store.faulty();
    put_row(&client, "before").await;
    let mark = store.proxy.mark();
    put_row(&client, "e-1").await;
    has_row(&client, "e-1").await;
    transact(&client, ["a", "b", "c"]).await.unwrap();

    let calls = store.proxy.since(&mark);
    let operations: Vec<_> = calls.log.iter().map(|c| c.operation.as_str()).collect();
    assert_eq!(operations, ["PutItem", "GetItem", "TransactWriteItems"]);
    assert!(calls.log.iter().all(|call| call.status == Some(200)));
    let bytes: u64 = calls.log.iter().map(|call| call.request_bytes).sum();
    assert_eq!(calls.total().request_bytes, bytes);
    assert!(bytes > 100);
    assert_eq!(store.proxy.since_start().of("PutItem"), 2);
}

#[tokio::test]
async fn d01_a_lost_reply_shows_the_sdk_its_own_write_as_a_failed_condition() {
    let store = Store::start().await;
    store.arm(ApiCall::PutItem, Fault::ReplyLost);
    let error = put(&client(&store.proxy.endpoint()), "e-1")
        .await
        .unwrap_err();
    match error.into_service_error() {
        PutItemError::ConditionalCheckFailedException(failed) => {
            assert_eq!(failed.item.unwrap()["event"], s("e-1"));
        }
        other => panic!("a failed condition expected: {other:?}"),
    }
    let calls = store.proxy.since_start();
    let answers: Vec<_> = calls.log.iter().map(|call| call.status).collect();
    assert_eq!(answers, [None, Some(400)], "the SDK tried again by itself");
}

#[tokio::test]
async fn a_lost_reply_without_retries_is_a_dispatch_failure_of_a_write_that_is_there() {
    let store = Store::start().await;
    store.arm(ApiCall::PutItem, Fault::ReplyLost);
    let error = put(&store.faulty(), "e-1").await.unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
    assert!(has_row(&store.direct(), "e-1").await);
}

#[tokio::test]
async fn a_lost_request_is_the_same_failure_of_a_write_that_is_not_there() {
    let store = Store::start().await;
    store.arm(ApiCall::PutItem, Fault::RequestLost);
    let error = put(&store.faulty(), "e-1").await.unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
    assert!(!has_row(&store.direct(), "e-1").await);
}

#[tokio::test]
async fn d03_a_conflict_names_the_item_of_a_transaction_and_has_its_own_error_for_a_single_write() {
    let store = Store::start().await;
    let client = store.faulty();
    store.arm(ApiCall::TransactWriteItems, Fault::Conflict);
    let error = transact(&client, ["a", "b", "c"]).await.unwrap_err();
    assert_eq!(
        reasons(&error).unwrap(),
        ["TransactionConflict", "None", "None"]
    );
    assert!(!has_row(&client, "a").await);
    store.arm(ApiCall::PutItem, Fault::Conflict);
    let error = put(&client, "a").await.unwrap_err().into_service_error();
    assert!(error.is_transaction_conflict_exception(), "{error:?}");
    assert!(!has_row(&client, "a").await);
    transact(&client, ["a", "b", "c"]).await.unwrap();
}

#[tokio::test]
async fn d05_a_transaction_in_progress_is_its_own_error() {
    let store = Store::start().await;
    store.arm(ApiCall::TransactWriteItems, Fault::InProgress);
    let error = transact(&store.faulty(), ["a", "b", "c"]).await;
    let error = error.unwrap_err().into_service_error();
    assert!(error.is_transaction_in_progress_exception(), "{error:?}");
}

#[tokio::test]
async fn d07_reasons_may_be_missing_too_few_or_unknown() {
    let store = Store::start().await;
    let client = store.faulty();
    for (fault, expected) in [
        (Fault::ReasonsMissing, None),
        (
            Fault::ReasonsShort,
            Some(vec!["ConditionalCheckFailed", "None"]),
        ),
        (
            Fault::UnknownReason,
            Some(vec!["FutureReason", "None", "None"]),
        ),
        (
            Fault::Cancelled(vec!["None".into(), "ThrottlingError".into()]),
            Some(vec!["None", "ThrottlingError"]),
        ),
    ] {
        store.arm(ApiCall::TransactWriteItems, fault);
        let error = transact(&client, ["a", "b", "c"]).await.unwrap_err();
        assert_eq!(reasons(&error), expected);
    }
    assert!(!has_row(&client, "a").await);
}

#[tokio::test]
async fn d08_throttling_and_outages_are_answered_as_dynamodb_does() {
    let store = Store::start().await;
    let client = store.faulty();
    store.arm(ApiCall::PutItem, Fault::Throttle);
    let error = put(&client, "e-1").await.unwrap_err().into_service_error();
    assert!(error.is_provisioned_throughput_exceeded_exception());
    store.arm(ApiCall::Any, Fault::Unavailable);
    let error = put(&client, "e-1").await.unwrap_err();
    assert_eq!(error.raw_response().unwrap().status().as_u16(), 500);
    assert!(error.into_service_error().is_internal_server_error());
    store.arm(ApiCall::Any, Fault::Overloaded);
    let error = put(&client, "e-1").await.unwrap_err();
    assert_eq!(error.raw_response().unwrap().status().as_u16(), 503);
    assert!(!has_row(&store.direct(), "e-1").await);
}

#[tokio::test]
async fn an_error_may_hide_a_write_that_took_place() {
    let store = Store::start().await;
    store.arm(ApiCall::PutItem, Fault::UnavailableAfter);
    let error = put(&store.faulty(), "e-1").await.unwrap_err();
    assert!(error.into_service_error().is_internal_server_error());
    assert!(has_row(&store.direct(), "e-1").await);
}

#[tokio::test]
async fn the_sdk_gets_over_two_outages_by_itself() {
    let store = Store::start().await;
    let fault = StoreFault::next(ApiCall::PutItem, Fault::Unavailable).times(2);
    store.proxy.arm(fault).unwrap();
    put(&client(&store.proxy.endpoint()), "e-1").await.unwrap();
    assert_eq!(store.proxy.since_start().of("PutItem"), 3);
}

#[tokio::test]
async fn a_delayed_call_is_answered_later() {
    let store = Store::start().await;
    let delay = Duration::from_millis(60);
    store.arm(ApiCall::PutItem, Fault::Delay(delay));
    let before = Instant::now();
    put(&store.faulty(), "e-1").await.unwrap();
    assert!(before.elapsed() >= delay);
}

#[tokio::test]
async fn a_late_call_is_applied_after_its_sender_has_given_up() {
    let store = Store::start().await;
    let late = Fault::ArrivesLate(Duration::from_millis(30));
    store.arm(ApiCall::PutItem, late);
    let error = put(&store.faulty(), "late").await.unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
    let client = store.direct();
    while !has_row(&client, "late").await {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_reset_within_the_answer_is_a_failure_of_a_write_that_is_there() {
    let store = Store::start().await;
    store.arm(ApiCall::PutItem, Fault::ReplyCut);
    let error = put(&store.faulty(), "e-1").await.unwrap_err();
    let in_transit = matches!(
        error,
        SdkError::DispatchFailure(_) | SdkError::ResponseError(_)
    );
    assert!(in_transit, "{error:?}");
    assert!(has_row(&store.direct(), "e-1").await);
    // The SDK sends it again, and is shown its own write.
    store.arm(ApiCall::PutItem, Fault::ReplyCut);
    let error = put(&client(&store.proxy.endpoint()), "e-2").await;
    let error = error.unwrap_err().into_service_error();
    assert!(error.is_conditional_check_failed_exception(), "{error:?}");
}

#[tokio::test]
async fn an_answer_may_come_later_than_its_call_was_applied() {
    let store = Store::start().await;
    let late = Fault::AnswersLate(Duration::from_secs(600));
    store.arm(ApiCall::PutItem, late);
    let client = store.faulty();
    let waiting = tokio::spawn(async move { put(&client, "e-1").await });
    let direct = store.direct();
    while !has_row(&direct, "e-1").await {
        tokio::task::yield_now().await;
    }
    assert!(!waiting.is_finished());
    waiting.abort();
}

/// Calls under way break off, new ones are refused, and the same port is there again.
#[tokio::test]
async fn a_store_that_is_away_refuses_connections_until_it_is_back() {
    let store = Store::start().await;
    let client = store.faulty();
    put(&client, "before").await.unwrap();
    store.arm(ApiCall::GetItem, Fault::Delay(Duration::from_secs(600)));
    let under_way = client.clone();
    let under_way = tokio::spawn(async move {
        let get = under_way.get_item().table_name(OUTBOX);
        get.key("event", s("before")).send().await
    });
    while store.proxy.since_start().of("GetItem") == 0 {
        tokio::task::yield_now().await;
    }
    store.proxy.set_away(true);
    let error = under_way.await.unwrap().unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
    for _ in 0..3 {
        let error = put(&client, "meanwhile").await.unwrap_err();
        assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
    }
    assert!(!has_row(&store.direct(), "meanwhile").await);
    store.proxy.set_away(false);
    while put(&client, "after").await.is_err() {
        tokio::task::yield_now().await;
    }
    assert!(has_row(&store.direct(), "after").await);
}

#[tokio::test]
async fn a_cleared_fault_does_not_happen() {
    let store = Store::start().await;
    store.arm(ApiCall::PutItem, Fault::RequestLost);
    store.proxy.clear();
    put(&store.faulty(), "e-1").await.unwrap();
}

#[tokio::test]
async fn concurrent_calls_share_the_proxy() {
    let store = Store::start().await;
    let client = client(&store.proxy.endpoint());
    let puts = (0..32).map(|number| {
        let client = client.clone();
        tokio::spawn(async move { put(&client, &format!("e-{}", number % 2)).await.is_ok() })
    });
    let mut won = 0;
    for put in puts.collect::<Vec<_>>() {
        won += usize::from(put.await.unwrap());
    }
    assert_eq!(won, 2, "one for each of the two rows");
    assert_eq!(store.proxy.since_start().of("PutItem"), 32);
}
