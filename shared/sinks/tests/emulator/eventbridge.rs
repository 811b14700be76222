//! A bus with a rule and a queue behind it.

use aws_config::SdkConfig;
use aws_sdk_eventbridge::{Client, types::Target};
use decide_once_sinks::{EventBridgeSink, eventbridge::BusError};
use serde_json::{Value, json};

use crate::support::{Queue, bodies, emulator, events, limits, rows, sent, sorted};

fn sink(emulator: &SdkConfig, bus: &str) -> EventBridgeSink {
    let source = "decide-once".to_owned();
    EventBridgeSink::new(Client::new(emulator), bus.to_owned(), source, limits())
}

#[tokio::test]
async fn a_rules_target_gets_the_whole_event_as_its_detail() {
    let Some(emulator) = emulator().await else {
        return;
    };
    let queue = Queue::create(&emulator, "target").await;
    let client = Client::new(&emulator);
    client
        .create_event_bus()
        .name("decisions")
        .send()
        .await
        .unwrap();
    // By the CloudEvents source: one tenant's events.
    let pattern = json!({ "detail": { "source": ["urn:decide-once:t-alpha"] } });
    let rule = client.put_rule().name("alpha").event_bus_name("decisions");
    rule.event_pattern(pattern.to_string())
        .send()
        .await
        .unwrap();
    let target = Target::builder().id("queue").arn(queue.arn().await);
    let targets = client
        .put_targets()
        .rule("alpha")
        .event_bus_name("decisions");
    targets
        .targets(target.build().unwrap())
        .send()
        .await
        .unwrap();

    let sink = sink(&emulator, "decisions");
    assert_eq!(sink.check().await, Ok(()));
    let mut rows = rows(12);
    rows[11].event.source = "urn:decide-once:t-beta".to_owned();
    sent(&sink, &rows).await;
    let received = bodies(queue.received(11).await);
    let read = |text: &String| serde_json::from_str::<Value>(text).unwrap();
    let details = received.iter().map(read).map(|entry| {
        assert_eq!(entry["source"], "decide-once");
        assert_eq!(entry["detail-type"], entry["detail"]["type"]);
        entry["detail"].to_string()
    });
    let expected = events(&rows[..11]);
    let expected = expected.iter().map(|event| read(event).to_string());
    assert_eq!(sorted(details.collect()), sorted(expected.collect()));
    assert!(
        queue.is_empty().await,
        "the other tenant's is not the rule's"
    );
}

#[tokio::test]
async fn a_bus_that_is_not_there_is_said_before_anything_is_sent() {
    let Some(emulator) = emulator().await else {
        return;
    };
    let missing = sink(&emulator, "missing").check().await;
    assert_eq!(missing, Err(BusError::Missing));
}
