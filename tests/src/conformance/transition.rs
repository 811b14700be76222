//! Moving a record on from what was seen.

use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::record::{Fence, FinalCode, Hold, Record, RetryCause, State, StateName};
use decide_once_protocol::writes::{Answer, Existing, Seen, Transition};
use decide_once_service::ports::Store;
use tokio::task::JoinSet;

use super::{Harness, assert_stands, found, place};
use crate::samples::{self, NOW, at};

fn retryable() -> State {
    State::FailedRetryable {
        cause: RetryCause::Store,
        keep: samples::kept(),
    }
}

/// `seen` goes over into `state` under this fence, a little later.
fn transition(seen: &Record, state: State, fence: Fence) -> Transition {
    Transition {
        expected: Seen::of(seen),
        next: Record {
            fence,
            forgiven: seen.forgiven + u32::from(state.name() == StateName::FailedRetryable),
            updated: at(NOW + 9_000),
            state,
            ..seen.clone()
        },
    }
}

/// Takeovers, releases and failures; also what another transition left is gone, since a record with another state's attribute is
/// corrupt.
pub async fn every_legal_transition_is_applied_and_leaves_nothing_behind<H: Harness>() {
    let processing = samples::record(samples::processing());
    let released = samples::record(retryable());
    let carrying = |hold| State::Processing {
        hold,
        keep: samples::carrying(),
    };
    let queued = samples::queued();
    let taken_over = carrying(Hold::Leased(at(NOW + 31_000)));
    let carried = samples::record(taken_over.clone());
    let given_up = State::FailedRetryable {
        cause: RetryCause::Store,
        keep: samples::carrying(),
    };
    let released_carrying = samples::record(given_up.clone());
    let successor = samples::fence(3);
    for (seen, state, fence) in [
        (&processing, samples::processing(), successor),
        (&processing, samples::succeeded(true), processing.fence),
        (&processing, samples::succeeded(false), processing.fence),
        (&processing, retryable(), processing.fence),
        (
            &processing,
            samples::failed(FinalCode::DecisionFailed),
            processing.fence,
        ),
        (
            &processing,
            samples::failed(FinalCode::AttemptsExhausted),
            successor,
        ),
        (&queued, taken_over.clone(), samples::fence(1)),
        (&carried, samples::succeeded(true), carried.fence),
        (&carried, samples::succeeded(false), carried.fence),
        (&carried, given_up, carried.fence),
        (
            &carried,
            samples::failed(FinalCode::DecisionFailed),
            carried.fence,
        ),
        (&released_carrying, taken_over, successor),
        (
            &released_carrying,
            samples::failed(FinalCode::AttemptsExhausted),
            successor,
        ),
        (&released, samples::processing(), successor),
        (
            &released,
            samples::failed(FinalCode::AttemptsExhausted),
            successor,
        ),
    ] {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, seen).await;
        let write = transition(seen, state, fence);
        assert_eq!(store.transition(&write).await, Answer::Applied, "{write:?}");
        assert_stands(&store, seen, found(&write.next)).await;
    }
}

/// Each of the three alone is enough, from every state.
pub async fn a_transition_from_another_state_owner_or_attempt_is_refused<H: Harness>() {
    for (name, standing) in samples::records() {
        let harness = H::start().await;
        let store = harness.store();
        place(&store, &standing).await;
        let seen = Seen::of(&standing);
        let other_state = match seen.state {
            StateName::Processing => StateName::FailedRetryable,
            StateName::Succeeded | StateName::FailedRetryable | StateName::FailedFinal => {
                StateName::Processing
            }
        };
        let owner = OwnerToken::from_random([0xff; 16]);
        let attempt = seen.fence.attempt + 1;
        for expected in [
            Seen {
                state: other_state,
                ..seen
            },
            Seen {
                fence: Fence {
                    owner,
                    ..seen.fence
                },
                ..seen
            },
            Seen {
                fence: Fence {
                    attempt,
                    ..seen.fence
                },
                ..seen
            },
        ] {
            let next = Record {
                fence: samples::fence(7),
                ..samples::record(retryable())
            };
            let refused = store.transition(&Transition { expected, next }).await;
            assert_eq!(
                refused,
                Answer::Refused(found(&standing)),
                "{name}: {expected:?}"
            );
        }
        assert_stands(&store, &standing, found(&standing)).await;
    }
}

/// TTL may have deleted it.
pub async fn a_transition_of_what_is_gone_creates_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let write = samples::release();
    assert_eq!(
        store.transition(&write).await,
        Answer::Refused(Existing::Absent)
    );
    assert_stands(&store, &write.next, Existing::Absent).await;
}

/// What an SDK's resend of a write that had landed sees.
pub async fn a_transition_sent_twice_finds_its_own_record<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    place(&store, &samples::record(samples::processing())).await;
    let write = samples::release();
    assert_eq!(store.transition(&write).await, Answer::Applied);
    assert_eq!(
        store.transition(&write).await,
        Answer::Refused(found(&write.next))
    );
}

/// Neither to release, nor to fail, nor to commit.
pub async fn a_stale_worker_changes_nothing_after_a_takeover<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let stale = samples::record(samples::processing());
    place(&store, &stale).await;
    let takeover = transition(&stale, samples::processing(), samples::fence(3));
    assert_eq!(store.transition(&takeover).await, Answer::Applied);
    let now = Answer::Refused(found(&takeover.next));
    for state in [retryable(), samples::failed(FinalCode::DecisionFailed)] {
        let late = transition(&stale, state, stale.fence);
        assert_eq!(store.transition(&late).await, now);
    }
    assert_eq!(store.commit(&samples::commit(Vec::new())).await, now);
    assert_stands(&store, &stale, found(&takeover.next)).await;
}

/// All of them saw the same lapsed record.
pub async fn of_32_takeovers_at_once_one_is_applied<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let lapsed = samples::record(samples::processing());
    place(&store, &lapsed).await;
    let mut crowd = JoinSet::new();
    for number in 0..32 {
        let (store, lapsed) = (store.clone(), lapsed.clone());
        crowd.spawn(async move {
            let owner = OwnerToken::from_random([0x80 + number; 16]);
            let fence = Fence {
                owner,
                attempt: lapsed.fence.attempt + 1,
            };
            let write = transition(&lapsed, samples::processing(), fence);
            (store.transition(&write).await, write.next)
        });
    }
    let (winners, losers): (Vec<_>, Vec<_>) = crowd
        .join_all()
        .await
        .into_iter()
        .partition(|(answer, _)| *answer == Answer::Applied);
    assert_eq!(winners.len(), 1);
    for (answer, _) in losers {
        assert_eq!(answer, Answer::Refused(found(&winners[0].1)));
    }
}
