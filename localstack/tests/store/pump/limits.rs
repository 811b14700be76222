//! Retry limits, maximum age, throttling.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::{Does, config, spawn, until};
use crate::support::{client, engine, put_row};

#[tokio::test]
async fn a_batch_that_keeps_failing_is_given_up_after_its_retries_and_the_next_one_arrives() {
    let engine = engine();
    let client = client(&engine.endpoint());
    put_row(&client, "bad").await;
    let mut config = config(&engine);
    config.batch_size = 1;
    config.retry.maximum_attempts = Some(2);
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, keys| {
        if keys == ["bad"] {
            Does::Fails
        } else {
            Does::Succeeds
        }
    });
    put_row(&client, "good").await;
    let state = until(&pump, |state| state.delivered == 1).await;
    assert_eq!((state.discarded, state.failed_invocations), (1, 3));
    assert_eq!(
        seen.invocations(),
        [["bad"], ["bad"], ["bad"], ["good"]],
        "once, and two retries"
    );
    let told = &seen.discarded()[0];
    let context = &told["requestContext"];
    assert_eq!(context["condition"], "RetryAttemptsExhausted");
    assert_eq!(context["approximateInvokeCount"], 3);
    assert_eq!(
        context["functionArn"],
        "arn:aws:lambda:us-east-1:000000000000:function:publish"
    );
    assert_eq!(
        told["responseContext"],
        json!({ "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled" })
    );
    assert_eq!(told["version"], "1.0");
    let batch = &told["DDBStreamBatchInfo"];
    assert!(batch["shardId"].as_str().unwrap().starts_with("shardId-"));
    assert_eq!(
        batch["streamArn"],
        seen.records()[0]["eventSourceARN"],
        "the ARN that the function sees"
    );
    assert_eq!(
        batch["approximateArrivalOfFirstRecord"],
        batch["approximateArrivalOfLastRecord"]
    );
    let timestamp = told["timestamp"].as_str().unwrap();
    assert_eq!(timestamp.len(), "2019-11-14T00:13:49.717Z".len());
}

#[tokio::test]
async fn reported_failures_count_as_retries_and_are_not_function_errors() {
    let engine = engine();
    let client = client(&engine.endpoint());
    for key in ["a", "b", "c"] {
        put_row(&client, key).await;
    }
    let mut config = config(&engine);
    config.retry.maximum_attempts = Some(1);
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, _| {
        Does::Reports(vec!["b".into()])
    });
    let state = until(&pump, |state| state.discarded > 0).await;
    assert_eq!((state.delivered, state.discarded), (1, 2));
    assert_eq!(
        seen.invocations(),
        [vec!["a", "b", "c"], vec!["b", "c"]],
        "nothing before the failed one"
    );
    let told = &seen.discarded()[0];
    assert_eq!(told["responseContext"].get("functionError"), None);
    assert_eq!(told["DDBStreamBatchInfo"]["batchSize"], 2);
}

#[tokio::test]
async fn without_report_batch_item_failures_the_answer_is_not_read() {
    let engine = engine();
    put_row(&client(&engine.endpoint()), "a").await;
    let mut config = config(&engine);
    config.report_batch_item_failures = false;
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, _| {
        Does::Reports(vec!["a".into()])
    });
    let state = until(&pump, |state| state.delivered == 1).await;
    assert_eq!(state.failed_invocations, 0);
    assert_eq!(seen.invocations().len(), 1);
}

#[tokio::test]
async fn records_past_the_maximum_age_are_given_up_however_many_retries_are_left() {
    let engine = engine();
    let client = client(&engine.endpoint());
    put_row(&client, "old").await;
    let mut config = config(&engine);
    config.retry.maximum_record_age = Some(Duration::from_mins(1));
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, keys| {
        if keys.contains(&"old".to_owned()) {
            Does::Fails
        } else {
            Does::Succeeds
        }
    });
    until(&pump, |state| state.failed_invocations >= 2).await;
    engine.advance(Duration::from_secs(62)).unwrap();
    until(&pump, |state| state.discarded == 1).await;
    put_row(&client, "new").await;
    until(&pump, |state| state.delivered == 1).await;
    let told = seen.discarded();
    assert_eq!(condition(&told[0]), "RecordAgeExceeded");
    assert_eq!(told[0]["responseContext"]["functionError"], "Unhandled");
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn records_that_were_too_old_from_the_start_are_told_of_without_a_response() {
    let engine = engine();
    put_row(&client(&engine.endpoint()), "old").await;
    engine.advance(Duration::from_hours(2)).unwrap();
    let mut config = config(&engine);
    config.retry.maximum_record_age = Some(Duration::from_hours(1));
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.discarded == 1).await;
    let told = &seen.discarded()[0];
    assert_eq!(condition(told), "RecordAgeExceeded");
    assert_eq!(told["requestContext"]["approximateInvokeCount"], 0);
    assert_eq!(told.get("responseContext"), None);
    assert!(seen.invocations().is_empty());
}

#[tokio::test]
async fn a_function_that_cannot_start_uses_up_no_retries() {
    let engine = engine();
    put_row(&client(&engine.endpoint()), "a").await;
    let mut config = config(&engine);
    config.retry.maximum_attempts = Some(0);
    let (pump, seen) = spawn(config, &engine.endpoint(), |invocation, _| {
        if invocation <= 3 {
            Does::StaysAway
        } else {
            Does::Succeeds
        }
    });
    let state = until(&pump, |state| state.delivered == 1).await;
    assert_eq!((state.invocations, state.discarded), (1, 0));
    assert_eq!(seen.invocations().len(), 4);
}

#[tokio::test]
async fn the_iterator_age_grows_while_a_record_is_stuck() {
    let engine = engine();
    put_row(&client(&engine.endpoint()), "stuck").await;
    let (pump, _) = spawn(config(&engine), &engine.endpoint(), |_, _| Does::Fails);
    until(&pump, |state| state.failed_invocations > 0).await;
    engine.advance(Duration::from_mins(10)).unwrap();
    let state = until(&pump, |state| state.iterator_age_ms > 0).await;
    assert!(state.iterator_age_ms >= 600_000, "{state:?}");
}

fn condition(told: &Value) -> &str {
    told["requestContext"]["condition"].as_str().unwrap()
}
