//! One line for each batch: counts and what ended it; never an event's content.

use decide_once_service::publish::Report;

pub(crate) fn line(report: &Report) {
    let Report {
        delivered,
        quarantined,
        overtaken,
        marked,
        unchanged,
        expired,
        removed,
        unreadable,
        stopped,
    } = report;
    tracing::info!(
        delivered,
        quarantined,
        overtaken,
        marked,
        unchanged,
        expired,
        removed,
        unreadable,
        "batch published"
    );
    if let Some((sequence, why)) = stopped {
        tracing::warn!(sequence, %why, "a batch ended early; it will be handed in again from here on");
    }
}
