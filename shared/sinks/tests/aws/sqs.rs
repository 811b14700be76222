//! `SendMessageBatch`.

use aws_sdk_sqs::{
    Client,
    error::ErrorMetadata,
    operation::send_message_batch::{SendMessageBatchError, SendMessageBatchOutput},
    types::{BatchResultErrorEntry, SendMessageBatchResultEntry, error::BatchRequestTooLong},
};
use aws_smithy_mocks::{Rule, mock, mock_client};
use decide_once_protocol::outbox::{Delivery, Marker};
use decide_once_sinks::SqsSink;
use decide_once_tests::samples::{NOW, at};

use crate::support::{LIMITS, UNTOLD, rows, send};

const STANDARD: &str = "https://sqs.eu-central-1.amazonaws.com/000000000000/decisions";
const FIFO: &str = "https://sqs.eu-central-1.amazonaws.com/000000000000/decisions.fifo";

fn sink(queue: &str, rules: &[&Rule]) -> SqsSink {
    let client = mock_client!(aws_sdk_sqs, rules);
    SqsSink::new(client, queue.to_owned(), LIMITS)
}

fn taken(id: &str) -> SendMessageBatchResultEntry {
    SendMessageBatchResultEntry::builder()
        .id(id)
        .message_id("m")
        .md5_of_message_body("d")
        .build()
        .unwrap()
}

fn failed(id: &str, sender_fault: bool, code: &str) -> BatchResultErrorEntry {
    BatchResultErrorEntry::builder()
        .id(id)
        .sender_fault(sender_fault)
        .code(code)
        .message("acct-42 has amount 12500")
        .build()
        .unwrap()
}

fn answering(taken: Vec<SendMessageBatchResultEntry>, failed: Vec<BatchResultErrorEntry>) -> Rule {
    mock!(Client::send_message_batch).then_output(move || {
        SendMessageBatchOutput::builder()
            .set_successful(Some(taken.clone()))
            .set_failed(Some(failed.clone()))
            .build()
            .unwrap()
    })
}

#[tokio::test]
async fn each_message_of_a_batch_has_its_own_fate() {
    let batch = answering(
        vec![taken("5"), taken("0")],
        vec![
            failed("1", true, "InvalidMessageContents"),
            failed("2", true, "AWS.SimpleQueueService.InvalidParameterValue"),
            failed("3", false, "InternalError"),
            failed("4", true, "RequestThrottled"),
            failed("6", true, "AccessDenied"),
            failed("7", true, "AWS.SimpleQueueService.NonExistentQueue"),
            failed("8", false, "InvalidMessageContents"),
        ],
    );
    let verdicts = send(&sink(STANDARD, &[&batch]), &rows(10)).await;
    let setting = "check the sink's name and the function's permissions";
    let expected = [
        "sent",
        "poison: it answered InvalidMessageContents",
        "poison: it answered AWS.SimpleQueueService.InvalidParameterValue",
        "not available: it answered InternalError",
        "not available: it answered RequestThrottled",
        "sent",
        &format!("not available: it answered AccessDenied; {setting}"),
        &format!("not available: it answered AWS.SimpleQueueService.NonExistentQueue; {setting}"),
        "not available: it answered InvalidMessageContents",
        UNTOLD,
    ];
    assert_eq!(verdicts, expected);
}

#[tokio::test]
async fn an_id_that_was_not_sent_acknowledges_nobody() {
    let batch = answering(vec![taken("2"), taken("x"), taken("01")], vec![]);
    assert_eq!(
        send(&sink(STANDARD, &[&batch]), &rows(2)).await,
        [UNTOLD, UNTOLD]
    );
}

#[tokio::test]
async fn a_batch_that_is_too_long_is_poison_only_where_it_is_one_event() {
    let too_long = || {
        mock!(Client::send_message_batch).then_error(|| {
            let meta = ErrorMetadata::builder()
                .code("AWS.SimpleQueueService.BatchRequestTooLong")
                .build();
            let error = BatchRequestTooLong::builder().meta(meta).build();
            SendMessageBatchError::BatchRequestTooLong(error)
        })
    };
    let both = send(&sink(STANDARD, &[&too_long()]), &rows(2)).await;
    assert!(
        both.iter()
            .all(|told| told.ends_with("lower SINK_BATCH_BYTES")),
        "{both:?}"
    );
    let small = send(&sink(STANDARD, &[&too_long()]), &rows(1)).await;
    assert!(small[0].starts_with("not available"), "{small:?}");
    let mut large = rows(1);
    large[0].event.data = format!("\"{}\"", "x".repeat(300_000));
    let large = send(&sink(STANDARD, &[&too_long()]), &large).await;
    assert!(large[0].starts_with("poison"), "{large:?}");
}

#[tokio::test]
async fn a_standard_queue_gets_the_cloud_event_and_no_group() {
    let row = rows(1).remove(0);
    let event = row.event.to_cloud_event();
    let batch = mock!(Client::send_message_batch)
        .match_requests(move |request| {
            let [entry] = request.entries() else {
                return false;
            };
            let attribute = &entry.message_attributes().unwrap()["content-type"];
            request.queue_url() == Some(STANDARD)
                && entry.message_body() == event
                && attribute.string_value() == Some("application/cloudevents+json; charset=utf-8")
                && entry.message_group_id().is_none()
                && entry.message_deduplication_id().is_none()
        })
        .then_output(|| {
            let sent = SendMessageBatchOutput::builder().successful(taken("0"));
            sent.set_failed(Some(vec![])).build().unwrap()
        });
    assert_eq!(send(&sink(STANDARD, &[&batch]), &rows(1)).await, ["sent"]);
}

/// A FIFO queue groups by a hash of tenant and subject. What it drops as a duplicate is a second send under the same marker,
/// not a redrive.
#[tokio::test]
async fn o16_a_fifo_queue_groups_by_a_hash_and_takes_a_redrive_for_another_message() {
    let first = rows(1).remove(0);
    let mut redriven = first.clone();
    redriven.delivery = Delivery::Undelivered(Marker {
        since: at(NOW + 60_000),
        number: 1,
    });
    let mut seen = Vec::new();
    for row in [&first, &first, &redriven] {
        let (told, telling) = std::sync::mpsc::channel();
        let batch = mock!(Client::send_message_batch)
            .match_requests(move |request| {
                let entry = &request.entries()[0];
                let group = entry.message_group_id().unwrap().to_owned();
                let id = entry.message_deduplication_id().unwrap().to_owned();
                told.send((group, id, entry.message_body().to_owned()))
                    .is_ok()
            })
            .then_output(|| {
                let sent = SendMessageBatchOutput::builder().successful(taken("0"));
                sent.set_failed(Some(vec![])).build().unwrap()
            });
        assert_eq!(
            send(&sink(FIFO, &[&batch]), std::slice::from_ref(row)).await,
            ["sent"]
        );
        seen.push(telling.recv().unwrap());
    }
    let [one, again, redriven] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!(one, again);
    assert_eq!(
        (&one.0, &one.2),
        (&redriven.0, &redriven.2),
        "the same group and bytes"
    );
    assert_ne!(one.1, redriven.1);
    assert_eq!(one.0, first.event.group());
    assert!(!one.0.contains("subject") && !one.0.contains("alpha"));
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatchRequestEntry.html
    assert!(one.1.len() <= 128 && one.1.bytes().all(|byte| byte.is_ascii_graphic()));
}
