//! One line for each batch: counts and what ended it; never an event's content.

use decide_once_service::publish::Report;

pub(crate) fn line(report: &Report) {
    let Report {
        delivered,
        quarantined,
        overtaken,
        repeated,
        marked,
        unchanged,
        expired,
        removed,
        unreadable,
        failed,
        held,
        stopped,
    } = report;
    tracing::info!(
        delivered,
        quarantined,
        overtaken,
        repeated,
        marked,
        unchanged,
        expired,
        removed,
        unreadable,
        failed,
        held,
        "batch published"
    );
    if let Some((sequence, why)) = stopped {
        tracing::warn!(sequence, %why, "not all of a batch is done; it will be handed in again from here on");
    }
}
