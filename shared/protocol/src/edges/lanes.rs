//! Partitions of the queue and the outbox, and the lanes of a batch.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::{NOW, at, key, owner, seed};
use crate::ids::DecisionId;
use crate::key::IdempotencyKey;
use crate::lanes::Lanes;
use crate::outbox::{SHARDS, shard_of};
use crate::record::Record;
use crate::scope::{DECIDE, OperationName, Scope, Tenant};

pub(super) fn first_byte(text: &str) -> u8 {
    Sha256::digest(text.as_bytes())[0]
}

pub(super) fn lanes_of_many_operations() -> BTreeSet<u8> {
    let of = |number: u8| {
        let mut seed = seed();
        seed.operation = Scope {
            tenant: Tenant::parse("t-alpha").unwrap(),
            operation: OperationName::parse(DECIDE).unwrap(),
            key: IdempotencyKey::parse(&format!("{}{number}", key().as_str())).unwrap(),
        }
        .operation_id();
        Record::queued(seed, owner(1), at(NOW), super::carried())
            .due()
            .unwrap()
            .lane
    };
    (0..100).map(of).collect()
}

#[test]
fn d12_a_rows_shard_is_fixed_and_there_are_eight() {
    let events = (0..100).map(|index| DecisionId::from_random([3; 16]).event(index));
    let mut shards = BTreeSet::new();
    for event in events {
        assert_eq!(shard_of(&event), first_byte(event.as_str()) % 8);
        shards.insert(shard_of(&event));
    }
    assert_eq!((shards.len(), SHARDS), (8, 8));
}

#[test]
fn the_rows_of_a_lane_go_in_single_file() {
    let mut lanes = Lanes::by(["a", "b", "a", "c", "b"]);
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(|row| lanes.lane(row)),
        [Some(0), Some(1), Some(0), Some(2), Some(1), None]
    );
    assert!(lanes.has_ready());
    assert_eq!(lanes.take(2), [0, 1]);
    assert_eq!(lanes.take(9), [3]);
    assert!(!lanes.has_ready());
    assert_eq!(lanes.take(9), Vec::<usize>::new());
    lanes.done(0);
    assert_eq!(lanes.take(9), [2]);
    lanes.again(1);
    assert_eq!(lanes.take(9), [1], "before what is behind it");
    lanes.done(1);
    assert_eq!(lanes.take(9), [4]);
    lanes.done(4);
    lanes.done(7);
    assert!(!lanes.has_ready());
}
