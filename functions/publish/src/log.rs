//! One line for each batch: counts and what ended it; never an event's content.

use std::time::Duration;

use decide_once_service::publish::Report;

pub(crate) fn line(report: &Report, traces: Option<&str>, invocation: &str, took: Duration) {
    let metrics = report.meter();
    let Report {
        repeated,
        marked,
        unchanged,
        expired,
        removed,
        unreadable,
        held,
        stopped,
        ..
    } = report;
    tracing::info!(
        %metrics,
        traces,
        repeated,
        marked,
        unchanged,
        expired,
        removed,
        unreadable,
        held,
        total_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        invocation,
        "batch published"
    );
    if let Some((sequence, why)) = stopped {
        tracing::warn!(sequence, %why, "not all of a batch is done; it will be handed in again from here on");
    }
}
