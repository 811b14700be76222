//! One conformance suite for the store ports: what holds of the store in memory holds of DynamoDB, and the other way round.
//!
//! Each test is a generic function over a [`Harness`], which gives it a fresh store. [`conformance!`](crate::conformance!) makes
//! a `#[tokio::test]` of each, in a test binary for each store.

pub mod classifier;
pub mod commit;
pub mod inbox;
pub mod mismatches;
pub mod outbox;
pub mod queue;
pub mod reading;
pub mod reserve;
pub mod round_trip;
pub mod transition;
pub mod ttl;

use std::future::Future;
use std::time::Duration;

use decide_once_protocol::record::Record;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Existing, Reserve};
use decide_once_service::memory::Foreign;
use decide_once_service::ports::{Effects, Mismatches, Outbox, Queue, Store};

/// A store under test.
pub trait Harness: Sized + Send + Sync {
    /// The store; clones are the same store.
    type Store: Store + Mismatches + Outbox + Queue + Clone + 'static;

    /// A consumer's marks, with numbers for its effects to change; clones are the same.
    type Inbox: Effects + Clone + 'static;

    /// A store with nothing in it.
    fn start() -> impl Future<Output = Self> + Send;

    /// The store.
    fn store(&self) -> Self::Store;

    /// The marks.
    fn inbox(&self) -> Self::Inbox;

    /// The effect that adds to a number; one that is not there is 0.
    fn add(&self, name: &str, by: i64) -> <Self::Inbox as Effects>::Effect;

    /// The effect that sets a number, if what was seen still stands.
    fn set(&self, name: &str, seen: Option<i64>, to: i64) -> <Self::Inbox as Effects>::Effect;

    /// A number, if it is there.
    fn number(&self, name: &str) -> impl Future<Output = Option<i64>> + Send;

    /// Puts something that this code cannot read in a place.
    fn plant(&self, foreign: Foreign) -> impl Future<Output = ()> + Send;

    /// Moves the store's clock to `now` and deletes what its TTL says. The clock stood at [`NOW`](crate::samples::NOW), or where
    /// the last call of this put it, and runs.
    fn delete_expired(&self, now: Timestamp) -> impl Future<Output = ()> + Send;
}

/// Makes tests of the whole suite, for one harness.
#[macro_export]
macro_rules! conformance {
    ($harness:ty: $($module:ident: $($test:ident)+;)+) => {
        $(mod $module {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                $crate::conformance::$module::$test::<$harness>().await;
            })+
        })+
    };
    ($harness:ty) => {
        $crate::conformance! { $harness:
            reserve:
                a_key_that_nobody_has_is_reserved
                a_live_record_in_any_state_refuses_a_reservation_and_is_returned
                a_record_is_free_at_its_expiry_plus_the_margin_and_not_before
                a_record_that_carries_a_request_is_never_free
                of_32_reservations_at_once_one_is_applied_and_the_others_see_it
                of_32_reservations_of_a_freed_key_one_is_applied
                a_reservation_sent_twice_finds_itself
                something_unreadable_refuses_a_reservation_and_stays;
            transition:
                every_legal_transition_is_applied_and_leaves_nothing_behind
                a_transition_from_another_state_owner_or_attempt_is_refused
                a_transition_of_what_is_gone_creates_nothing
                a_transition_sent_twice_finds_its_own_record
                a_stale_worker_changes_nothing_after_a_takeover
                of_32_takeovers_at_once_one_is_applied;
            commit:
                a_commit_makes_everything_durable_together
                a_commit_sent_again_is_applied_once
                a_full_transaction_of_100_items_is_applied
                a_commit_by_a_stale_worker_leaves_nothing
                a_commit_of_what_is_gone_leaves_nothing
                a_commit_beside_an_existing_decision_leaves_nothing
                a_commit_beside_an_existing_event_leaves_nothing
                a_commit_beside_a_taken_claim_names_its_holder_and_leaves_nothing
                a_claim_that_never_expires_stays_taken
                a_claim_is_free_at_its_expiry_plus_the_margin_and_not_before
                a_claim_without_expiry_is_recorded_and_never_frees
                the_record_speaks_before_a_taken_claim;
            round_trip:
                records_of_every_state_come_back_as_they_were
                extreme_records_come_back_as_they_were
                the_largest_request_that_is_carried_comes_back_as_it_was
                extreme_decisions_come_back_as_they_were
                extreme_rows_come_back_as_they_were;
            reading:
                what_was_never_written_is_absent
                what_a_newer_version_wrote_is_told_apart_from_what_nobody_wrote;
            outbox:
                a_delivered_row_is_no_longer_undelivered
                a_quarantined_row_keeps_its_reason_and_leaves_the_index
                a_row_is_redriven_from_wherever_it_stands
                a_mark_with_an_old_marker_changes_nothing
                a_mark_of_a_row_that_is_gone_creates_nothing
                undelivered_rows_are_listed_by_shard_oldest_first
                a_listing_is_bounded_on_both_sides_and_in_length
                quarantined_rows_are_listed_by_shard_and_age_page_by_page
                a_redriven_row_is_no_longer_quarantined;
            queue:
                what_carries_a_request_is_due_by_its_state
                a_final_record_leaves_the_queue
                due_operations_are_listed_by_lane_and_age_page_by_page;
            inbox:
                a_claim_is_finished_and_remembered
                a_live_claim_is_nobody_elses_until_it_lapses
                a_stale_consumer_changes_nothing
                a_claim_that_is_gone_stays_gone
                k03_a_done_mark_is_vacant_a_margin_after_its_end_and_not_before
                of_32_claims_at_once_one_is_applied
                an_effect_and_its_mark_are_durable_together
                where_a_mark_stands_an_effect_leaves_nothing
                an_effect_whose_condition_is_false_leaves_no_mark
                of_32_effects_of_one_event_one_is_had
                an_unreadable_mark_refuses_everything_and_stays
                o14_a_mark_is_deleted_after_its_end_and_not_before;
            classifier:
                every_standing_is_told_of_what_the_store_returned
                an_unreadable_record_is_told_as_such;
            mismatches:
                mismatches_add_up_by_tenant_and_window
                of_32_counts_at_once_none_is_lost
                a_counter_is_deleted_after_its_window_and_not_before;
            ttl:
                a_record_is_deleted_after_its_expiry_plus_the_margin_and_not_before
                a_decision_is_deleted_when_its_own_retention_ends
                an_undelivered_or_quarantined_row_is_never_deleted
                a_delivered_row_is_deleted_after_its_retention;
        }
    };
}

/// The end of time: everything that can expire has expired.
pub(crate) fn the_end() -> Timestamp {
    Timestamp::EPOCH.plus(Duration::MAX)
}

/// Puts a record whatever stands there.
///
/// # Panics
/// The store does not take it.
pub async fn place(store: &impl Store, record: &Record) {
    let write = Reserve {
        record: record.clone(),
        vacant_before: the_end(),
    };
    assert_eq!(store.reserve(&write).await, Answer::Applied);
}

/// What a refused write returns when `record` stands there.
pub(crate) fn found(record: &Record) -> Existing {
    Existing::Found(Box::new(record.clone()))
}

/// Asserts that exactly this stands where `record` would.
pub(crate) async fn assert_stands(store: &impl Store, record: &Record, expected: Existing) {
    let stands = store.read_operation(&record.operation).await;
    assert_eq!(stands, Ok(expected));
}
