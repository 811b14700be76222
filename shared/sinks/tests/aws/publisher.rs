//! The whole way: a batch of the stream through the publisher to a sink of AWS.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_sdk_eventbridge::operation::put_events::{PutEventsInput, PutEventsOutput};
use aws_sdk_eventbridge::types::PutEventsResultEntry;
use aws_sdk_sqs::operation::send_message_batch::{SendMessageBatchInput, SendMessageBatchOutput};
use aws_sdk_sqs::types::SendMessageBatchResultEntry;
use aws_smithy_mocks::{RuleMode, mock, mock_client};
use decide_once_protocol::{
    envelope::{Envelope, EventLimit},
    ids::EventId,
    outbox::{Delivery, OutboxRow},
    writes::{Answer, Commit},
};
use decide_once_service::{
    memory::MemoryStore,
    ports::{Clock as _, Sink, Store as _},
    publish::{Change, Image, Pace, Publisher, Report},
};
use decide_once_sinks::{EventBridgeSink, SqsSink, requests::Limits};
use decide_once_tests::{conformance::place, fixtures::ManualClock, samples};
use serde_json::Value;

use crate::support::{LIMITS, rows};

/// Commits rows and publishes them, with pauses that a test can wait for.
async fn published(sink: impl Sink, rows: &[OutboxRow]) -> (Report, HashMap<EventId, Delivery>) {
    let (store, clock) = (MemoryStore::default(), ManualClock::default());
    place(&store, &samples::record(samples::processing())).await;
    let commit = Commit {
        events: rows.to_vec(),
        ..samples::commit(Vec::new())
    };
    assert_eq!(store.commit(&commit).await, Answer::Applied);
    let batch: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| Change {
            sequence: number.to_string(),
            before: None,
            after: Image::Row(Box::new(row.clone())),
        })
        .collect();
    let pace = Pace {
        first_pause: Duration::from_millis(1),
        ..Pace::within(Duration::from_secs(10))
    };
    let deadline = clock.now().plus(Duration::from_secs(60));
    let publisher = Publisher::new(store.clone(), sink, clock, pace);
    let report = publisher.publish(&batch, deadline).await;
    let rows = store.rows().into_iter();
    (
        report,
        rows.map(|row| (row.event.id, row.delivery)).collect(),
    )
}

/// A bus that throttles the third event once and takes the ninth for malformed, and remembers the ids that it was sent.
fn bus(rows: &[OutboxRow], sent: &Arc<Mutex<Vec<Vec<String>>>>) -> EventBridgeSink {
    let id = |number: usize| rows[number].event.id.to_string();
    let (third, ninth, sent) = (id(2), id(8), Arc::clone(sent));
    let put = mock!(aws_sdk_eventbridge::Client::put_events).then_compute_output(
        move |request: &PutEventsInput| {
            let id = |detail: &str| -> String {
                let event: Value = serde_json::from_str(detail).unwrap();
                event["id"].as_str().unwrap().to_owned()
            };
            let ids: Vec<_> = request
                .entries()
                .iter()
                .map(|entry| id(entry.detail().unwrap()))
                .collect();
            let mut sent = sent.lock().unwrap();
            let first = sent.is_empty();
            let answers = ids.iter().map(|id| {
                let entry = PutEventsResultEntry::builder();
                match id {
                    id if *id == third && first => entry.error_code("ThrottlingException"),
                    id if *id == ninth => entry.error_code("MalformedDetail"),
                    _ => entry.event_id("e"),
                }
                .build()
            });
            let answers = answers.collect();
            sent.push(ids);
            PutEventsOutput::builder()
                .failed_entry_count(0)
                .set_entries(Some(answers))
                .build()
        },
    );
    let client = mock_client!(aws_sdk_eventbridge, RuleMode::MatchAny, &[&put]);
    EventBridgeSink::new(
        client,
        "decisions".to_owned(),
        "decide-once".to_owned(),
        LIMITS,
    )
}

/// Eight are marked, the third is sent again after a pause and its successor behind it, the ninth is set aside and its
/// successor goes on.
#[tokio::test]
async fn o05_put_events_half_fails_and_each_event_goes_its_own_way() {
    let mut rows = rows(12);
    rows[10].event.subject = rows[2].event.subject.clone();
    rows[11].event.subject = rows[8].event.subject.clone();
    let sent = Arc::default();
    let (report, standing) = published(bus(&rows, &sent), &rows).await;
    assert_eq!((report.delivered, report.quarantined), (11, 1));
    assert_eq!(report.stopped, None);
    for (number, row) in rows.iter().enumerate() {
        let delivery = &standing[&row.event.id];
        if number == 8 {
            let Delivery::Quarantined { reason, .. } = delivery else {
                panic!("{delivery:?}");
            };
            assert_eq!(reason, "it answered MalformedDetail");
        } else {
            assert!(matches!(delivery, Delivery::Delivered { .. }), "{number}");
        }
    }
    let ids = |numbers: &[usize]| {
        let id = |number: &usize| rows[*number].event.id.to_string();
        numbers.iter().map(id).collect::<Vec<_>>()
    };
    let expected = [
        ids(&(0..10).collect::<Vec<_>>()),
        ids(&[11]),
        ids(&[2]),
        ids(&[10]),
    ];
    assert_eq!(*sent.lock().unwrap(), expected);
}

/// Ten events of 150 KB are more than a request takes, wherever its limit is; each arrives. One that no request takes is
/// refused before its commit.
#[tokio::test]
async fn z03_batch_limit_is_a_sum() {
    let mut rows = rows(10);
    for row in &mut rows {
        row.event.data = format!("\"{}\"", "x".repeat(150_000));
    }
    for (bytes, requests) in [(Limits::DEFAULT_BYTES, 10), (1_048_576, 2)] {
        let sizes: Arc<Mutex<Vec<usize>>> = Arc::default();
        let seen = Arc::clone(&sizes);
        let batch = mock!(aws_sdk_sqs::Client::send_message_batch).then_compute_output(
            move |request: &SendMessageBatchInput| {
                let entries = request.entries();
                let size = entries.iter().map(|entry| entry.message_body().len()).sum();
                seen.lock().unwrap().push(size);
                let taken = entries.iter().map(|entry| {
                    let taken = SendMessageBatchResultEntry::builder().id(entry.id());
                    taken
                        .message_id("m")
                        .md5_of_message_body("d")
                        .build()
                        .unwrap()
                });
                let answer = SendMessageBatchOutput::builder();
                answer
                    .set_successful(Some(taken.collect()))
                    .set_failed(Some(vec![]))
                    .build()
                    .unwrap()
            },
        );
        let client = mock_client!(aws_sdk_sqs, RuleMode::MatchAny, &[&batch]);
        let limits = Limits { bytes, ..LIMITS };
        let sink = SqsSink::new(client, "http://127.0.0.1/q".to_owned(), limits);
        let (report, _) = published(sink, &rows).await;
        assert_eq!((report.delivered, report.stopped), (10, None));
        let sizes = sizes.lock().unwrap();
        assert_eq!(sizes.len(), requests);
        assert!(sizes.iter().all(|size| *size <= bytes));
    }
    let mut oversize = rows.remove(0).event;
    oversize.data = format!("\"{}\"", "x".repeat(300_000));
    let limit = EventLimit {
        bytes: EventLimit::DEFAULT_BYTES,
        envelope: Envelope::Message,
    };
    assert!(limit.refuses(&oversize).is_some());
}
