//! A consumer's marks, and effects in one transaction with them.

use std::time::Duration;

use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{
    Claim, Finish, FoundMark, Keep, Mark, MarkAnswer, MarkState, Release, Together,
};
use decide_once_protocol::record::EXPIRY_MARGIN;
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::Unreadable;
use decide_once_service::memory::Foreign;
use decide_once_service::ports::{Effects, Inbox};
use tokio::task::JoinSet;

use super::Harness;
use crate::samples::{self, NOW, at};

const SECOND: Duration = Duration::from_secs(1);

/// TTL is in seconds, and a store's clock runs on during a test.
const TICK: Duration = Duration::from_secs(10);

const LEASE: Duration = Duration::from_secs(30);
const KEPT: Duration = Duration::from_secs(86_400);

fn owner(number: u8) -> OwnerToken {
    OwnerToken::from_random([number; 16])
}

fn claim_by(number: u8, now: Timestamp) -> Claim {
    Claim {
        id: samples::mark_id(),
        owner: owner(number),
        lapses: now.plus(LEASE),
        now,
    }
}

fn finish_by(number: u8, now: Timestamp) -> Finish {
    Finish {
        id: samples::mark_id(),
        owner: owner(number),
        until: now.plus(KEPT),
    }
}

fn release_by(number: u8) -> Release {
    Release {
        id: samples::mark_id(),
        owner: owner(number),
    }
}

fn keep_by(number: u8, now: Timestamp) -> Keep {
    Keep {
        id: samples::mark_id(),
        until: now.plus(KEPT),
        now,
        token: owner(number),
    }
}

fn refused_by(mark: Mark) -> MarkAnswer {
    MarkAnswer::Refused(FoundMark::Mark(mark))
}

async fn assert_marked(inbox: &impl Inbox, expected: FoundMark) {
    assert_eq!(inbox.read_mark(&samples::mark_id()).await, Ok(expected));
}

/// Claimed, done, and gone for everybody.
pub async fn a_claim_is_finished_and_remembered<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    assert_marked(&inbox, FoundMark::Absent).await;
    let claim = claim_by(1, at(NOW));
    assert_eq!(inbox.claim(&claim).await, MarkAnswer::Applied);
    assert_marked(&inbox, FoundMark::Mark(claim.mark())).await;
    let finish = finish_by(1, at(NOW + 5_000));
    assert_eq!(inbox.finish(&finish).await, MarkAnswer::Applied);
    assert_marked(&inbox, FoundMark::Mark(finish.mark())).await;
    let done = refused_by(finish.mark());
    assert_eq!(inbox.claim(&claim_by(2, at(NOW + 6_000))).await, done);
    assert_eq!(
        inbox.finish(&finish).await,
        done,
        "its second send finds it"
    );
    assert_eq!(inbox.release(&release_by(1)).await, done);
    assert_marked(&inbox, FoundMark::Mark(finish.mark())).await;
}

/// Its second send finds itself, another one finds it; from the instant at which it lapses it is anybody's.
pub async fn a_live_claim_is_nobody_elses_until_it_lapses<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let claim = claim_by(1, at(NOW));
    assert_eq!(inbox.claim(&claim).await, MarkAnswer::Applied);
    let own = refused_by(claim.mark());
    assert_eq!(inbox.claim(&claim).await, own);
    let early = claim_by(2, claim.lapses.minus(Duration::from_millis(1)));
    assert_eq!(inbox.claim(&early).await, own);
    let takeover = claim_by(2, claim.lapses);
    assert_eq!(inbox.claim(&takeover).await, MarkAnswer::Applied);
    assert_marked(&inbox, FoundMark::Mark(takeover.mark())).await;
}

/// Neither "done" nor "never mind" of a worker whose claim was taken over changes anything, before or after its successor has finished.
pub async fn a_stale_consumer_changes_nothing<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let claim = claim_by(1, at(NOW));
    assert_eq!(inbox.claim(&claim).await, MarkAnswer::Applied);
    let takeover = claim_by(2, claim.lapses);
    assert_eq!(inbox.claim(&takeover).await, MarkAnswer::Applied);
    let late = finish_by(1, claim.lapses);
    let theirs = refused_by(takeover.mark());
    assert_eq!(inbox.finish(&late).await, theirs);
    assert_eq!(inbox.release(&release_by(1)).await, theirs);
    let finish = finish_by(2, claim.lapses.plus(SECOND));
    assert_eq!(inbox.finish(&finish).await, MarkAnswer::Applied);
    let done = refused_by(finish.mark());
    assert_eq!(inbox.finish(&late).await, done);
    assert_eq!(inbox.release(&release_by(1)).await, done);
    assert_marked(&inbox, FoundMark::Mark(finish.mark())).await;
}

/// No finish and no release ever creates a mark.
pub async fn a_claim_that_is_gone_stays_gone<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let nothing = MarkAnswer::Refused(FoundMark::Absent);
    assert_eq!(inbox.finish(&finish_by(1, at(NOW))).await, nothing);
    assert_eq!(inbox.release(&release_by(1)).await, nothing);
    assert_eq!(
        inbox.claim(&claim_by(1, at(NOW))).await,
        MarkAnswer::Applied
    );
    assert_eq!(inbox.release(&release_by(1)).await, MarkAnswer::Applied);
    assert_marked(&inbox, FoundMark::Absent).await;
    assert_eq!(inbox.finish(&finish_by(1, at(NOW))).await, nothing);
    assert_eq!(
        inbox.claim(&claim_by(2, at(NOW))).await,
        MarkAnswer::Applied,
        "at once"
    );
}

/// Also where TTL has not deleted it, and never before by any clock.
pub async fn k03_a_done_mark_is_vacant_a_margin_after_its_end_and_not_before<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let keep = keep_by(1, at(NOW));
    let effect = harness.add("acct-42", 5);
    assert_eq!(inbox.have(&effect, &keep).await, Together::Applied);
    let free = keep.until.plus(EXPIRY_MARGIN);
    let early = free.minus(Duration::from_millis(1));
    assert_eq!(
        inbox.claim(&claim_by(2, early)).await,
        refused_by(keep.mark())
    );
    assert_eq!(
        inbox.have(&effect, &keep_by(3, early)).await,
        Together::MarkRefused(FoundMark::Mark(keep.mark()))
    );
    assert_eq!(inbox.claim(&claim_by(2, free)).await, MarkAnswer::Applied);
    assert_eq!(harness.number("acct-42").await, Some(5));
}

/// One is granted; the others see whose it is.
pub async fn of_32_claims_at_once_one_is_applied<H: Harness>() {
    let harness = H::start().await;
    let mut claiming = JoinSet::new();
    for number in 1..=32 {
        let inbox = harness.inbox();
        claiming.spawn(async move { inbox.claim(&claim_by(number, at(NOW))).await });
    }
    let answers = claiming.join_all().await;
    let winner = harness.inbox().read_mark(&samples::mark_id()).await;
    let refused = MarkAnswer::Refused(winner.unwrap());
    let (applied, others): (Vec<_>, Vec<_>) = answers
        .into_iter()
        .partition(|answer| *answer == MarkAnswer::Applied);
    assert_eq!(applied.len(), 1);
    assert!(others.iter().all(|answer| *answer == refused), "{others:?}");
}

/// Both are there at once, and once.
pub async fn an_effect_and_its_mark_are_durable_together<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let keep = keep_by(1, at(NOW));
    let effect = harness.add("acct-42", 5);
    assert_eq!(inbox.have(&effect, &keep).await, Together::Applied);
    assert_eq!(harness.number("acct-42").await, Some(5));
    assert_marked(&inbox, FoundMark::Mark(keep.mark())).await;
    assert_eq!(
        inbox.have(&effect, &keep).await,
        Together::Applied,
        "the same transaction, sent again"
    );
    assert_eq!(
        inbox.have(&effect, &keep_by(2, at(NOW))).await,
        Together::MarkRefused(FoundMark::Mark(keep.mark())),
        "a duplicate"
    );
    assert_eq!(harness.number("acct-42").await, Some(5));
}

/// Whether somebody is at it or has done it.
pub async fn where_a_mark_stands_an_effect_leaves_nothing<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let claim = claim_by(1, at(NOW));
    assert_eq!(inbox.claim(&claim).await, MarkAnswer::Applied);
    let effect = harness.add("acct-42", 5);
    assert_eq!(
        inbox.have(&effect, &keep_by(2, at(NOW))).await,
        Together::MarkRefused(FoundMark::Mark(claim.mark()))
    );
    assert_eq!(harness.number("acct-42").await, None);
    let lapsed = keep_by(3, claim.lapses);
    assert_eq!(inbox.have(&effect, &lapsed).await, Together::Applied);
    assert_eq!(harness.number("acct-42").await, Some(5));
    assert_eq!(
        inbox.finish(&finish_by(1, claim.lapses)).await,
        refused_by(lapsed.mark())
    );
}

/// A number that was read is another one now: neither effect nor mark. With a mark there as well, the mark is what counts.
pub async fn an_effect_whose_condition_is_false_leaves_no_mark<H: Harness>() {
    let harness = H::start().await;
    let inbox = harness.inbox();
    let stale = harness.set("acct-42", Some(7), 9);
    assert_eq!(
        inbox.have(&stale, &keep_by(1, at(NOW))).await,
        Together::EffectRefused
    );
    assert_marked(&inbox, FoundMark::Absent).await;
    assert_eq!(harness.number("acct-42").await, None);
    let fresh = harness.set("acct-42", None, 9);
    let keep = keep_by(2, at(NOW));
    assert_eq!(inbox.have(&fresh, &keep).await, Together::Applied);
    assert_eq!(
        inbox.have(&stale, &keep_by(3, at(NOW))).await,
        Together::MarkRefused(FoundMark::Mark(keep.mark()))
    );
    assert_eq!(harness.number("acct-42").await, Some(9));
}

/// However many copies of an event there are at once, its effect is had once.
pub async fn of_32_effects_of_one_event_one_is_had<H: Harness>() {
    let harness = H::start().await;
    let mut having = JoinSet::new();
    for number in 1..=32 {
        let (inbox, effect) = (harness.inbox(), harness.add("acct-42", 5));
        having.spawn(async move { inbox.have(&effect, &keep_by(number, at(NOW))).await });
    }
    let answers = having.join_all().await;
    let applied = answers
        .iter()
        .filter(|answer| **answer == Together::Applied);
    assert_eq!(applied.count(), 1, "{answers:?}");
    assert_eq!(harness.number("acct-42").await, Some(5));
}

/// A newer version's mark, or nobody's, is left as it is.
pub async fn an_unreadable_mark_refuses_everything_and_stays<H: Harness>() {
    let corrupt = Unreadable::Corrupt {
        attribute: "claim".to_owned(),
    };
    for why in [Unreadable::Newer { version: 2 }, corrupt] {
        let harness = H::start().await;
        let inbox = harness.inbox();
        harness
            .plant(Foreign::Mark(samples::mark_id(), why.clone()))
            .await;
        let unreadable = FoundMark::Unreadable(why);
        let refused = MarkAnswer::Refused(unreadable.clone());
        assert_eq!(inbox.claim(&claim_by(1, at(NOW))).await, refused);
        assert_eq!(inbox.finish(&finish_by(1, at(NOW))).await, refused);
        assert_eq!(inbox.release(&release_by(1)).await, refused);
        let effect = harness.add("acct-42", 5);
        assert_eq!(
            inbox.have(&effect, &keep_by(1, at(NOW))).await,
            Together::MarkRefused(unreadable.clone())
        );
        assert_eq!(harness.number("acct-42").await, None);
        assert_marked(&inbox, unreadable).await;
    }
}

/// A mark goes when it is vacant by everybody's clock, and not before.
pub async fn o14_a_mark_is_deleted_after_its_end_and_not_before<H: Harness>() {
    for state in [
        MarkState::Claimed {
            owner: owner(1),
            lapses: at(NOW).plus(LEASE),
        },
        MarkState::Done {
            until: at(NOW).plus(KEPT),
        },
    ] {
        let harness = H::start().await;
        let inbox = harness.inbox();
        let (end, mark) = match state {
            MarkState::Claimed { lapses, .. } => {
                let claim = claim_by(1, at(NOW));
                assert_eq!(inbox.claim(&claim).await, MarkAnswer::Applied);
                (lapses, claim.mark())
            }
            MarkState::Done { until } => {
                let keep = keep_by(1, at(NOW));
                let effect = harness.add("acct-42", 5);
                assert_eq!(inbox.have(&effect, &keep).await, Together::Applied);
                (until, keep.mark())
            }
        };
        let free = end.plus(EXPIRY_MARGIN);
        harness.delete_expired(free.minus(TICK)).await;
        assert_marked(&inbox, FoundMark::Mark(mark)).await;
        harness.delete_expired(free.plus(TICK)).await;
        assert_marked(&inbox, FoundMark::Absent).await;
    }
}
