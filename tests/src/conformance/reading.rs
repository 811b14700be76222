//! Reads by id.

use decide_once_protocol::writes::{Existing, Unreadable};
use decide_once_service::memory::Foreign;
use decide_once_service::ports::{Outbox, Read, Store};

use super::Harness;
use crate::samples;

/// In each of the three places.
pub async fn what_was_never_written_is_absent<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let operation = samples::scope().operation_id();
    assert_eq!(store.read_operation(&operation).await, Ok(Existing::Absent));
    let decision = samples::decision().id;
    assert_eq!(store.read_decision(&decision).await, Ok(Read::Absent));
    assert_eq!(store.read_row(&decision.event(0)).await, Ok(Read::Absent));
}

/// A newer version's item is told by its version, a corrupt one by the attribute; neither is an error of the store.
pub async fn what_a_newer_version_wrote_is_told_apart_from_what_nobody_wrote<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let operation = samples::scope().operation_id();
    let decision = samples::decision().id;
    let event = decision.event(0);
    let corrupt = |attribute: &str| Unreadable::Corrupt {
        attribute: attribute.to_owned(),
    };
    let newer = Unreadable::Newer { version: 2 };
    for (of_record, of_decision, of_row) in [
        (newer.clone(), newer.clone(), newer),
        (corrupt("stands"), corrupt("tenant"), corrupt("content")),
    ] {
        harness
            .plant(Foreign::Operation(operation.clone(), of_record.clone()))
            .await;
        let read = store.read_operation(&operation).await;
        assert_eq!(read, Ok(Existing::Unreadable(of_record)));
        harness
            .plant(Foreign::Decision(decision.clone(), of_decision.clone()))
            .await;
        let read = store.read_decision(&decision).await;
        assert_eq!(read, Ok(Read::Unreadable(of_decision)));
        harness
            .plant(Foreign::Row(event.clone(), of_row.clone()))
            .await;
        let read = store.read_row(&event).await;
        assert_eq!(read, Ok(Read::Unreadable(of_row)));
    }
}
