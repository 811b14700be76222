//! The requests that are sent: their bytes, tokens, conditions and keys.

use decide_once_dynamodb::items::{decision, operation};
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::record::Record;
use decide_once_protocol::writes::{Answer, Existing};
use decide_once_service::ports::{Outbox, Read, Store};
use decide_once_tests::samples::{self, NOW, at};

use crate::replay::{Replay, Reply};

#[tokio::test(start_paused = true)]
async fn d05_a_commit_in_progress_is_sent_again_byte_for_byte_with_the_same_token() {
    let busy = Reply::error(400, "TransactionInProgressException");
    let replay = Replay::of([Reply::Silence, busy, Reply::ok()]);
    let commit = samples::commit(Vec::new());
    assert_eq!(replay.store().commit(&commit).await, Answer::Applied);
    let sent = replay.sent();
    assert_eq!(sent.len(), 3);
    assert!(sent[0].contains(&format!(r#""ClientRequestToken":"{}""#, commit.token())));
    assert_eq!(sent[0], sent[1]);
    assert_eq!(sent[0], sent[2]);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_the_protocol_sends_again_has_the_same_bytes() {
    let replay = Replay::of(vec![Reply::ok(); 8]);
    let store = replay.store();
    let commit = samples::commit(vec![samples::claim("order", Some(at(NOW)))]);
    for _ in 0..8 {
        assert_eq!(store.commit(&commit).await, Answer::Applied);
    }
    let sent = replay.sent();
    assert!(sent.iter().all(|body| *body == sent[0]));
}

#[tokio::test(start_paused = true)]
async fn d09_every_read_is_strong_and_every_conditional_write_asks_for_what_stands() {
    let replay = Replay::of(vec![Reply::ok(); 6]);
    let store = replay.store();
    let (decision, row) = (samples::decision(), samples::row(0));
    assert_eq!(
        store.read_operation(&decision.operation).await,
        Ok(Existing::Absent)
    );
    assert_eq!(store.read_decision(&decision.id).await, Ok(Read::Absent));
    assert_eq!(store.read_row(&row.event.id).await, Ok(Read::Absent));
    let _ = store.reserve(&samples::reserve()).await;
    let _ = store.transition(&samples::release()).await;
    let _ = store
        .commit(&samples::commit(vec![samples::claim("order", None)]))
        .await;
    let sent = replay.sent();
    for read in &sent[..3] {
        assert!(read.contains(r#""ConsistentRead":true"#), "{read}");
    }
    let asks = r#""ReturnValuesOnConditionCheckFailure":"ALL_OLD""#;
    let asked: Vec<_> = sent[3..]
        .iter()
        .map(|write| write.matches(asks).count())
        .collect();
    assert_eq!(asked, [1, 1, 2], "of a commit: the operation and the claim");
}

#[tokio::test(start_paused = true)]
async fn d10_nothing_that_varies_with_an_attempt_is_in_a_table_key() {
    let replay = Replay::of(vec![Reply::ok(); 3]);
    let store = replay.store();
    let _ = store.transition(&samples::release()).await;
    let key = format!(
        r#""Key":{{"op":{{"S":"{}"}}}}"#,
        samples::scope().operation_id()
    );
    assert!(
        replay.sent()[0].contains(&key),
        "the whole key is the operation id"
    );
    let first = samples::reserve();
    let mut second = first.clone();
    second.record.fence = samples::fence(9);
    second.record.decision = DecisionId::from_random([1; 16]);
    second.record.updated = at(NOW + 9);
    let key_of = |record: &Record| operation::key(&record.operation);
    assert_eq!(key_of(&first.record), key_of(&second.record));
}

#[test]
fn a_decisions_id_is_not_stored_with_its_operation_when_it_follows() {
    let item = decision::encode(&samples::decision());
    assert!(!item.contains_key("op"));
}
