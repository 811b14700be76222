//! Delivery, partial failures, filters, checkpoints.

use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use decide_once::engine::tables::TTL_ATTRIBUTE;
use decide_once::engine::{self, EngineOptions, TableNames};
use decide_once::proxy::{ApiCall, Fault, Proxy, StoreFault};
use decide_once::pump::{CheckpointStore, Filters};
use serde_json::json;

use super::script::{Does, config, spawn, until};
use crate::support::{OUTBOX, client, engine, put_row, s};

fn keys(numbers: std::ops::RangeInclusive<u32>) -> Vec<String> {
    numbers.map(|number| format!("e-{number}")).collect()
}

#[tokio::test]
async fn o03_a_partial_failure_is_redelivered_from_the_lowest_failed_one_and_nothing_before_it() {
    let engine = engine();
    let client = client(&engine.endpoint());
    for key in keys(1..=10) {
        put_row(&client, &key).await;
    }
    let (pump, seen) = spawn(config(&engine), &engine.endpoint(), |invocation, _| {
        if invocation == 1 {
            Does::Reports(vec!["e-7".into(), "e-4".into()])
        } else {
            Does::Succeeds
        }
    });
    let state = until(&pump, |state| state.delivered == 10).await;
    assert_eq!(seen.invocations(), [keys(1..=10), keys(4..=10)]);
    assert_eq!((state.failed_invocations, state.discarded), (1, 0));
    let (first, second) = (&seen.records()[..10], &seen.records()[10..]);
    assert_eq!(&first[3..], second, "the same records, ids and all");
}

#[tokio::test]
async fn the_event_has_lambdas_form() {
    let engine = engine();
    put_row(&client(&engine.endpoint()), "e-1").await;
    let (pump, seen) = spawn(config(&engine), &engine.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.delivered == 1).await;
    let record = &seen.records()[0];
    assert_eq!(record["eventName"], "INSERT");
    assert_eq!(record["eventSource"], "aws:dynamodb");
    assert_eq!(record["awsRegion"], "us-east-1");
    let arn = record["eventSourceARN"].as_str().unwrap();
    assert!(
        arn.starts_with("arn:aws:dynamodb:us-east-1:000000000000:table/outbox/stream/"),
        "{arn}"
    );
    let change = &record["dynamodb"];
    assert_eq!(change["Keys"], json!({ "event": { "S": "e-1" } }));
    assert_eq!(change["NewImage"]["undelivered"], json!({ "S": "1-1" }));
    assert_eq!(change["StreamViewType"], "NEW_AND_OLD_IMAGES");
    assert!(change["SizeBytes"].is_u64());
    let age_s = engine.now_ms() / 1_000 - change["ApproximateCreationDateTime"].as_i64().unwrap();
    assert!((0..60).contains(&age_s), "{age_s}");
}

#[tokio::test]
async fn o07_a_removal_by_ttl_says_so_with_lower_case_members() {
    let engine = engine();
    let client = client(&engine.endpoint());
    let (pump, seen) = spawn(config(&engine), &engine.endpoint(), |_, _| Does::Succeeds);
    let ttl = AttributeValue::N((engine.now_ms() / 1_000 + 60).to_string());
    let row = client.put_item().table_name(OUTBOX).item("event", s("e-1"));
    row.item(TTL_ATTRIBUTE, ttl).send().await.unwrap();
    put_row(&client, "e-2").await;
    let delete = client.delete_item().table_name(OUTBOX);
    delete.key("event", s("e-2")).send().await.unwrap();
    engine.advance(Duration::from_mins(2)).unwrap();

    until(&pump, |state| state.delivered == 4).await;
    let records = seen.records();
    let removals: Vec<_> = records
        .iter()
        .filter(|record| record["eventName"] == "REMOVE")
        .collect();
    assert_eq!(removals.len(), 2);
    assert_eq!(removals[0].get("userIdentity"), None, "deleted by a caller");
    assert_eq!(
        removals[1]["userIdentity"],
        json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" })
    );
    assert!(removals[1]["dynamodb"].get("NewImage").is_none());
}

#[tokio::test]
async fn what_no_filter_lets_pass_counts_as_processed() {
    let engine = engine();
    let client = client(&engine.endpoint());
    put_row(&client, "e-1").await;
    let mark = client.update_item().table_name(OUTBOX);
    let mark = mark.key("event", s("e-1"));
    let mark = mark.update_expression("REMOVE undelivered");
    mark.send().await.unwrap();
    let other = client.put_item().table_name(OUTBOX);
    other.item("event", s("e-2")).send().await.unwrap();

    let mut config = config(&engine);
    let undelivered = r#"{"dynamodb":{"NewImage":{"undelivered":{"S":[{"exists":true}]}}}}"#;
    config.filters = Filters::parse(&[undelivered]).unwrap();
    let checkpoint = config.checkpoint.clone();
    let (pump, seen) = spawn(config.clone(), &engine.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.filtered == 2 && state.delivered == 1).await;
    assert_eq!(seen.invocations(), [["e-1"]]);
    let delivered = seen.records()[0]["dynamodb"]["SequenceNumber"].clone();
    until(&pump, |state| {
        state.checkpoint.as_deref() > delivered.as_str()
    })
    .await;
    pump.stop().await;

    // A second pump from the same checkpoint sees none of them again.
    put_row(&client, "e-3").await;
    config.checkpoint = checkpoint;
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.delivered == 1).await;
    assert_eq!(seen.invocations(), [["e-3"]]);
}

#[tokio::test]
async fn a_batch_waits_for_its_window_and_no_longer() {
    let engine = engine();
    let client = client(&engine.endpoint());
    let mut config = config(&engine);
    config.batch_size = 3;
    config.batching_window = Duration::from_mins(5);
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, _| Does::Succeeds);
    for key in keys(1..=4) {
        put_row(&client, &key).await;
    }
    until(&pump, |state| state.delivered == 3).await;
    let state = until(&pump, |state| state.iterator_age_ms > 0).await;
    assert_eq!(seen.invocations(), [keys(1..=3)]);
    assert_eq!(state.delivered, 3, "the fourth waits for company");
}

#[tokio::test]
async fn a_poison_record_goes_to_the_destination_and_the_thousand_behind_it_arrive() {
    let engine = engine();
    let client = client(&engine.endpoint());
    put_row(&client, "poison").await;
    for chunk in keys(1..=1_000).chunks(25) {
        let puts = chunk.iter().map(|key| {
            let put = PutRequest::builder().item("event", s(key));
            WriteRequest::builder()
                .put_request(put.build().unwrap())
                .build()
        });
        let write = client.batch_write_item();
        let write = write.request_items(OUTBOX, puts.collect());
        write.send().await.unwrap();
    }
    let mut config = config(&engine);
    config.batch_size = 10_000;
    config.retry.maximum_attempts = Some(1);
    config.retry.bisect = true;
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, keys| {
        if keys.contains(&"poison".to_owned()) {
            Does::Fails
        } else {
            Does::Succeeds
        }
    });
    let state = until(&pump, |state| state.delivered == 1_000).await;
    assert_eq!(state.discarded, 1);
    let good: Vec<_> = seen
        .invocations()
        .into_iter()
        .filter(|keys| keys[0] != "poison")
        .flatten()
        .collect();
    assert_eq!(good, keys(1..=1_000), "each once, in order");
    let [discarded] = &seen.discarded()[..] else {
        panic!("one record expected: {:?}", seen.discarded())
    };
    let batch = &discarded["DDBStreamBatchInfo"];
    assert_eq!(batch["batchSize"], 1);
    let poison = &seen.records()[0]["dynamodb"]["SequenceNumber"];
    assert_eq!(&batch["startSequenceNumber"], poison);
    assert_eq!(&batch["endSequenceNumber"], poison);
}

#[tokio::test]
async fn a_restart_in_the_middle_of_a_batch_delivers_it_again_and_nothing_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let start = || {
        let data = Some(directory.path().join("data"));
        let engine = engine::start(EngineOptions {
            data,
            ..EngineOptions::default()
        });
        let engine = engine.unwrap();
        engine.create_tables(&TableNames::default()).unwrap();
        engine
    };
    let durable = |engine: &_| {
        let mut config = config(engine);
        config.checkpoint = CheckpointStore::file(directory.path().join("outbox.json"));
        config
    };
    let first = start();
    let endpoint = first.endpoint();
    put_row(&client(&endpoint), "e-1").await;
    let (pump, _) = spawn(durable(&first), &endpoint, |_, keys| {
        if keys == ["e-1"] {
            Does::Succeeds
        } else {
            Does::Fails
        }
    });
    until(&pump, |state| state.delivered == 1).await;
    put_row(&client(&endpoint), "e-2").await;
    until(&pump, |state| state.failed_invocations > 0).await;
    pump.stop().await;
    first.shutdown().await;
    drop(first);

    let second = start();
    let (pump, seen) = spawn(durable(&second), &second.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.delivered == 1).await;
    assert_eq!(seen.invocations(), [["e-2"]]);
}

#[tokio::test]
async fn a_store_outage_delays_delivery_and_shows() {
    let engine = engine();
    let proxy = Proxy::start(&engine.endpoint()).await.unwrap();
    for (call, fault) in [
        (ApiCall::ListStreams, Fault::RequestLost),
        (ApiCall::GetRecords, Fault::Unavailable),
        (ApiCall::GetRecords, Fault::Throttle),
    ] {
        proxy.arm(StoreFault::next(call, fault)).unwrap();
    }
    put_row(&client(&engine.endpoint()), "e-1").await;
    let (pump, seen) = spawn(config(&engine), &proxy.endpoint(), |_, _| Does::Succeeds);
    let state = until(&pump, |state| state.trouble.is_some()).await;
    assert_eq!(state.trouble.unwrap(), "the store could not be reached");
    let state = until(&pump, |state| state.delivered == 1).await;
    assert_eq!(state.trouble, None);
    assert_eq!(seen.invocations(), [["e-1"]]);
    assert_eq!(proxy.pending_faults(), 0);
}

#[tokio::test]
async fn a_pump_may_start_before_its_table() {
    let engine = engine::start(EngineOptions::default()).unwrap();
    let (pump, _) = spawn(config(&engine), &engine.endpoint(), |_, _| Does::Succeeds);
    let state = until(&pump, |state| state.trouble.is_some()).await;
    assert!(state.trouble.unwrap().contains("`outbox` has no stream"));
    engine.create_tables(&TableNames::default()).unwrap();
    put_row(&client(&engine.endpoint()), "e-1").await;
    until(&pump, |state| state.delivered == 1).await;
}
