//! `PublishBatch`.

use aws_sdk_sns::{
    Client,
    error::ErrorMetadata,
    operation::publish_batch::{PublishBatchError, PublishBatchOutput},
    types::{BatchResultErrorEntry, PublishBatchResultEntry},
};
use aws_smithy_mocks::{Rule, mock, mock_client};
use decide_once_sinks::SnsSink;

use crate::support::{LIMITS, UNTOLD, rows, send};

const STANDARD: &str = "arn:aws:sns:eu-central-1:000000000000:decisions";
const FIFO: &str = "arn:aws:sns:eu-central-1:000000000000:decisions.fifo";

fn sink(topic: &str, rules: &[&Rule]) -> SnsSink {
    let client = mock_client!(aws_sdk_sns, rules);
    SnsSink::new(client, topic.to_owned(), LIMITS)
}

fn taken(id: &str) -> PublishBatchResultEntry {
    PublishBatchResultEntry::builder()
        .id(id)
        .message_id("m")
        .build()
}

fn failed(id: &str, sender_fault: bool, code: &str) -> BatchResultErrorEntry {
    BatchResultErrorEntry::builder()
        .id(id)
        .sender_fault(sender_fault)
        .code(code)
        .build()
        .unwrap()
}

#[tokio::test]
async fn each_message_of_a_batch_has_its_own_fate() {
    let batch = mock!(Client::publish_batch).then_output(|| {
        PublishBatchOutput::builder()
            .successful(taken("0"))
            .successful(PublishBatchResultEntry::builder().id("1").build())
            .failed(failed("2", true, "InvalidParameter"))
            .failed(failed("3", true, "InvalidParameterValueException"))
            .failed(failed("4", true, "Throttled"))
            .failed(failed("5", true, "AuthorizationError"))
            .failed(failed("6", false, "InternalError"))
            .failed(failed("9", true, "InvalidParameter"))
            .build()
    });
    let verdicts = send(&sink(STANDARD, &[&batch]), &rows(8)).await;
    let expected = [
        "sent",
        UNTOLD,
        "poison: it answered InvalidParameter",
        "poison: it answered InvalidParameterValueException",
        "not available: it answered Throttled",
        "not available: it answered AuthorizationError; check the sink's name and the function's permissions",
        "not available: it answered InternalError",
        UNTOLD,
    ];
    assert_eq!(verdicts, expected);
}

#[tokio::test]
async fn a_topic_that_is_not_there_is_not_the_events_fault() {
    let batch = mock!(Client::publish_batch).then_error(|| {
        let missing = ErrorMetadata::builder().code("NotFound").build();
        PublishBatchError::generic(missing)
    });
    let told =
        "not available: it answered NotFound; check the sink's name and the function's permissions";
    assert_eq!(
        send(&sink(STANDARD, &[&batch]), &rows(2)).await,
        [told, told]
    );
}

#[tokio::test]
async fn only_a_fifo_topic_gets_group_and_deduplication_id() {
    for topic in [STANDARD, FIFO] {
        let row = rows(1).remove(0);
        let fifo = topic == FIFO;
        let batch = mock!(Client::publish_batch)
            .match_requests(move |request| {
                let [entry] = request.publish_batch_request_entries() else {
                    return false;
                };
                let (group, id) = (row.event.group(), row.transport_id());
                request.topic_arn() == Some(topic)
                    && entry.message() == row.event.to_cloud_event()
                    && entry.message_group_id() == fifo.then_some(group.as_str())
                    && entry.message_deduplication_id() == fifo.then_some(id.as_str())
            })
            .then_output(|| PublishBatchOutput::builder().successful(taken("0")).build());
        assert_eq!(
            send(&sink(topic, &[&batch]), &rows(1)).await,
            ["sent"],
            "{topic}"
        );
    }
}
