//! The one transaction: decision, record, events and claims together, or nothing.

use decide_once_protocol::decision::{DecisionItem, NaturalClaim};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::record::{EXPIRY_MARGIN, Record};
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Blocked, Commit, Existing, Seen, vacant_before};
use decide_once_service::ports::{Outbox, Read, Store};

use super::{Harness, assert_stands, found, place, the_end};
use crate::samples::{self, NOW, at};

/// Puts the record that [`samples::commit`] expects.
async fn reserved(store: &impl Store) -> Record {
    let record = samples::record(samples::processing());
    place(store, &record).await;
    record
}

/// The commit of another operation of the same tenant, after its reservation: with this decision and these claims.
async fn another(store: &impl Store, number: u8, claims: Vec<NaturalClaim>) -> Commit {
    let tenant = Tenant::parse("t-alpha").unwrap();
    let operation = OperationId::parse(&"a".repeat(52)).unwrap();
    let decision = DecisionId::from_random([number; 16]);
    let sample = samples::commit(Vec::new());
    let claims = claims.into_iter().map(|claim| NaturalClaim {
        decision: decision.clone(),
        ..claim
    });
    let of_this = |record: Record| Record {
        operation: operation.clone(),
        tenant: tenant.clone(),
        decision: decision.clone(),
        fence: samples::fence(u32::from(number)),
        ..record
    };
    let reserved = of_this(samples::record(samples::processing()));
    place(store, &reserved).await;
    let mut row = samples::row(0);
    row.event.id = decision.event(0);
    let mut commit = Commit {
        claims: claims.collect(),
        events: vec![row],
        decision: DecisionItem {
            id: decision.clone(),
            operation: operation.clone(),
            ..samples::decision()
        },
        ..sample
    };
    commit.operation.expected = Seen::of(&reserved);
    commit.operation.next = of_this(commit.operation.next);
    commit
}

async fn assert_nothing_of(store: &(impl Store + Outbox), commit: &Commit) {
    assert_eq!(
        store.read_decision(&commit.decision.id).await,
        Ok(Read::Absent)
    );
    assert_no_event_of(store, commit).await;
}

async fn assert_no_event_of(store: &impl Outbox, commit: &Commit) {
    for row in &commit.events {
        assert_eq!(store.read_row(&row.event.id).await, Ok(Read::Absent));
    }
}

async fn assert_all_of(store: &(impl Store + Outbox), commit: &Commit) {
    assert_stands(store, &commit.operation.next, found(&commit.operation.next)).await;
    let decision = Read::Found(Box::new(commit.decision.clone()));
    assert_eq!(store.read_decision(&commit.decision.id).await, Ok(decision));
    for row in &commit.events {
        let found = Read::Found(Box::new(row.clone()));
        assert_eq!(store.read_row(&row.event.id).await, Ok(found));
    }
}

/// One event, several, none; with and without claims.
pub async fn a_commit_makes_everything_durable_together<H: Harness>() {
    for events in [0, 1, 3] {
        let harness = H::start().await;
        let store = harness.store();
        reserved(&store).await;
        let claims = vec![
            samples::claim("order", Some(the_end())),
            samples::claim("invoice", None),
        ];
        let commit = Commit {
            events: (0..events).map(samples::row).collect(),
            ..samples::commit(claims)
        };
        assert_eq!(store.commit(&commit).await, Answer::Applied);
        assert_all_of(&store, &commit).await;
    }
}

/// The same transaction under the same token.
pub async fn a_commit_sent_again_is_applied_once<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    reserved(&store).await;
    let commit = samples::commit(vec![samples::claim("order", None)]);
    for _ in 0..3 {
        assert_eq!(store.commit(&commit).await, Answer::Applied);
    }
    assert_all_of(&store, &commit).await;
}

/// The most that DynamoDB takes.
pub async fn a_full_transaction_of_100_items_is_applied<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    reserved(&store).await;
    let commit = Commit {
        events: (0..97).map(samples::row).collect(),
        ..samples::commit(vec![samples::claim("order", None)])
    };
    assert_eq!(commit.items(), 100);
    assert_eq!(store.commit(&commit).await, Answer::Applied);
    assert_all_of(&store, &commit).await;
}

/// Another attempt has the key.
pub async fn a_commit_by_a_stale_worker_leaves_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let successor = Record {
        fence: samples::fence(3),
        ..samples::record(samples::processing())
    };
    place(&store, &successor).await;
    let commit = samples::commit(vec![samples::claim("order", None)]);
    assert_eq!(
        store.commit(&commit).await,
        Answer::Refused(found(&successor))
    );
    assert_stands(&store, &successor, found(&successor)).await;
    assert_nothing_of(&store, &commit).await;
    assert_claim_is_free(&store).await;
}

/// The claim `order` was not taken: another operation may have it.
async fn assert_claim_is_free(store: &impl Store) {
    let next = another(store, 42, vec![samples::claim("order", None)]).await;
    assert_eq!(store.commit(&next).await, Answer::Applied);
}

/// TTL deleted the record under the worker's hands: never "if absent".
pub async fn a_commit_of_what_is_gone_leaves_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let commit = samples::commit(Vec::new());
    assert_eq!(
        store.commit(&commit).await,
        Answer::Refused(Existing::Absent)
    );
    assert_stands(&store, &commit.operation.next, Existing::Absent).await;
    assert_nothing_of(&store, &commit).await;
}

/// Under the id that this record chose.
pub async fn a_commit_beside_an_existing_decision_leaves_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let mut first = another(&store, 3, Vec::new()).await;
    first.decision.id = samples::decision().id;
    first.events.clear();
    assert_eq!(store.commit(&first).await, Answer::Applied);
    let record = reserved(&store).await;
    let commit = samples::commit(Vec::new());
    assert_eq!(
        store.commit(&commit).await,
        Answer::Blocked(Blocked::Corrupt)
    );
    assert_stands(&store, &record, found(&record)).await;
    assert_no_event_of(&store, &commit).await;
}

/// Under the id that follows from this record's decision.
pub async fn a_commit_beside_an_existing_event_leaves_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let mut first = another(&store, 3, Vec::new()).await;
    first.events = vec![samples::row(1)];
    assert_eq!(store.commit(&first).await, Answer::Applied);
    let record = reserved(&store).await;
    let commit = Commit {
        events: vec![samples::row(0), samples::row(1)],
        ..samples::commit(Vec::new())
    };
    assert_eq!(
        store.commit(&commit).await,
        Answer::Blocked(Blocked::Corrupt)
    );
    assert_stands(&store, &record, found(&record)).await;
    assert_eq!(
        store.read_decision(&commit.decision.id).await,
        Ok(Read::Absent)
    );
    assert_eq!(
        store.read_row(&samples::row(0).event.id).await,
        Ok(Read::Absent)
    );
}

/// The second of two claims is enough.
pub async fn a_commit_beside_a_taken_claim_names_its_holder_and_leaves_nothing<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let first = another(&store, 3, vec![samples::claim("order", Some(the_end()))]).await;
    assert_eq!(store.commit(&first).await, Answer::Applied);
    let record = reserved(&store).await;
    let claims = vec![
        samples::claim("invoice", None),
        samples::claim("order", None),
    ];
    let commit = samples::commit(claims);
    let taken = Answer::Blocked(Blocked::ClaimTaken(first.decision.id));
    assert_eq!(store.commit(&commit).await, taken);
    assert_stands(&store, &record, found(&record)).await;
    assert_nothing_of(&store, &commit).await;
    let next = another(&store, 5, vec![samples::claim("invoice", None)]).await;
    assert_eq!(
        store.commit(&next).await,
        Answer::Applied,
        "the other claim stayed free"
    );
}

/// However late it is.
pub async fn a_claim_that_never_expires_stays_taken<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let first = another(&store, 3, vec![samples::claim("order", None)]).await;
    assert_eq!(store.commit(&first).await, Answer::Applied);
    reserved(&store).await;
    let commit = Commit {
        vacant_before: the_end(),
        ..samples::commit(vec![samples::claim("order", None)])
    };
    let taken = Answer::Blocked(Blocked::ClaimTaken(first.decision.id));
    assert_eq!(store.commit(&commit).await, taken);
}

/// The same margin as a key's.
pub async fn a_claim_is_free_at_its_expiry_plus_the_margin_and_not_before<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let expiry = at(NOW + 60_000);
    let first = another(&store, 3, vec![samples::claim("order", Some(expiry))]).await;
    assert_eq!(store.commit(&first).await, Answer::Applied);
    reserved(&store).await;
    let at_time = |now: Timestamp| Commit {
        vacant_before: vacant_before(now),
        ..samples::commit(vec![samples::claim("order", Some(the_end()))])
    };
    let free = expiry.plus(EXPIRY_MARGIN);
    let early = at_time(at(free.as_millis() - 1));
    let taken = Answer::Blocked(Blocked::ClaimTaken(first.decision.id));
    assert_eq!(store.commit(&early).await, taken);
    assert_eq!(store.commit(&at_time(free)).await, Answer::Applied);
    let late = another(&store, 5, vec![samples::claim("order", None)]).await;
    let holder = Blocked::ClaimTaken(samples::decision().id);
    assert_eq!(
        store.commit(&late).await,
        Answer::Blocked(holder),
        "it has a new holder"
    );
}

/// A claim whose expiry was dropped replaces one that had one.
pub async fn a_claim_without_expiry_is_recorded_and_never_frees<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let first = another(&store, 3, vec![samples::claim("order", Some(at(NOW)))]).await;
    assert_eq!(store.commit(&first).await, Answer::Applied);
    reserved(&store).await;
    let takes_it = Commit {
        vacant_before: the_end(),
        ..samples::commit(vec![samples::claim("order", None)])
    };
    assert_eq!(store.commit(&takes_it).await, Answer::Applied);
    let mut late = another(&store, 5, vec![samples::claim("order", None)]).await;
    late.vacant_before = the_end();
    let holder = Blocked::ClaimTaken(samples::decision().id);
    assert_eq!(store.commit(&late).await, Answer::Blocked(holder));
}

/// A stale worker is told what stands, not that its claim is taken.
pub async fn the_record_speaks_before_a_taken_claim<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let first = another(&store, 3, vec![samples::claim("order", None)]).await;
    assert_eq!(store.commit(&first).await, Answer::Applied);
    let finished = samples::record(samples::succeeded(true));
    place(&store, &finished).await;
    let commit = samples::commit(vec![samples::claim("order", None)]);
    assert_eq!(
        store.commit(&commit).await,
        Answer::Refused(found(&finished))
    );
}
