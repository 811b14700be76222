//! A standard and a FIFO queue.

use decide_once_protocol::outbox::{Delivery, Marker};
use decide_once_service::ports::{SendError, Sink as _};
use decide_once_sinks::SqsSink;
use decide_once_tests::samples::{NOW, at, row};

use crate::support::{Queue, bodies, emulator, events, limits, rows, sent, sorted};

#[tokio::test]
async fn a_standard_queue_gets_every_event_of_two_requests_as_it_is() {
    let Some(emulator) = emulator().await else {
        return;
    };
    let queue = Queue::create(&emulator, "standard").await;
    let client = aws_sdk_sqs::Client::new(&emulator);
    let sink = SqsSink::new(client, queue.url.clone(), limits());
    let rows = rows(12);
    sent(&sink, &rows).await;
    let received = queue.received(12).await;
    for message in &received {
        let attribute = &message.message_attributes.as_ref().unwrap()["content-type"];
        assert_eq!(
            attribute.string_value(),
            Some("application/cloudevents+json; charset=utf-8")
        );
    }
    assert_eq!(sorted(bodies(received)), sorted(events(&rows)));
}

/// One subject's events in order; a second send under the same marker is dropped, a redrive arrives.
#[tokio::test]
async fn a_fifo_queue_keeps_a_subjects_order_and_takes_a_redrive() {
    let Some(emulator) = emulator().await else {
        return;
    };
    let queue = Queue::create(&emulator, "ordered.fifo").await;
    let client = aws_sdk_sqs::Client::new(&emulator);
    let sink = SqsSink::new(client, queue.url.clone(), limits());
    let in_order: Vec<_> = (0..5).map(row).collect();
    for row in &in_order {
        sent(&sink, std::slice::from_ref(row)).await;
    }
    // Its publisher died between send and mark: acknowledged once more, and dropped.
    sent(&sink, &in_order[..1]).await;
    let received = bodies(queue.received(5).await);
    assert_eq!(received, events(&in_order));
    assert!(queue.is_empty().await);

    let mut redriven = in_order[0].clone();
    redriven.delivery = Delivery::Undelivered(Marker {
        since: at(NOW + 60_000),
        number: 0,
    });
    sent(&sink, &[redriven]).await;
    assert_eq!(
        bodies(queue.received(1).await),
        received[..1],
        "the same event"
    );
}

#[tokio::test]
async fn a_queue_that_is_not_there_is_not_the_events_fault() {
    let Some(emulator) = emulator().await else {
        return;
    };
    let queue = Queue::create(&emulator, "another").await;
    let missing = queue.url.replace("another", "missing");
    let sink = SqsSink::new(aws_sdk_sqs::Client::new(&emulator), missing, limits());
    let verdicts = sink.send(&[&row(0)]).await;
    let [Err(SendError::Unavailable(why))] = &verdicts[..] else {
        panic!("{verdicts:?}");
    };
    assert!(why.contains("check the sink's name"), "{why}");
}
