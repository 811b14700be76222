//! Counters of mismatches.

use std::time::Duration;

use decide_once_protocol::scope::Tenant;
use decide_once_service::limits::Window;
use decide_once_service::ports::Mismatches as _;
use tokio::task::JoinSet;

use super::Harness;
use crate::samples::{NOW, at, tenant};

/// Each tenant and each window has a counter of its own.
pub async fn mismatches_add_up_by_tenant_and_window<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let (now, other) = (Window::at(at(NOW)), Tenant::parse("t-beta").unwrap());
    let next = Window::at(now.end());
    for (tenant, window, count, total) in [
        (&tenant(), now, 10, 10),
        (&tenant(), now, 3, 13),
        (&other, now, 1, 1),
        (&tenant(), next, 7, 7),
        (&tenant(), now, 1, 14),
    ] {
        let counted = store.add_mismatches(tenant, window, count).await;
        assert_eq!(counted, Ok(total));
    }
}

/// None is lost, and each caller is told another total.
pub async fn of_32_counts_at_once_none_is_lost<H: Harness>() {
    let harness = H::start().await;
    let window = Window::at(at(NOW));
    let mut counting = JoinSet::new();
    for _ in 0..32 {
        let store = harness.store();
        counting.spawn(async move { store.add_mismatches(&tenant(), window, 10).await });
    }
    let mut totals: Vec<_> = counting
        .join_all()
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    totals.sort_unstable();
    assert_eq!(totals, (1..=32).map(|nth| nth * 10).collect::<Vec<_>>());
}

/// A counter does not outlive its use.
pub async fn a_counter_is_deleted_after_its_window_and_not_before<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let window = Window::at(at(NOW));
    let second = Duration::from_secs(1);
    store.add_mismatches(&tenant(), window, 5).await.unwrap();
    harness.delete_expired(window.end().minus(second)).await;
    assert_eq!(store.add_mismatches(&tenant(), window, 1).await, Ok(6));
    harness.delete_expired(window.end().plus(second)).await;
    assert_eq!(store.add_mismatches(&tenant(), window, 1).await, Ok(1));
}
