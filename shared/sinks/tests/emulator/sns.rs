//! A topic with a queue behind it.

use decide_once_sinks::SnsSink;

use crate::support::{Queue, bodies, emulator, events, limits, rows, sent, sorted};

#[tokio::test]
async fn a_subscribed_queue_gets_every_event_of_two_requests_as_it_is() {
    let Some(emulator) = emulator().await else {
        return;
    };
    let queue = Queue::create(&emulator, "subscribed").await;
    let client = aws_sdk_sns::Client::new(&emulator);
    let created = client
        .create_topic()
        .name("decisions")
        .send()
        .await
        .unwrap();
    let topic = created.topic_arn.unwrap();
    let subscribe = client.subscribe().topic_arn(&topic).protocol("sqs");
    subscribe
        .endpoint(queue.arn().await)
        .attributes("RawMessageDelivery", "true")
        .send()
        .await
        .unwrap();
    let sink = SnsSink::new(client, topic, limits());
    let rows = rows(12);
    sent(&sink, &rows).await;
    let received = bodies(queue.received(12).await);
    assert_eq!(sorted(received), sorted(events(&rows)));
}
