//! What whoever invoked the function is told: a schedule does not look, a person does.

use std::time::Duration;

use decide_once_lambda::trace;
use decide_once_service::sweep::Swept;
use serde::Serialize;

/// Counts and ages of a sweep.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    complete: bool,
    oldest_undelivered_seconds: Option<u64>,
    oldest_due_seconds: Option<u64>,
    delivered: u32,
    quarantined: u32,
    overtaken: u32,
    done_meanwhile: u32,
    unreadable: u32,
    left: u32,
    sink_down: bool,
    operations: Operations,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Operations {
    succeeded: u32,
    failed: u32,
    nothing_to_do: u32,
    unreadable: u32,
    not_yet: usize,
}

impl Answer {
    pub(crate) fn of(swept: &Swept) -> Self {
        let (rows, operations) = (&swept.rows, &swept.operations);
        Self {
            complete: swept.complete,
            oldest_undelivered_seconds: swept.oldest_undelivered.as_ref().map(Duration::as_secs),
            oldest_due_seconds: swept.oldest_due.as_ref().map(Duration::as_secs),
            delivered: rows.delivered,
            quarantined: rows.quarantined,
            overtaken: rows.overtaken,
            done_meanwhile: rows.done_meanwhile,
            unreadable: rows.unreadable,
            left: rows.left,
            sink_down: rows.sink_down,
            operations: Operations {
                succeeded: operations.succeeded,
                failed: operations.failed,
                nothing_to_do: operations.nothing_to_do,
                unreadable: operations.unreadable,
                not_yet: operations.not_yet.len(),
            },
        }
    }
}

/// One line for each sweep: counts and ages; never an event's content.
pub(crate) fn line(swept: &Swept, invocation: &str, took: Duration) {
    let Answer {
        complete,
        done_meanwhile,
        unreadable,
        left,
        sink_down,
        operations,
        ..
    } = Answer::of(swept);
    let metrics = swept.meter();
    tracing::info!(
        complete,
        %metrics,
        traces = trace::ids(swept.rows.traces.iter().copied()),
        done_meanwhile,
        unreadable,
        left,
        sink_down,
        operations_succeeded = operations.succeeded,
        operations_failed = operations.failed,
        operations_nothing_to_do = operations.nothing_to_do,
        operations_unreadable = operations.unreadable,
        operations_not_yet = operations.not_yet,
        total_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        invocation,
        "swept"
    );
    for (task, why) in &swept.operations.not_yet {
        tracing::warn!(operation = %task.operation, %why, "an operation is not final yet; the next sweep has it");
    }
}
