//! The Kafka sink against librdkafka's mock cluster: brokers of its own on loopback. Run by `tests/kafka`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use decide_once_service::ports::{SendError, Sink as _};
use decide_once_sinks::kafka::KafkaSink;
use decide_once_tests::samples;
use rdkafka::{
    ClientConfig, Message as _,
    consumer::{Consumer as _, StreamConsumer},
    message::{Headers as _, OwnedMessage},
    mocking::MockCluster,
    producer::DefaultProducerContext,
    types::{RDKafkaApiKey, RDKafkaRespErr},
};

/// Longer than anything takes that is not meant to take for ever.
const PATIENCE: Duration = Duration::from_secs(20);

const TOPIC: &str = "decisions";

type Cluster = MockCluster<'static, DefaultProducerContext>;

/// Three brokers, and a topic with three partitions in sync.
fn cluster() -> Cluster {
    let cluster = MockCluster::new(3).unwrap();
    cluster.create_topic(TOPIC, 3, 3).unwrap();
    cluster
}

fn sink(cluster: &Cluster, timeout: Duration) -> KafkaSink {
    KafkaSink::new(&cluster.bootstrap_servers(), TOPIC.to_owned(), timeout).unwrap()
}

/// The first records of the topic.
async fn consumed(cluster: &Cluster, records: usize) -> Vec<OwnedMessage> {
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", cluster.bootstrap_servers())
        .set("group.id", "tests")
        .set("auto.offset.reset", "earliest")
        .create()
        .unwrap();
    consumer.subscribe(&[TOPIC]).unwrap();
    let mut consumed = Vec::new();
    while consumed.len() < records {
        let record = tokio::time::timeout(PATIENCE, consumer.recv()).await;
        consumed.push(record.unwrap().unwrap().detach());
    }
    consumed
}

#[tokio::test]
async fn an_event_is_a_record_under_the_hash_of_its_tenant_and_subject() {
    let cluster = cluster();
    let sink = sink(&cluster, PATIENCE);
    let rows = [samples::row(0), samples::row(1)];
    for row in &rows {
        assert_eq!(sink.send(&[row]).await, [Ok(())]);
    }
    let records = consumed(&cluster, 2).await;
    for (record, row) in records.iter().zip(&rows) {
        assert_eq!(
            record.payload().unwrap(),
            row.event.to_cloud_event().as_bytes()
        );
        assert_eq!(record.key().unwrap(), row.event.group().as_bytes());
        let header = record.headers().unwrap().get(0);
        assert_eq!(header.key, "content-type");
        assert_eq!(
            header.value.unwrap(),
            b"application/cloudevents+json; charset=utf-8"
        );
    }
    assert_eq!(records[0].partition(), records[1].partition());
}

#[tokio::test]
async fn many_events_are_sent_at_once_and_each_has_its_report() {
    let cluster = cluster();
    let sink = sink(&cluster, PATIENCE);
    let rows: Vec<_> = (0..100)
        .map(|number| {
            let mut row = samples::row(number);
            row.event.subject = format!("subject-{number}");
            row
        })
        .collect();
    let verdicts = sink.send(&rows.iter().collect::<Vec<_>>()).await;
    assert_eq!(verdicts, vec![Ok(()); 100]);
    let records = consumed(&cluster, 100).await;
    let partitions: std::collections::BTreeSet<_> =
        records.iter().map(rdkafka::Message::partition).collect();
    assert_eq!(partitions.len(), 3, "subjects are spread");
}

/// The broker takes it, says that it failed, and is asked again by the producer itself: it is there once.
#[tokio::test]
async fn a_passing_error_is_the_producers_own_business() {
    let cluster = cluster();
    let again = RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS;
    cluster.request_errors(RDKafkaApiKey::Produce, &[again, again]);
    let sink = sink(&cluster, PATIENCE);
    assert_eq!(sink.send(&[&samples::row(0)]).await, [Ok(())]);
    assert_eq!(consumed(&cluster, 1).await.len(), 1);
}

#[tokio::test]
async fn a_cluster_that_is_down_is_not_available_and_takes_the_event_once_it_is_back() {
    let cluster = cluster();
    for broker in 1..=3 {
        cluster.broker_down(broker).unwrap();
    }
    let sink = sink(&cluster, Duration::from_millis(500));
    let verdicts = sink.send(&[&samples::row(0)]).await;
    assert!(
        matches!(verdicts[..], [Err(SendError::Unavailable(_))]),
        "{verdicts:?}"
    );
    for broker in 1..=3 {
        cluster.broker_up(broker).unwrap();
    }
    decide_once_tests::eventually("the delivery", async || {
        let verdicts = sink.send(&[&samples::row(0)]).await;
        (verdicts == [Ok(())]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_record_that_is_too_large_is_poison_and_takes_no_other_along() {
    let cluster = cluster();
    let sink = sink(&cluster, PATIENCE);
    let mut large = samples::row(0);
    large.event.data = format!("\"{}\"", "x".repeat(1_100_000));
    let mut other = samples::row(1);
    other.event.subject = "another".to_owned();
    let verdicts = sink.send(&[&large, &other]).await;
    assert!(
        matches!(verdicts[..], [Err(SendError::Poison(_)), Ok(())]),
        "{verdicts:?}"
    );
}
