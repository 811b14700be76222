//! `PutEvents`.

use aws_sdk_eventbridge::{
    Client,
    error::ErrorMetadata,
    operation::{
        describe_event_bus::{DescribeEventBusError, DescribeEventBusOutput},
        put_events::{PutEventsError, PutEventsOutput},
    },
    types::{PutEventsResultEntry, error::ResourceNotFoundException},
};
use aws_smithy_mocks::{Rule, mock, mock_client};
use decide_once_sinks::{EventBridgeSink, eventbridge::BusError, requests::Limits};

use crate::support::{LIMITS, rows, send};

fn sink(limits: Limits, rules: &[&Rule]) -> EventBridgeSink {
    let client = mock_client!(aws_sdk_eventbridge, rules);
    let (bus, source) = ("decisions".to_owned(), "decide-once".to_owned());
    EventBridgeSink::new(client, bus, source, limits)
}

fn taken(id: &str) -> PutEventsResultEntry {
    PutEventsResultEntry::builder().event_id(id).build()
}

fn failed(code: &str) -> PutEventsResultEntry {
    let failed = PutEventsResultEntry::builder().error_code(code);
    failed.error_message("acct-42 has amount 12500").build()
}

fn answer(entries: Vec<PutEventsResultEntry>) -> PutEventsOutput {
    let failed = entries
        .iter()
        .filter(|entry| entry.error_code().is_some())
        .count();
    PutEventsOutput::builder()
        .failed_entry_count(failed.try_into().unwrap())
        .set_entries(Some(entries))
        .build()
}

fn answering(answer: PutEventsOutput) -> Rule {
    mock!(Client::put_events).then_output(move || answer.clone())
}

/// Ten entries, of which the third was throttled and the ninth is malformed: eight are acknowledged, one is to be sent
/// again, one is poison.
#[tokio::test]
async fn o05_put_events_half_fails() {
    let entries = (1..=10).map(|number| match number {
        3 => failed("ThrottlingException"),
        9 => failed("MalformedDetail"),
        _ => taken("e"),
    });
    let put = answering(answer(entries.collect()));
    let verdicts = send(&sink(LIMITS, &[&put]), &rows(10)).await;
    let mut expected = vec!["sent".to_owned(); 10];
    "not available: it answered ThrottlingException".clone_into(&mut expected[2]);
    "poison: it answered MalformedDetail".clone_into(&mut expected[8]);
    assert_eq!(verdicts, expected, "and no message of the service is told");
    assert_eq!(put.num_calls(), 1);
}

/// It cannot be told which of the entries it speaks of.
#[tokio::test]
async fn an_answer_with_another_number_of_entries_acknowledges_none() {
    for entries in [vec![], vec![taken("e")], vec![taken("e"); 3]] {
        let told = entries.len();
        let put = answering(answer(entries));
        let why = format!("not available: it told of {told} entries where 2 were sent");
        assert_eq!(
            send(&sink(LIMITS, &[&put]), &rows(2)).await,
            [why.clone(), why]
        );
    }
}

#[tokio::test]
async fn an_entry_without_an_id_is_not_acknowledged() {
    let odd = vec![
        PutEventsResultEntry::builder().build(),
        taken(""),
        taken("e"),
    ];
    let verdicts = send(&sink(LIMITS, &[&answering(answer(odd))]), &rows(3)).await;
    assert!(
        verdicts[..2]
            .iter()
            .all(|told| told.starts_with("not available"))
    );
    assert_eq!(verdicts[2], "sent");
}

#[tokio::test]
async fn what_is_about_access_is_not_poison() {
    for code in [
        "AccessDeniedException",
        "NotAuthorizedForSourceException",
        "InternalFailure",
        "InvalidAccountIdException",
        "RedactionFailure",
        "SomethingNew",
    ] {
        let put = answering(answer(vec![failed(code)]));
        let verdicts = send(&sink(LIMITS, &[&put]), &rows(1)).await;
        assert!(
            verdicts[0].starts_with("not available: it answered"),
            "{code}"
        );
    }
}

#[tokio::test]
async fn a_request_that_fails_as_a_whole_acknowledges_nothing() {
    let refuse = |code: &'static str| {
        mock!(Client::put_events).then_error(move || {
            PutEventsError::generic(ErrorMetadata::builder().code(code).build())
        })
    };
    for (code, told) in [
        (
            "ThrottlingException",
            "not available: it answered ThrottlingException",
        ),
        (
            "ValidationException",
            "not available: it answered ValidationException; lower SINK_BATCH_BYTES",
        ),
    ] {
        let put = refuse(code);
        assert_eq!(send(&sink(LIMITS, &[&put]), &rows(2)).await, [told, told]);
    }
    // Alone, and larger than any sink is known to take: it is about this event.
    let mut large = rows(2);
    large[0].event.data = format!("\"{}\"", "x".repeat(262_144));
    let (first, second) = (
        refuse("ValidationException"),
        answering(answer(vec![taken("e")])),
    );
    let verdicts = send(&sink(LIMITS, &[&first, &second]), &large).await;
    assert!(verdicts[0].starts_with("poison: it answered ValidationException: it has 26"));
    assert_eq!(verdicts[1], "sent");
}

#[tokio::test]
async fn an_entry_holds_the_whole_cloud_event() {
    let row = rows(1).remove(0);
    let event = row.event.to_cloud_event();
    let put = mock!(Client::put_events)
        .match_requests(move |request| {
            let [entry] = request.entries() else {
                return false;
            };
            entry.detail() == Some(&event)
                && entry.detail_type() == Some("com.example.credit-limit.decided")
                && entry.source() == Some("decide-once")
                && entry.event_bus_name() == Some("decisions")
                && entry.time().unwrap().to_millis().unwrap() == row.event.time.as_millis()
        })
        .then_output(|| answer(vec![taken("e")]));
    assert_eq!(send(&sink(LIMITS, &[&put]), &rows(1)).await, ["sent"]);
}

#[tokio::test]
async fn requests_are_split_by_count_and_the_verdicts_put_together() {
    let limits = Limits {
        entries: 2.try_into().unwrap(),
        ..LIMITS
    };
    let full = || answer(vec![taken("e"), taken("e")]);
    let last = answer(vec![failed("MalformedDetail")]);
    let (first, second, third) = (answering(full()), answering(full()), answering(last));
    let verdicts = send(&sink(limits, &[&first, &second, &third]), &rows(5)).await;
    assert_eq!(verdicts[..4], ["sent"; 4]);
    assert!(verdicts[4].starts_with("poison"));
}

#[tokio::test]
async fn the_bus_is_looked_at_before_anything_is_sent() {
    let there = mock!(Client::describe_event_bus)
        .match_requests(|request| request.name() == Some("decisions"))
        .then_output(|| DescribeEventBusOutput::builder().build());
    assert_eq!(sink(LIMITS, &[&there]).check().await, Ok(()));

    let missing = mock!(Client::describe_event_bus).then_error(|| {
        let missing = ResourceNotFoundException::builder().build();
        DescribeEventBusError::ResourceNotFoundException(missing)
    });
    assert_eq!(
        sink(LIMITS, &[&missing]).check().await,
        Err(BusError::Missing)
    );

    let denied = mock!(Client::describe_event_bus).then_error(|| {
        let denied = ErrorMetadata::builder()
            .code("AccessDeniedException")
            .build();
        DescribeEventBusError::generic(denied)
    });
    let error = sink(LIMITS, &[&denied]).check().await.unwrap_err();
    assert!(
        error.to_string().contains("events:DescribeEventBus"),
        "{error}"
    );
}
