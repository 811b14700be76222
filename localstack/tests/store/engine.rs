use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveStatus};
use decide_once::engine::tables::{TTL_ATTRIBUTE, UNDELIVERED_INDEX};
use decide_once::engine::{self, EngineError, EngineOptions, NotSteerable, TableNames};

use crate::support::{OUTBOX, client, has_row, put_row, s};

#[tokio::test]
async fn the_tables_have_their_keys_streams_indexes_and_ttl() {
    let engine = crate::support::engine();
    let client = client(&engine.endpoint());
    for (table, key, stream, indexes) in [
        ("operations", "op", true, vec!["queue-index"]),
        ("decisions", "id", false, vec![]),
        (
            "outbox",
            "event",
            true,
            vec!["quarantined-index", "undelivered-index"],
        ),
        ("inbox", "id", false, vec![]),
    ] {
        let described = client.describe_table().table_name(table).send().await;
        let described = described.unwrap().table.unwrap();
        assert_eq!(described.key_schema()[0].attribute_name(), key, "{table}");
        assert_eq!(described.latest_stream_arn().is_some(), stream, "{table}");
        let mut names: Vec<_> = described
            .global_secondary_indexes()
            .iter()
            .filter_map(|index| index.index_name())
            .collect();
        names.sort_unstable();
        assert_eq!(names, indexes, "{table}");
        let ttl = client
            .describe_time_to_live()
            .table_name(table)
            .send()
            .await;
        let ttl = ttl.unwrap().time_to_live_description.unwrap();
        assert_eq!(ttl.attribute_name(), Some(TTL_ATTRIBUTE), "{table}");
        assert_eq!(ttl.time_to_live_status(), Some(&TimeToLiveStatus::Enabled));
    }
}

#[tokio::test]
async fn an_undelivered_row_is_in_its_shard_of_the_index_and_a_delivered_one_is_not() {
    let engine = crate::support::engine();
    let client = client(&engine.endpoint());
    put_row(&client, "e-1").await;
    let undelivered = async || {
        let query = client.query().table_name(OUTBOX);
        let query = query.index_name(UNDELIVERED_INDEX);
        let query = query.key_condition_expression("#shard = :shard");
        let query = query.expression_attribute_names("#shard", "shard");
        let found = query.expression_attribute_values(":shard", s("0"));
        found.send().await.unwrap().count()
    };
    assert_eq!(undelivered().await, 1);
    client
        .update_item()
        .table_name(OUTBOX)
        .key("event", s("e-1"))
        .update_expression("REMOVE undelivered, #shard")
        .expression_attribute_names("#shard", "shard")
        .send()
        .await
        .unwrap();
    assert_eq!(undelivered().await, 0);
}

#[tokio::test]
async fn an_item_past_its_ttl_goes_when_the_clock_passes_it() {
    let start_time_ms = 1_900_000_000_000;
    let engine = engine::start(EngineOptions {
        start_time_ms: Some(start_time_ms),
        ..EngineOptions::default()
    })
    .unwrap();
    engine.create_tables(&TableNames::default()).unwrap();
    let client = client(&engine.endpoint());
    assert!((start_time_ms..start_time_ms + 60_000).contains(&engine.now_ms()));

    put_row(&client, "stays").await;
    let ttl = AttributeValue::N((start_time_ms / 1_000 + 3_600).to_string());
    let row = client
        .put_item()
        .table_name(OUTBOX)
        .item("event", s("goes"));
    row.item(TTL_ATTRIBUTE, ttl).send().await.unwrap();

    engine.advance(Duration::from_mins(59)).unwrap();
    assert!(has_row(&client, "goes").await);
    engine.advance(Duration::from_mins(3)).unwrap();
    assert!(!has_row(&client, "goes").await);
    assert!(has_row(&client, "stays").await);
}

#[tokio::test]
async fn a_data_directory_outlives_its_engine() {
    let directory = tempfile::tempdir().unwrap();
    let options = || EngineOptions {
        data: Some(directory.path().join("data")),
        ..EngineOptions::default()
    };
    let first = engine::start(options()).unwrap();
    first.create_tables(&TableNames::default()).unwrap();
    put_row(&client(&first.endpoint()), "e-1").await;
    assert_eq!(first.advance(Duration::from_secs(1)), Err(NotSteerable));

    let second = engine::start(options());
    assert!(matches!(second, Err(EngineError::DataDirInUse { .. })));

    first.shutdown().await;
    drop(first);
    let again = engine::start(options()).unwrap();
    again.create_tables(&TableNames::default()).unwrap();
    assert!(has_row(&client(&again.endpoint()), "e-1").await);
}

#[tokio::test]
async fn a_directory_with_somebody_elses_files_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let theirs = directory.path().join("letter.txt");
    std::fs::write(&theirs, "dear").unwrap();
    let refused = engine::start(EngineOptions {
        data: Some(directory.path().to_owned()),
        ..EngineOptions::default()
    });
    assert!(matches!(refused, Err(EngineError::DataDirForeign { .. })));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_start_time_for_the_durable_engine_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refused = engine::start(EngineOptions {
        data: Some(directory.path().to_owned()),
        start_time_ms: Some(0),
    });
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("without --data"), "{refused}");
}

#[tokio::test]
async fn a_data_directory_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let refused = engine::start(EngineOptions {
        data: Some(file.path().join("data")),
        ..EngineOptions::default()
    });
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains(file.path().to_str().unwrap()), "{refused}");
}

#[tokio::test]
async fn after_a_shutdown_nothing_listens() {
    let engine = crate::support::engine();
    let client = client(&engine.endpoint());
    put_row(&client, "e-1").await;
    engine.shutdown().await;
    engine.shutdown().await;
    let address = engine.endpoint().replace("http://", "");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
