//! The budget of mismatches, per tenant and window of time.
//!
//! A mismatch is cheap by itself: one refused write. An instance therefore counts for itself and tells the store only every [`REPORT_EVERY`]th
//! time, which is one more round trip for one mismatch in ten, and none for a caller who made one mistake. What comes back is what all
//! instances have counted. So the limit is exact for one instance, and late by at most nine mismatches for each further one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use decide_once_protocol::hash;
use decide_once_protocol::scope::Tenant;
use decide_once_protocol::time::Timestamp;

/// How long a budget lasts.
pub const WINDOW: Duration = Duration::from_secs(60);

/// Every so many mismatches of a tenant an instance tells the store.
pub const REPORT_EVERY: u32 = 10;

/// An instance counts for so many tenants. With more, it forgets all of them: a limit that is late is better than memory that grows.
pub const MAX_KEPT: usize = 4096;

/// A stretch of time by the clock, the same for all instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start: Timestamp,
}

impl Window {
    /// The window that `now` is in.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        let into = Timestamp::EPOCH.until(now).as_millis() % WINDOW.as_millis();
        let into = u64::try_from(into).unwrap_or(0);
        Self {
            start: now.minus(Duration::from_millis(into)),
        }
    }

    /// When it is over.
    #[must_use]
    pub fn end(&self) -> Timestamp {
        self.start.plus(WINDOW)
    }

    /// The id of a tenant's counter in this window. It shows no tenant.
    #[must_use]
    pub fn counter(&self, tenant: &Tenant) -> String {
        let start = self.start.as_millis().to_be_bytes();
        // No part can be empty: a tenant never is.
        let id = hash::parts("mismatches-v1", &[tenant.as_str().as_bytes(), &start]);
        id.map_or_else(|_| String::new(), |id| hash::base32(&id))
    }
}

/// What an instance knows of the tenants' mismatches.
#[derive(Debug, Default)]
pub(crate) struct MismatchBudget(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    window: Option<Window>,
    tenants: HashMap<Tenant, Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// What the store said last.
    told: u32,
    /// Not reported yet.
    own: u32,
}

/// What to do about a mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing: the budget is not used up, as far as is known.
    Nothing,
    /// Tell the store of so many.
    Report(u32),
    /// The budget is used up.
    Spent,
}

impl MismatchBudget {
    /// Counts a mismatch. Once the budget is known to be used up nothing is counted any more in this window.
    pub(crate) fn count(&self, tenant: &Tenant, window: Window, budget: u32) -> Due {
        let mut kept = self.kept(window);
        if kept.tenants.len() >= MAX_KEPT && !kept.tenants.contains_key(tenant) {
            kept.tenants.clear();
        }
        let count = kept.tenants.entry(tenant.clone()).or_default();
        if count.total() >= budget {
            return Due::Spent;
        }
        count.own += 1;
        if count.own >= REPORT_EVERY {
            Due::Report(count.own)
        } else {
            Due::Nothing
        }
    }

    /// The store has added `reported` and has `total` now.
    pub(crate) fn told(&self, tenant: &Tenant, window: Window, reported: u32, total: u32) {
        let mut kept = self.kept(window);
        let count = kept.tenants.entry(tenant.clone()).or_default();
        count.own = count.own.saturating_sub(reported);
        count.told = count.told.max(total);
    }

    fn kept(&self, window: Window) -> MutexGuard<'_, Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.window != Some(window) {
            kept.window = Some(window);
            kept.tenants.clear();
        }
        kept
    }
}

impl Count {
    const fn total(self) -> u32 {
        self.told.saturating_add(self.own)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn tenant(name: &str) -> Tenant {
        Tenant::parse(name).unwrap()
    }

    fn window() -> Window {
        Window::at(Timestamp::EPOCH.plus(Duration::from_secs(1_000)))
    }

    #[test]
    fn every_tenth_mismatch_is_reported_and_the_budget_is_remembered() {
        let budget = MismatchBudget::default();
        let mut told = 0;
        for _ in 0..25 {
            match budget.count(&tenant("a"), window(), 25) {
                Due::Nothing => {}
                Due::Report(own) => {
                    told += own;
                    budget.told(&tenant("a"), window(), own, told);
                }
                Due::Spent => panic!("not yet"),
            }
        }
        assert_eq!(told, 20);
        assert_eq!(budget.count(&tenant("a"), window(), 25), Due::Spent);
        assert_eq!(budget.count(&tenant("b"), window(), 25), Due::Nothing);
    }

    #[test]
    fn a_report_that_failed_is_repeated_with_the_next_mismatch() {
        let budget = MismatchBudget::default();
        for _ in 1..REPORT_EVERY {
            assert_eq!(budget.count(&tenant("a"), window(), 99), Due::Nothing);
        }
        assert_eq!(budget.count(&tenant("a"), window(), 99), Due::Report(10));
        assert_eq!(budget.count(&tenant("a"), window(), 99), Due::Report(11));
    }

    #[test]
    fn what_other_instances_counted_counts_and_a_new_window_is_a_new_budget() {
        let budget = MismatchBudget::default();
        budget.told(&tenant("a"), window(), 0, 99);
        assert_eq!(budget.count(&tenant("a"), window(), 99), Due::Spent);
        let next = Window::at(window().end());
        assert_eq!(budget.count(&tenant("a"), next, 99), Due::Nothing);
        assert_ne!(next.counter(&tenant("a")), window().counter(&tenant("a")));
        assert_ne!(
            window().counter(&tenant("b")),
            window().counter(&tenant("a"))
        );
    }

    #[test]
    fn more_tenants_than_are_kept_are_forgotten_and_counted_anew() {
        let budget = MismatchBudget::default();
        for number in 0..=MAX_KEPT {
            budget.count(&tenant(&number.to_string()), window(), 1);
        }
        assert_eq!(budget.count(&tenant("0"), window(), 1), Due::Nothing);
    }
}
